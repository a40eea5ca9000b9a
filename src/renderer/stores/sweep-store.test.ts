// @vitest-environment happy-dom
import { afterEach, expect, test, vi } from 'vitest'
import { analyse } from '../../core/analysis/analyse.ts'
import { sweepStateOf } from '../../core/sweep/fold-sweep.ts'
import { createFakeMain, fakeSweepId } from '../testing/fake-main.ts'
import { queueSweep } from '../testing/sweep-fixtures.ts'
import { createOpenSweeps, createSweepStore, type SweepStore } from './sweep-store.ts'

const id = fakeSweepId(1)
const open: SweepStore[] = []
afterEach(() => {
  for (const store of open.splice(0)) store.close()
})

function watch(fake: ReturnType<typeof createFakeMain>, onAnalyse: () => void = () => {}): SweepStore {
  const store = createSweepStore(id, {
    connection: fake.connection,
    analyse(state) {
      onAnalyse()
      return analyse(state)
    },
    onBug(cause) {
      throw cause
    },
  })
  open.push(store)
  return store
}

const ended = (store: SweepStore) => {
  expect(store.get().state?.status).toBe('completed')
  expect(store.get().analysis).toBeDefined()
}
const patience = { timeout: 8_000 }

test('a sweep seen live, event by event, equals the same sweep reopened, in its state and in its analysis', async () => {
  const events = queueSweep()
  const fake = createFakeMain()
  const live = watch(fake)
  for (let at = 0; at < events.length; at += 37) {
    fake.feed(id, events.slice(at, at + 37))
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
  await vi.waitFor(() => ended(live), patience)
  await vi.waitFor(() => expect(live.get().analysis).toEqual(analyse(live.get().state ?? fail())), patience)
  const reopened = watch(fake)
  await vi.waitFor(() => ended(reopened), patience)
  expect(reopened.get().state).toEqual(live.get().state)
  expect(reopened.get().analysis).toEqual(live.get().analysis)
  expect(live.get().state).toEqual(sweepStateOf(events))
})

test('a sweep that has ended is shown with the verdict of all its cells, never with an earlier one', async () => {
  const events = queueSweep()
  const fake = createFakeMain()
  const store = watch(fake)
  fake.feed(id, events.slice(0, -1))
  await vi.waitFor(() => expect(store.get().analysis).toBeDefined(), patience)
  let unmatched = 0
  store.subscribe(() => {
    const { state, analysis } = store.get()
    if (state?.status === 'completed' && JSON.stringify(analysis) !== JSON.stringify(analyse(state))) unmatched += 1
  })
  fake.feed(id, events.slice(-1))
  await vi.waitFor(() => ended(store), patience)
  expect(unmatched).toBe(0)
})

test('rows alone are not analysed, and cells that end close together are analysed together', async () => {
  const events = queueSweep({ samplesPerSec: 0 })
  const firstEnd = events.findIndex((event) => event.type === 'cell-ended')
  let analyses = 0
  const fake = createFakeMain()
  const store = watch(fake, () => analyses++)
  fake.feed(id, events.slice(0, firstEnd))
  await vi.waitFor(() => expect(store.get().state?.rows.length).toBeGreaterThan(0), patience)
  expect(analyses).toBe(0)
  for (const event of events.slice(firstEnd)) fake.feed(id, [event])
  await vi.waitFor(() => ended(store), patience)
  await vi.waitFor(() => expect(store.get().analysis?.levels.length).toBe(4), patience)
  expect(analyses).toBeLessThanOrEqual(2)
})

test('after a lost connection the sweep is folded afresh, not twice', async () => {
  const events = queueSweep()
  const fake = createFakeMain()
  const store = watch(fake)
  fake.feed(id, events.slice(0, 200))
  await vi.waitFor(() => expect(store.get().state?.rows.length).toBeGreaterThan(0), patience)
  fake.lose()
  fake.restore()
  fake.feed(id, events.slice(200))
  await vi.waitFor(() => ended(store), patience)
  expect(store.get().state?.rows.length).toBe(sweepStateOf(events)?.rows.length)
})

test('sweeps long out of sight are closed, the latest stay open', () => {
  const fake = createFakeMain()
  const sweeps = createOpenSweeps({ connection: fake.connection, analyse, onBug: () => {} })
  const first = sweeps.get(fakeSweepId(1))
  expect(sweeps.get(fakeSweepId(1))).toBe(first)
  for (let n = 2; n <= 6; n++) sweeps.get(fakeSweepId(n))
  expect(sweeps.get(fakeSweepId(6))).toBe(sweeps.get(fakeSweepId(6)))
  expect(sweeps.get(fakeSweepId(1))).not.toBe(first)
  sweeps.close()
})

function fail(): never {
  throw new Error('The store holds no state.')
}

// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { createFakeMain, fakeSweepId } from '../testing/fake-main.ts'
import { createLayoutStore, currentTab, placeOf } from './layout-store.ts'

const saved = (fake: ReturnType<typeof createFakeMain>) => JSON.parse(fake.layouts.get('tabs') ?? '{}')
const load = async (fake: ReturnType<typeof createFakeMain>) => {
  const layout = createLayoutStore(fake.connection)
  await layout.load(async () => 'machine')
  return layout
}

test('a machine on which nothing was ever open begins with what was found on it', async () => {
  const layout = await load(createFakeMain())
  expect(currentTab(layout.get())?.kind).toBe('machine')
  expect(placeOf(currentTab(layout.get()))).toBe('sweep')
})

test('what was open is open again after a reload, with the same tab current', async () => {
  const fake = createFakeMain()
  const layout = await load(fake)
  layout.openSweep(fakeSweepId(3))
  layout.goTo('reports')
  layout.goTo('sweep')
  await vi.waitFor(() => expect(saved(fake).tabs).toHaveLength(3))
  await vi.waitFor(() => expect(saved(fake).currentId).toBe(layout.get().currentId))
  const again = await load(fake)
  expect(again.get().tabs).toEqual(layout.get().tabs)
  expect(again.get().currentId).toBe(layout.get().currentId)
})

test('a layout that can’t be read is no reason to show nothing', async () => {
  for (const json of ['{', '{"tabs":[]}', '{"tabs":[{"id":"a","kind":"balloon"}],"currentId":"a"}', 'null']) {
    const fake = createFakeMain()
    fake.layouts.set('tabs', json)
    expect(currentTab((await load(fake)).get())?.kind, json).toBe('machine')
  }
})

test('a place of the rail leads to its tab used last, and opens one only when there is none', async () => {
  const layout = await load(createFakeMain())
  const first = layout.openTerminals()
  const second = layout.openTerminals()
  layout.select(first)
  layout.goTo('reports')
  layout.goTo('terminals')
  expect(layout.get().currentId).toBe(first)
  layout.close(first)
  layout.goTo('terminals')
  expect(layout.get().currentId).toBe(second)
  expect(layout.get().tabs.filter((tab) => tab.kind === 'terminals')).toHaveLength(1)
})

test('a sweep that starts takes the tab of its plan; another one gets a tab of its own', async () => {
  const layout = await load(createFakeMain())
  layout.openPlan()
  const plan = layout.get().currentId
  layout.openSweep(fakeSweepId(1))
  expect(layout.get().currentId).toBe(plan)
  layout.openSweep(fakeSweepId(2))
  expect(layout.get().currentId).not.toBe(plan)
  layout.openSweep(fakeSweepId(1))
  expect(layout.get().currentId).toBe(plan)
})

test('closing the current tab leads back to the one used before, and the last one leaves a plan', async () => {
  const layout = await load(createFakeMain())
  const start = layout.get().currentId
  layout.goTo('reports')
  layout.goTo('settings')
  layout.select(start)
  layout.close(start)
  expect(currentTab(layout.get())?.kind).toBe('settings')
  for (const tab of layout.get().tabs) layout.close(tab.id)
  expect(layout.get().tabs).toHaveLength(1)
  expect(currentTab(layout.get())?.kind).toBe('sweep')
})

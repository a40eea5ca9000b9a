import { expect, test } from 'vitest'
import { sweepIdSchema } from '../../core/result/ids.ts'
import { problem } from '../../core/result/problem.ts'
import { err, ok } from '../../core/result/result.ts'
import { tuneRequestSchema } from '../../core/sweep/tune.ts'
import { silentLog } from '../platform/log.ts'
import { createTuner, type TunerDeps } from './tuner.ts'

const REQUEST = tuneRequestSchema.parse({ target: { kind: 'built-in', engine: 'simulated', model: 'm' }, slots: [2, 1, 2] })

function setUp(change: Partial<TunerDeps['sweeps']> = {}) {
  const log: string[] = []
  const ends = new Map<string, () => void>()
  let sweeps = 0
  const tuner = createTuner({
    log: silentLog,
    sweeps: {
      async start(request) {
        sweeps += 1
        log.push(`sweep of ${request.target.kind === 'built-in' ? request.target.slots : '?'} at ${request.levels.join()}`)
        return ok({ sweepId: sweepIdSchema.parse(`s${sweeps}`) })
      },
      cancel: async (sweepId) => ends.get(sweepId)?.(),
      events(sweepId, _listener, onEnd = () => {}) {
        ends.set(sweepId, onEnd)
        return () => {}
      },
      ...change,
    },
    prepare: async () =>
      ok({
        label: 'a server',
        setting: '--slots',
        async startServer(slots) {
          log.push(`start ${slots}`)
          return ok({
            target: { kind: 'built-in', engine: 'simulated', model: 'm', slots, settings: {} },
            resident: async () => ({ vramBytes: null, contextTokens: null }),
            stop: async () => void log.push(`stop ${slots}`),
          })
        },
      }),
  })
  const until = (status: string) =>
    new Promise<void>((resolve) => {
      const look = () => tuner.state().status === status && resolve()
      tuner.onChange(look)
      look()
    })
  return { tuner, log, ends, until }
}

const aMoment = () => new Promise((resolve) => setImmediate(resolve))

test('each number is tried once, ascending, at the same levels, and every server is stopped before the next one starts', async () => {
  const { tuner, log, ends, until } = setUp()
  await tuner.start(REQUEST)
  for (const id of ['s1', 's2']) {
    while (!ends.has(id)) await aMoment()
    ends.get(id)?.()
  }
  await until('failed')
  expect(log).toEqual(['start 1', 'sweep of 1 at 1,4', 'stop 1', 'start 2', 'sweep of 2 at 1,4', 'stop 2'])
  // These sweeps measured nothing: no number is made up.
  expect(tuner.state()).toMatchObject({ advice: { slots: null }, problem: { code: 'nothing-measured' } })
})

test('a cancel ends the sweep under way, stops its server, and starts no other', async () => {
  const { tuner, log, ends } = setUp()
  await tuner.start(REQUEST)
  while (!ends.has('s1')) await aMoment()
  await tuner.cancel()
  expect(log).toEqual(['start 1', 'sweep of 1 at 1,4', 'stop 1'])
  expect(tuner.state()).toMatchObject({ status: 'cancelled', advice: null })
})

test('a server that a bug in the sweep leaves behind is stopped all the same', async () => {
  const { tuner, log, until } = setUp({
    events() {
      throw new Error('a bug')
    },
  })
  await tuner.start(REQUEST)
  await until('failed')
  expect(log.at(-1)).toBe('stop 1')
  expect(tuner.state().problem?.code).toBe('internal')
})

test('a sweep that can’t start fails its trial, not the others', async () => {
  const { tuner, log, until } = setUp({ start: async () => err(problem('sweep-running', 'One runs.', '', '')) })
  await tuner.start(REQUEST)
  await until('failed')
  expect(log).toEqual(['start 1', 'stop 1', 'start 2', 'stop 2'])
  expect(tuner.state().trials).toMatchObject([{ status: 'failed', problem: { code: 'sweep-running' } }, { status: 'failed' }])
})

test('only one runs at a time', async () => {
  const { tuner, ends } = setUp()
  await tuner.start(REQUEST)
  expect(await tuner.start(REQUEST)).toMatchObject({ ok: false, error: { code: 'tune-running' } })
  while (!ends.has('s1')) await aMoment()
  await tuner.cancel()
})

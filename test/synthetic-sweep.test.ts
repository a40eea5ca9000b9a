/** The synthetic sweep must be right before anything that is tested with it. */
import { expect, test } from 'vitest'
import { sweepStateOf } from '../src/core/sweep/fold-sweep.ts'
import { sweepEventSchema } from '../src/core/sweep/sweep-event.ts'
import { syntheticSweep, syntheticSweepWithTruth } from './synthetic-sweep.ts'

const one = { slots: 1, levels: [1, 4], prefillMs: 50, tokenMs: 10, outputTokens: 11, noiseRatio: 0, seed: 1 }

test('every event fits the schema of sweep events', () => {
  const events = syntheticSweep({ ...one, background: { calls: 2, tokens: 5 }, steps: { calls: 2, toolMs: 30 }, legs: ['runner', 'direct', 'null'] })
  for (const event of events) expect(sweepEventSchema.safeParse(event).success).toBe(true)
  expect(sweepStateOf(events)?.status).toBe('completed')
})

test('one slot makes a staircase of one service time a step', () => {
  const { truth } = syntheticSweepWithTruth({ ...one, waves: 1, closing: false })
  const waits = truth.filter((call) => call.cell === 2).map((call) => Math.round(call.queueMs))
  expect(waits).toEqual([0, 150, 300, 450])
})

test('a swap waits for all calls of the loaded variant, and for the load', () => {
  const { truth } = syntheticSweepWithTruth({ ...one, waves: 1, closing: false, loadSwapEvery: 2, loadMs: 300 })
  const calls = truth.filter((call) => call.cell === 2).sort((a, b) => a.session - b.session)
  expect(calls.map((call) => Math.round(call.swapMs))).toEqual([0, 600, 0, 600])
})

test('the same seed gives the same sweep', () => {
  expect(JSON.stringify(syntheticSweep(one))).toBe(JSON.stringify(syntheticSweep(one)))
  expect(JSON.stringify(syntheticSweep({ ...one, seed: 2 }))).not.toBe(JSON.stringify(syntheticSweep(one)))
})

test('a blocked loop delays all that comes through the runner', () => {
  const state = sweepStateOf(syntheticSweep({ ...one, faults: { runnerBlockMs: 2000 } }))
  const last = state?.rows.filter((row) => row.cell === 2 && row.wave === 0).at(-1)
  expect((last?.timeline?.firstModelRequestAtMs ?? 0) - (last?.plannedAtMs ?? 0)).toBeGreaterThan(7900)
})

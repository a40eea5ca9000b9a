import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweepWithTruth } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { sweepFacts } from '../levels/level-facts.ts'

const settings: SyntheticSettings = { slots: 1, levels: [1, 16], prefillMs: 50, tokenMs: 10, outputTokens: 24, seed: 11 }

/** Largest difference between our queue wait and the simulator's log, beyond max(20 ms, 5 %), over all calls. */
function worstMiss(changes: Partial<SyntheticSettings>): { calls: number; missMs: number } {
  const { events, truth } = syntheticSweepWithTruth({ ...settings, ...changes })
  const state = sweepStateOf(events)
  const log = new Map(truth.map((call) => [`${call.cell}/${call.wave}/${call.session}/${call.call}`, call.queueMs]))
  let [calls, missMs] = [0, 0]
  for (const level of state === undefined ? [] : sweepFacts(state).levels) {
    for (const turn of level.turns) {
      for (const [index, call] of turn.calls.entries()) {
        const queueMs = log.get(`${turn.row.cell}/${turn.row.wave}/${turn.row.session}/${index}`)
        if (queueMs === undefined) continue
        calls += 1
        missMs = Math.max(missMs, Math.abs(call.queueMs - queueMs) - Math.max(20, 0.05 * queueMs))
      }
    }
  }
  return { calls, missMs }
}

test.each<[string, Partial<SyntheticSettings>]>([
  ['N = 16 on 1 slot', {}],
  ['N = 16 on 1 slot, a server that tells no durations', { serverTimes: false }],
  ['N = 16 on 4 slots', { slots: 4, levels: [1, 4, 16] }],
  ['N = 16 on 3 slots with uneven answers', { slots: 3, levels: [1, 3, 16], noiseRatio: 0.3 }],
  ['background calls that stand in the same queue', { slots: 2, levels: [1, 2, 8], background: { calls: 2, tokens: 8 } }],
  ['several calls and tools in a turn', { slots: 2, levels: [1, 2, 8], steps: { calls: 3, toolMs: 40 } }],
  ['neighbours that slow each other down', { slots: 4, levels: [1, 4, 16], tokenMs: (active) => 4 * active, prefillMs: (active) => 20 * active }],
  ['sessions cut in the queue', { levels: [1, 8], faults: { cutEvery: 4, cutAfterMs: 100 } }],
])('queue wait agrees with the log of the server within max(20 ms, 5 %%) for every request: %s', (_, changes) => {
  const { calls, missMs } = worstMiss(changes)
  expect(calls).toBeGreaterThan(8)
  expect(missMs).toBeLessThanOrEqual(0)
})

test('below the slots nothing is called queue, and neighbours that share the prefill are not either', () => {
  const { events } = syntheticSweepWithTruth({ ...settings, slots: 8, levels: [1, 2, 4, 8], prefillMs: (active) => 50 * active })
  const state = sweepStateOf(events)
  const queued = state === undefined ? [] : sweepFacts(state).levels.flatMap((level) => level.turns.filter((turn) => turn.queueMs > 0))
  expect(queued).toEqual([])
})

test('an answer that we saw long after the server was done is laid on our side', () => {
  const { events } = syntheticSweepWithTruth({ ...settings, slots: 4, levels: [1, 4], faults: { runnerBlockMs: 500 } })
  const state = sweepStateOf(events)
  const level = state === undefined ? undefined : sweepFacts(state).levels.find(({ level: { n } }) => n === 4)
  const outsideMs = level?.turns.map((turn) => turn.calls[0]?.outsideMs ?? 0) ?? []
  expect(Math.max(...outsideMs)).toBeGreaterThan(100)
  expect(level?.turns.every((turn) => turn.queueMs < 20)).toBe(true)
})

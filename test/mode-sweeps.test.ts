/** The question against the clock, in memory: slots of which nothing is known come out exact, the ceiling's interval holds them, within the time of a quick sweep. */
import { expect, test } from 'vitest'
import { analyse } from '../src/core/analysis/analyse.ts'
import { sweepIdSchema } from '../src/core/result/ids.ts'
import { estimateSweep } from '../src/core/sweep/estimate.ts'
import { type Mode, type SweepRequestInput, sweepRequestSchema } from '../src/core/sweep/plan.ts'
import { planSweep } from '../src/core/sweep/plan-sweep.ts'
import { type PlayedServer, playModeSweep } from './mode-sweeps.ts'

/** From the command to the verdict 60 s are allowed; start, reading the server and the analysis take some of them. */
const QUICK_MS = 55_000

const server = (slots: number, change: Partial<PlayedServer> = {}): PlayedServer => ({ slots, prefillMs: () => 50, tokenMs: () => 10, ...change })

function play(mode: Mode, of: PlayedServer, seed = 1, input: Partial<SweepRequestInput> = {}) {
  const request = sweepRequestSchema.parse({ target: { kind: 'server', url: 'http://fake', model: 'm' }, mode, ...input })
  const state = playModeSweep(planSweep(request, { sweepId: sweepIdSchema.parse(`m${seed}`) }), of, seed)
  return { state, analysis: analyse(state), request }
}

test.each([1, 2, 3, 4, 5, 7, 8, 12, 16])(
  'quick, %i slots: exact, the queue is named, and the ceiling lies in an interval of a factor of 2',
  (slots) => {
    for (const seed of [1, 2, 3]) {
      const { state, analysis } = play('quick', server(slots), seed)
      expect(analysis.effectiveSlots).toMatchObject({ n: slots, plateau: true })
      expect(analysis.verdict).toMatchObject({ primary: 'model_server_queue', effectiveSlots: slots })
      const { low, high } = analysis.ceilings.throughput
      expect(low).toBeLessThanOrEqual(slots)
      expect(high).toBeGreaterThanOrEqual(slots)
      expect(high).toBeLessThanOrEqual(2 * (low ?? 0))
      expect(state.lastAtMs).toBeLessThan(QUICK_MS)
    }
  },
)

test('quick, 1,000 slots: nothing is reached, and that is said', () => {
  const { state, analysis } = play('quick', server(1_000))
  expect(analysis.verdict.primary).toBe('none_reached')
  expect(analysis.ceilings.throughput.status).toBe('not-reached')
  expect(state.lastAtMs).toBeLessThan(QUICK_MS)
})

test('quick, an engine that slows in proportion: no queue is named', () => {
  const { state, analysis } = play('quick', server(16, { prefillMs: () => 20, tokenMs: (active) => 10 * active }))
  expect(analysis.verdict.primary).toBe('model_server_engine')
  expect(state.lastAtMs).toBeLessThan(QUICK_MS)
})

test('quick, prompts that are read ever slower side by side: no queue is named', () => {
  const { state, analysis } = play('quick', server(64, { prefillMs: (prefilling) => 250 * prefilling, tokenMs: () => 4 }))
  expect(analysis.verdict.primary).not.toBe('model_server_queue')
  expect(state.lastAtMs).toBeLessThan(QUICK_MS)
})

test.each(['quick', 'standard', 'thorough'] as const)(
  '%s: the estimate is within 20 percent of the time it takes, on servers whose pace is known',
  (mode) => {
    for (const slots of [1, 4, 16]) {
      const target = { kind: 'built-in', engine: 'simulated', model: 'm', slots, settings: { prefillMs: 50, decodeMs: 10 } } as const
      const { state, request } = play(mode, server(slots), 1, { target })
      const { seconds } = estimateSweep(request)
      expect(seconds / (state.lastAtMs / 1_000)).toBeGreaterThan(0.8)
      expect(seconds / (state.lastAtMs / 1_000)).toBeLessThan(1.2)
    }
  },
)

import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { type SweepState, sweepStateOf } from '../sweep/fold-sweep.ts'
import { compareSweeps } from './compare-sweeps.ts'
import { comparisonSchema } from './comparison.ts'

const SETTINGS = { slots: 2, levels: [1, 2, 4], waves: 8, prefillMs: 40, tokenMs: 5, outputTokens: 10, noiseRatio: 0.05, seed: 1 }

function sweep(change: Partial<SyntheticSettings> = {}): SweepState {
  const state = sweepStateOf(syntheticSweep({ ...SETTINGS, ...change }))
  if (state === undefined) throw new Error('The synthetic sweep has no beginning.')
  return state
}

test('the same server measured twice is no regression, and what is said fits the schema', () => {
  const alarms = Array.from({ length: 20 }, (_, i) => compareSweeps(sweep({ seed: 2 * i + 1 }), sweep({ seed: 2 * i + 2 }))).filter(
    (one) => one.regression,
  )
  expect(alarms).toHaveLength(0)
  const comparison = compareSweeps(sweep({ seed: 1 }), sweep({ seed: 2 }))
  expect(comparisonSchema.parse(comparison)).toEqual(comparison)
  expect(comparison.figures.find((one) => one.n === 4 && one.metric === 'wall-mean')?.outcome).toBe('equivalent')
})

test('a quarter slower is a regression, and the other way round it is better', () => {
  const [slow, quick] = [sweep({ seed: 2, tokenMs: 6.25, prefillMs: 50 }), sweep({ seed: 1 })]
  const worse = compareSweeps(quick, slow)
  expect(worse.regression).toBe(true)
  expect(worse.sentence).toMatch(/^Worse by more than 10 % in \d+ figures of \d+/)
  const better = compareSweeps(slow, quick)
  expect(better.regression).toBe(false)
  expect(better.figures.some((one) => one.outcome === 'better')).toBe(true)
})

test('another load is not compared, and what differs is said', () => {
  const comparison = compareSweeps(sweep(), sweep({ outputTokens: 40 }))
  expect(comparison.shapeDiffers.map((one) => one.what)).toEqual(['answer tokens'])
  expect(comparison.figures).toEqual([])
  expect(comparison.regression).toBe(false)
  expect(comparison.sentence).toContain('different loads')
})

test('levels that only one has are named; the others are compared', () => {
  const comparison = compareSweeps(sweep(), sweep({ levels: [1, 2, 8] }))
  expect(comparison.unmatched).toContain('N = 4 of the runner leg was measured only before.')
  expect(comparison.figures.map((one) => one.n)).toContain(2)
  expect(comparison.figures.map((one) => one.n)).not.toContain(8)
})

test('compared twice, the answer is the same to the byte', () => {
  const [a, b] = [sweep({ seed: 3 }), sweep({ seed: 4 })]
  expect(JSON.stringify(compareSweeps(a, b))).toBe(JSON.stringify(compareSweeps(a, b)))
})

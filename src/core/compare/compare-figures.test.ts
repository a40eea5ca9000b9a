import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { type SweepState, sweepStateOf } from '../sweep/fold-sweep.ts'
import { compareSweeps } from './compare-sweeps.ts'
import { type Comparison, comparisonSchema } from './comparison.ts'

const BASE: SyntheticSettings = {
  slots: 2,
  levels: [1, 2, 4, 8],
  repeats: 3,
  waves: 8,
  prefillMs: 60,
  tokenMs: 8,
  outputTokens: 30,
  noiseRatio: 0.05,
  slo: { maxErrorRatio: 0.01 },
  seed: 1,
}

function sweep(settings: Partial<SyntheticSettings> = {}): SweepState {
  const state = sweepStateOf(syntheticSweep({ ...BASE, ...settings }))
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  return state
}

const figuresOf = ({ figures }: Comparison, metric: string) => figures.filter((figure) => figure.metric === metric)

test('short and noisy runs of the same thing are no regression: few waves widen the interval', () => {
  for (let seed = 1; seed < 30; seed += 2) {
    const short = { repeats: 1, waves: 2, noiseRatio: 0.25 }
    const { sentence, regression } = compareSweeps(sweep({ ...short, seed }), sweep({ ...short, seed: seed + 1 }))
    expect({ sentence, regression }).toEqual({ sentence, regression: false })
  }
})

test('a long run of the same thing is found equivalent in nearly everything, not merely not worse', () => {
  const { figures } = compareSweeps(sweep(), sweep({ seed: 2 }))
  const equivalent = figures.filter(({ outcome }) => outcome === 'equivalent')
  expect(equivalent.length / figures.length).toBeGreaterThan(0.7)
})

test('25 % slower is a regression of every time and rate, and its size is told', () => {
  for (let seed = 2; seed < 6; seed += 1) {
    const comparison = compareSweeps(sweep(), sweep({ seed, prefillMs: 75, tokenMs: 10 }))
    const walls = figuresOf(comparison, 'wall-p50')
    expect(walls.map(({ outcome }) => outcome)).toEqual(['worse', 'worse', 'worse', 'worse'])
    for (const { change } of walls) expect(change.value).toBeCloseTo(1.25, 1)
    for (const { change, outcome } of figuresOf(comparison, 'tokens-per-sec')) expect([outcome, Math.round(10 * change.value)]).toEqual(['worse', 8])
  }
})

test('a wider margin takes a change for none', () => {
  expect(compareSweeps(sweep(), sweep({ seed: 2, prefillMs: 75, tokenMs: 10 }), 0.4).regression).toBe(false)
})

test('M8: a percentile of too few samples is not compared, and it says of how many', () => {
  const comparison = compareSweeps(sweep({ repeats: 1, waves: 4 }), sweep({ repeats: 1, waves: 4, seed: 2 }))
  const first = comparison.untold.find(({ metric, n }) => metric === 'ttfa-p95' && n === 2)
  expect(first?.because).toBe('n too small (8 of 59 before)')
  expect(figuresOf(comparison, 'ttfa-p95')).toEqual([])
})

test('one wave can’t be told from another', () => {
  const once = { repeats: 1, waves: 1, levels: [8], closing: false }
  const comparison = compareSweeps(sweep(once), sweep({ ...once, seed: 2, prefillMs: 120, tokenMs: 16 }))
  expect(figuresOf(comparison, 'wall-p50').map(({ outcome }) => outcome)).toEqual(['cannot-tell'])
})

test('fewer slots are a regression by themselves', () => {
  const comparison = compareSweeps(sweep(), sweep({ seed: 2, slots: 1 }))
  expect(comparison.slots).toEqual({ before: 2, after: 1, outcome: 'worse' })
  expect(comparison.differences).toContainEqual({ what: 'slots declared', before: '2', after: '1' })
})

test('sessions that fail now are a regression, though the others are as quick as before', () => {
  const comparison = compareSweeps(sweep(), sweep({ seed: 2, faults: { failEvery: 8 } }))
  expect(figuresOf(comparison, 'failures')).toMatchObject([{ before: 0, outcome: 'worse' }])
  expect(comparison.regression).toBe(true)
})

test('where all sessions fail, times are untold and the failures speak', () => {
  const comparison = compareSweeps(sweep(), sweep({ seed: 2, faults: { failEvery: 1 } }))
  expect(figuresOf(comparison, 'wall-p50')).toEqual([])
  expect(comparison.untold.map(({ because }) => because)).toContain('it lies among the failed sessions after')
  expect(comparison.regression).toBe(true)
  expect(comparisonSchema.parse(JSON.parse(JSON.stringify(comparison)))).toEqual(comparison)
})

test('the SLO ceiling is worse where a level that held surely breaks; other limits leave it untold', () => {
  const before = sweep({ slo: { ttfaMs: 400 }, waves: 20 })
  const slow = { waves: 20, seed: 2, slots: 1, prefillMs: 120, tokenMs: 16 }
  const sloOf = (ttfaMs: number) => compareSweeps(before, sweep({ ...slow, slo: { ttfaMs } })).ceilings.find(({ kind }) => kind === 'slo')?.outcome
  expect(sloOf(400)).toBe('worse')
  expect(sloOf(500)).toBe('cannot-tell')
})

test('another kind of load, other rates and other prompts can’t be compared', () => {
  const burst = sweep()
  const with_ = (request: object, workload: object = {}) =>
    ({
      ...burst,
      plan: { ...burst.plan, request: { ...burst.plan.request, ...request }, workload: { ...burst.plan.workload, ...workload } },
    }) as SweepState
  const open = (rate: number) => with_({ load: { kind: 'open', spanMs: 1000, ratesPerSec: [rate] } })
  const differing = (a: SweepState, b: SweepState) => compareSweeps(a, b).shapeDiffers.map(({ what }) => what)
  expect(differing(burst, with_({ load: { kind: 'sustained', spanMs: 1000 } }))).toEqual(['load'])
  expect(differing(open(1), open(2))).toEqual(['load'])
  expect(differing(with_({}, { prompts: ['one'] }), with_({}, { prompts: ['two'] }))).toEqual(['own prompts'])
  expect(compareSweeps(open(1), open(2)).comparable).toBe(false)
})

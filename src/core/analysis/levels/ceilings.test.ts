import fc from 'fast-check'
import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { analyse } from '../analyse.ts'
import type { LevelSummary } from '../analysis.ts'
import { errorCeiling, sloCeiling } from './ceilings.ts'

const slo = { ttfaMs: 500, targetRatio: 0.95, maxErrorRatio: 0.05 }

/** A real summary, with other counts. */
const [sample] = analyse(
  sweepStateOf(syntheticSweep({ slots: 1, levels: [1], prefillMs: 5, tokenMs: 1, outputTokens: 2, seed: 1 })) ?? raise(),
).levels
function raise(): never {
  throw new Error('a started sweep has a state')
}
function level(n: number, held: number, sessions: number, failures = 0): LevelSummary {
  if (sample === undefined) raise()
  return { ...sample, n, sessions, failures, held: { count: held, ratio: held / sessions, lowerBound: null } }
}

test('the SLO ceiling is the largest level that surely holds, up to the first that surely does not', () => {
  const found = sloCeiling([level(1, 60, 60), level(2, 120, 120), level(4, 240, 240), level(8, 240, 480)], slo)
  expect(found).toMatchObject({ status: 'found', n: 4, low: 4, high: 8 })
  expect(found.because).toBe('At 4, 240 of 240 saw the first activity within 500 ms; at 8, 240 of 480.')
})

test('levels that hold lend their sessions to the ones below: attainment can only fall with N', () => {
  expect(sloCeiling([level(1, 6, 6), level(2, 12, 12), level(4, 80, 80)], slo)).toMatchObject({ status: 'not-reached', n: 4 })
})

test('a first level that misses is "none holds", too few sessions are "unknown" with the number that is needed', () => {
  expect(sloCeiling([level(1, 2, 30), level(2, 0, 60)], slo)).toMatchObject({ status: 'none-holds', n: null, high: 1 })
  const open = sloCeiling([level(1, 6, 6), level(4, 3, 24)], slo)
  expect(open).toMatchObject({ status: 'unknown', n: null, high: 4 })
  expect(open.because).toBe(
    'At 1, 6 of 6 saw the first activity within 500 ms; at 4, 3 of 24. To promise 95 %, 53 more sessions at 1 are needed, all of them good.',
  )
  expect(sloCeiling([], slo)).toMatchObject({ status: 'unknown', n: null })
})

test('the error ceiling counts failures only', () => {
  expect(errorCeiling([level(1, 0, 70), level(4, 0, 80), level(8, 0, 100, 40)], slo)).toMatchObject({ status: 'found', n: 4, high: 8 })
})

test('ceilings stay ordered whatever the counts: low is below high, and n is low', () => {
  const counts = fc.array(fc.tuple(fc.integer({ min: 0, max: 90 }), fc.integer({ min: 1, max: 90 })), { minLength: 1, maxLength: 6 })
  fc.assert(
    fc.property(counts, (pairs) => {
      const ceiling = sloCeiling(
        pairs.map(([held, all], index) => level(2 ** index, Math.min(held, all), all)),
        slo,
      )
      if (ceiling.low !== null && ceiling.high !== null) expect(ceiling.low).toBeLessThan(ceiling.high)
      if (ceiling.status === 'found' || ceiling.status === 'not-reached') expect(ceiling.n).toBe(ceiling.low)
      else expect(ceiling.n).toBeNull()
    }),
    { numRuns: 100 },
  )
})

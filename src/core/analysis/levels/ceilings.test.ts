import fc from 'fast-check'
import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { analyse } from '../analyse.ts'
import type { LevelSummary } from '../analysis.ts'
import { upperBound } from '../statistics/binomial-bounds.ts'
import { errorCeiling, sloCeiling } from './ceilings.ts'
import { settleShare } from './settle-share.ts'

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

test('with levels halved around it, the interval of the SLO ceiling holds the true one, and is no wider than a factor of 2 once sessions are many', () => {
  const levels = [1, 2, 4, 6, 8, 10, 11, 12, 13, 14, 16, 32]
  const [seeds, perLevel, ceiling] = [100, 120, 12]
  let [holds, narrow] = [0, 0]
  for (let seed = 0; seed < seeds; seed += 1) {
    const { next } = createSeededRandom(`slo/${seed}`)
    // 99 % hold up to 10, then ever fewer: 95 % are held by 12 and by no more than that.
    const share = (n: number) => (n <= 10 ? 0.99 : Math.max(0, 0.99 - 0.02 * (n - 10) ** 1.001 - (n > ceiling ? 0.1 * (n - ceiling) : 0)))
    const { low, high } = sloCeiling(
      levels.map((n) => level(n, Array.from({ length: perLevel }, () => next() < share(n)).filter(Boolean).length, perLevel)),
      slo,
    )
    if ((low ?? 0) <= ceiling && ceiling < (high ?? Number.POSITIVE_INFINITY)) holds += 1
    if (low !== null && high !== null && high <= 2 * low) narrow += 1
  }
  expect(holds).toBeGreaterThanOrEqual(0.95 * seeds)
  expect(narrow).toBeGreaterThanOrEqual(0.95 * seeds)
})

test('so many more sessions as it says would settle it, and one fewer would not', () => {
  const { int } = createSeededRandom('settle')
  let settled = 0
  for (let round = 0; round < 100; round += 1) {
    const all = 5 + int(30)
    const levels = [{ n: 4, good: all, all }]
    const settling = settleShare(levels, 0.95, 0, Number.POSITIVE_INFINITY)
    if (settling === null) continue
    settled += 1
    expect(all + settling.sessions).toBe(59)
    expect(settling).toMatchObject({ n: 4, outcome: 'holds', ratio: 1 })
  }
  expect(settled).toBeGreaterThan(50)
  const missing = settleShare(
    [
      { n: 1, good: 30, all: 30 },
      { n: 8, good: 17, all: 20 },
    ],
    0.95,
    0,
    Number.POSITIVE_INFINITY,
  )
  expect(missing).toMatchObject({ n: 1, sessions: 29, outcome: 'holds' })
  const below = settleShare([{ n: 8, good: 17, all: 20 }], 0.95, 0, Number.POSITIVE_INFINITY)
  expect(below).toMatchObject({ n: 8, outcome: 'misses' })
  const then = { good: 17 + Math.round(0.85 * (below?.sessions ?? 0)), all: 20 + (below?.sessions ?? 0) }
  expect(upperBound(then.good, then.all)).toBeLessThan(0.95)
  expect(settleShare([{ n: 8, good: 9_500, all: 10_000 }], 0.95, 0, Number.POSITIVE_INFINITY)).toBeNull()
})

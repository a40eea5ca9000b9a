import { describe, expect, test } from 'vitest'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { noParts } from '../calls/decompose-turn.ts'
import { normal } from '../curves/fit-curves.ts'
import { levelCurves, type RatedLevel } from '../curves/level-curves.ts'
import { throughputCeiling } from './throughput-ceiling.ts'

const level = (n: number, rates: readonly number[]): RatedLevel => ({
  n,
  waves: rates.map((rate) => ({ turns: n, parts: noParts(), wallMs: 0, busyMs: 1000, fullTokens: rate, fullMs: 1000 })),
})
const steady = (n: number, rate: number) => level(n, [rate, 1.02 * rate, 0.98 * rate])
const ceilingOf = (levels: readonly RatedLevel[], seed = 7) => throughputCeiling(levelCurves(levels, seed))

test('the ceiling is the smallest level with 90 % of the best total; the bend of the curve says how far below it the true one may lie', () => {
  const found = ceilingOf([steady(1, 100), steady(2, 200), steady(4, 300), steady(8, 302)])
  expect(found).toMatchObject({ status: 'found', n: 4, low: 3, high: 4 })
  expect(found.because).toContain('The curve bends at 3.0.')
})

test('when only the largest level has it, the ceiling is not reached; one level alone says nothing', () => {
  expect(ceilingOf([steady(1, 100), steady(2, 200), steady(4, 390)])).toMatchObject({ status: 'not-reached', n: 4, high: null })
  expect(ceilingOf([steady(1, 100), steady(2, 200), steady(4, 390), steady(8, 790)])).toMatchObject({ status: 'not-reached', n: 8, high: null })
  expect(ceilingOf([steady(4, 390)])).toMatchObject({ status: 'unknown', n: null })
})

test('where the total falls off a cliff, the ceiling is before it; where it rises beyond that again, it is not', () => {
  const cliff = [steady(1, 60), steady(2, 87), steady(4, 110), steady(8, 146), steady(16, 64)]
  expect(ceilingOf([...cliff, steady(32, 117)])).toMatchObject({ status: 'found', n: 8, low: 5, high: 8 })
  expect(ceilingOf([...cliff, steady(32, 170), steady(64, 290)])).toMatchObject({ status: 'not-reached', n: 64 })
})

/** The doubling ladder to at least twice the slots, then halved around them as a sweep does. */
function levelsAround(slots: number): number[] {
  const ladder = [1, 2, 4, 8]
  while ((ladder.at(-1) ?? 0) < 2 * slots) ladder.push(2 * (ladder.at(-1) ?? 1))
  let above = ladder.find((n) => n >= slots) ?? 1
  let below = ladder.filter((n) => n < above).at(-1) ?? 1
  const between: number[] = []
  while (above - below > 1) {
    const middle = Math.round((above + below) / 2)
    between.push(middle)
    if (middle >= slots) above = middle
    else below = middle
  }
  return [...new Set([...ladder, ...between])].sort((a, b) => a - b)
}

describe.each([
  ['each level is off by 5 %, all its waves alike', 0.05, 0, 100],
  ['each wave is off by 5 %', 0, 0.05, 25],
])('with noise: %s', (_, ofLevel, ofWave, seeds) => {
  test.each([1, 2, 3, 4, 7, 8, 12, 16])('the interval holds %i slots in 95 % of the seeds and is no wider than a factor of 2', (slots) => {
    let [holds, narrow] = [0, 0]
    for (let seed = 0; seed < seeds; seed += 1) {
      const { next } = createSeededRandom(`noise/${slots}/${seed}`)
      const noisy = (rate: number, ratio: number) => rate * Math.exp(ratio * normal(next))
      const levels = levelsAround(slots).map((n) => {
        const rate = noisy(100 * Math.min(n, slots), ofLevel)
        return level(
          n,
          Array.from({ length: 6 }, () => noisy(rate, ofWave)),
        )
      })
      const { low, high } = ceilingOf(levels, seed)
      if (low !== null && high !== null && low <= slots && slots <= high) holds += 1
      if (low !== null && high !== null && high <= 2 * low) narrow += 1
    }
    expect(holds).toBeGreaterThanOrEqual(0.95 * seeds)
    expect(narrow).toBeGreaterThanOrEqual(0.9 * seeds)
  })
})

test('repeats that agree narrow the interval of a curve that bends slowly; without them the usual scatter stands', () => {
  const rateAt = (n: number) => (1000 * n) / (30 + 128 * n)
  const levels = (scatter: number, repeated: boolean) => {
    const { next } = createSeededRandom('repeats')
    return [1, 2, 4, 8].map((n): RatedLevel => {
      const rates = [1, 2, 3].map(() => rateAt(n) * Math.exp(scatter * normal(next)))
      return { ...level(n, rates), ...(repeated ? { cells: [1, 2, 3].map((repeat) => 10 * n + repeat) } : {}) }
    })
  }
  const width = ({ low, high }: ReturnType<typeof ceilingOf>) => (high ?? 99) / (low ?? 1)
  expect(width(ceilingOf(levels(0.01, true)))).toBeLessThan(width(ceilingOf(levels(0.01, false))))
  expect(width(ceilingOf(levels(0.05, true)))).toBeGreaterThan(2)
})

test('the interval holds the slots when the repeats of a level scatter by 3 %', () => {
  let holds = 0
  for (let seed = 0; seed < 40; seed += 1) {
    const { next } = createSeededRandom(`repeated/${seed}`)
    const levels = [1, 2, 4, 8, 16].map((n): RatedLevel => {
      const rates = [1, 2, 3].map(() => 100 * Math.min(n, 4) * Math.exp(0.03 * normal(next)))
      return { ...level(n, rates), cells: [1, 2, 3].map((repeat) => 10 * n + repeat) }
    })
    const { low, high } = ceilingOf(levels, seed)
    if ((low ?? 99) <= 4 && 4 <= (high ?? 0)) holds += 1
  }
  expect(holds).toBeGreaterThanOrEqual(38)
})

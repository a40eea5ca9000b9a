import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { median, percentilesOf, quantile } from './percentiles.ts'

const samples = (count: number) => Array.from({ length: count }, (_, index) => index + 1)

test('M8: a percentile is null until there are enough samples for it: p50 6, p95 59, p99 299', () => {
  expect(percentilesOf(samples(5)).p50).toBeNull()
  expect(percentilesOf(samples(6)).p50).toBe(3.5)
  expect(percentilesOf(samples(58)).p95).toBeNull()
  expect(percentilesOf(samples(59)).p95).toBeCloseTo(56.1)
  expect(percentilesOf(samples(298)).p99).toBeNull()
  expect(percentilesOf(samples(299)).p99).not.toBeNull()
})

test('rough order statistics are there from the first sample on, and nothing at all from none', () => {
  expect(percentilesOf([4])).toEqual({ count: 1, p50: null, p95: null, p99: null, min: 4, max: 4, roughP50: 4, roughP95: 4 })
  expect(percentilesOf([])).toEqual({ count: 0, p50: null, p95: null, p99: null, min: null, max: null, roughP50: null, roughP95: null })
  expect(median([])).toBeNull()
})

test('a quantile lies between the two order statistics that enclose its rank, whatever the order of the samples', () => {
  fc.assert(
    fc.property(
      fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 1, maxLength: 80 }),
      fc.double({ min: 0, max: 1, noNaN: true }),
      (values, ratio) => {
        const sorted = values.toSorted((a, b) => a - b)
        const rank = ratio * (sorted.length - 1)
        const [low, high] = [sorted[Math.floor(rank)] ?? 0, sorted[Math.ceil(rank)] ?? 0]
        const found = quantile(sorted, ratio)
        expect(found).toBeGreaterThanOrEqual(low - 1e-6)
        expect(found).toBeLessThanOrEqual(high + 1e-6)
        expect(percentilesOf(values).roughP50).toBe(percentilesOf(sorted).roughP50)
      },
    ),
    { numRuns: 200 },
  )
})

test('percentiles are those of a naive walk along the line through the order statistics', () => {
  const { next, int } = createSeededRandom('percentiles')
  for (let round = 0; round < 200; round += 1) {
    const values = Array.from({ length: 299 + int(200) }, () => (next() < 0.2 ? 100 : 1000 * next() ** 3))
    const sorted = values.toSorted((a, b) => a - b)
    const naive = (ratio: number) => {
      const below = sorted.findLastIndex((_, index) => index / (sorted.length - 1) <= ratio + 1e-15)
      const rest = ratio * (sorted.length - 1) - below
      return (1 - rest) * (sorted[below] ?? Number.NaN) + (rest > 1e-9 ? rest * (sorted[below + 1] ?? Number.NaN) : 0)
    }
    const { p50, p95, p99, min, max } = percentilesOf(values)
    for (const [found, ratio] of [
      [p50, 0.5],
      [p95, 0.95],
      [p99, 0.99],
      [min, 0],
      [max, 1],
    ] as const)
      expect(found).toBeCloseTo(naive(ratio), 6)
  }
})

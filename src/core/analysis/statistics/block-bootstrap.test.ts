import { expect, test } from 'vitest'
import { drawSums, intervalOf, sumsOf } from './block-bootstrap.ts'

const meanOf = ([sums]: readonly Float64Array[]) => (sums?.[1] ?? 0) / (sums?.[0] ?? 1)
const blocks = Array.from({ length: 30 }, (_, index) => [2, 2 * (100 + index)])

test('M8: the same seed draws the same, another seed draws differently', () => {
  expect(drawSums([blocks], 7, meanOf)).toEqual(drawSums([blocks], 7, meanOf))
  expect(drawSums([blocks], 7, meanOf)).not.toEqual(drawSums([blocks], 8, meanOf))
})

test('the interval of a mean is about two standard errors wide on each side', () => {
  const { value, low, high } = intervalOf(meanOf([sumsOf(blocks)]), drawSums([blocks], 7, meanOf))
  expect(value).toBeCloseTo(114.5)
  const standardError = 8.655 / Math.sqrt(30)
  expect(high - low).toBeGreaterThan(3 * standardError)
  expect(high - low).toBeLessThan(5 * standardError)
})

test('thousands of blocks are joined, and neither the mean nor the width of the interval goes astray', () => {
  const many = Array.from({ length: 3_000 }, (_, index) => [1, 100 + ((index * 7919) % 30)])
  const { low, high } = intervalOf(meanOf([sumsOf(many)]), drawSums([many], 7, meanOf))
  expect(low).toBeGreaterThan(113.5)
  expect(high).toBeLessThan(115.5)
})

test('a group without blocks, and no draws at all, give nothing rather than NaN', () => {
  expect(drawSums([[]], 1, ([sums]) => sums?.length)[0]).toBe(0)
  expect(intervalOf(3, [])).toEqual({ value: 3, low: 3, high: 3 })
})

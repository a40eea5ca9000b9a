import fc from 'fast-check'
import { expect, test } from 'vitest'
import { lowerBound, upperBound } from './binomial-bounds.ts'

/** P(X >= successes) of a binomial, summed term by term. */
function tail(successes: number, trials: number, p: number): number {
  let sum = 0
  for (let k = successes; k <= trials; k += 1) {
    let term = 1
    for (let i = 0; i < k; i += 1) term *= (((trials - i) / (i + 1)) * p) / 1
    sum += term * (1 - p) ** (trials - k)
  }
  return sum
}

test('59 good sessions of 59 promise 95 %, 58 of 58 do not', () => {
  expect(lowerBound(59, 59)).toBeGreaterThanOrEqual(0.95)
  expect(lowerBound(58, 58)).toBeLessThan(0.95)
})

test('no error in n sessions leaves an upper bound of about 3/n', () => {
  expect(upperBound(0, 300)).toBeCloseTo(3 / 300, 3)
  expect(upperBound(0, 0)).toBeNull()
  expect(lowerBound(0, 10)).toBe(0)
  expect(upperBound(10, 10)).toBe(1)
})

test('the lower bound is the share at which so many successes have a chance of 5 %', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), (a, b) => {
      const [successes, trials] = [Math.min(a, b), Math.max(a, b)]
      expect(tail(successes, trials, lowerBound(successes, trials) ?? 0)).toBeCloseTo(0.05, 6)
    }),
    { numRuns: 100 },
  )
})

test('large counts stay exact: the bound of 99,000 of 100,000 lies just under 0.99', () => {
  expect(lowerBound(99_000, 100_000)).toBeCloseTo(0.98947, 4)
})

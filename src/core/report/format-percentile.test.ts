import { expect, test } from 'vitest'
import type { Percentiles } from '../analysis/analysis.ts'
import { percentileText } from './format-percentile.ts'

const of = (values: Partial<Percentiles>): Percentiles => ({
  count: 100,
  p50: null,
  p95: null,
  p99: null,
  min: 1,
  max: 9,
  roughP50: 5,
  roughP95: 8,
  ...values,
})

test('M8: too few samples say how many of how many, never a value', () => {
  expect(percentileText(of({ count: 48 }), 'p95')).toBe('n too small (48 of 59)')
  expect(percentileText(of({ count: 5 }), 'p50')).toBe('n too small (5 of 6)')
  expect(percentileText(of({ count: 298 }), 'p99')).toBe('n too small (298 of 299)')
})

test('a value is shown as a span', () => {
  expect(percentileText(of({ p95: 1_605 }), 'p95')).toBe('1.60 s')
})

test('M7: a percentile that lies among failed sessions says so', () => {
  expect(percentileText(of({ count: 60, p95: Number.POSITIVE_INFINITY }), 'p95')).toBe('failed')
  expect(percentileText(of({ count: 60 }), 'p95')).toBe('failed')
})

test('without a sample there is a dash', () => {
  expect(percentileText(of({ count: 0 }), 'p50')).toBe('–')
})

import { expect, test } from 'vitest'
import { formatBytes, formatCount, formatDuration, formatMs, formatPercent, formatRate, formatRatio, formatSettingMs } from './format-number.ts'

test('a span is in ms below one second, then in s with two decimals', () => {
  expect([0, 0.42, 3.84, 9.97, 145.4, 999.4, 999.6, 1_605, 59_990, 124_000].map(formatMs)).toEqual([
    '0 ms',
    '0.42 ms',
    '3.8 ms',
    '10 ms',
    '145 ms',
    '999 ms',
    '1.00 s',
    '1.60 s',
    '59.99 s',
    '124 s',
  ])
})

test('a chosen span carries no digits that say nothing', () => {
  expect([0.5, 500, 2_000, 1_500, 10_000, 120_000].map(formatSettingMs)).toEqual(['0.5 ms', '500 ms', '2 s', '1.5 s', '10 s', '120 s'])
})

test('durations read as people say them', () => {
  expect([400, 44_000, 120_000, 404_000, 3_600_000, 4_320_000].map(formatDuration)).toEqual([
    '0 s',
    '44 s',
    '2 min',
    '6 min 44 s',
    '1 h',
    '1 h 12 min',
  ])
})

test('counts are grouped, rates keep three digits, shares lose a decimal that is 0', () => {
  expect(formatCount(1_234_567)).toBe('1,234,567')
  expect([7.4234, 97.84, 1_240.4].map(formatRate)).toEqual(['7.42', '97.8', '1,240'])
  expect([0, 0.5, 0.9814, 1].map(formatRatio)).toEqual(['0 %', '50 %', '98.1 %', '100 %'])
  expect(formatPercent(57.04)).toBe('57 %')
})

test('sizes are in powers of 1000', () => {
  expect([512, 2_000, 1_040_000, 145_000_000, 15_600_000_000].map(formatBytes)).toEqual(['512 B', '2 kB', '1.0 MB', '145 MB', '15.6 GB'])
})

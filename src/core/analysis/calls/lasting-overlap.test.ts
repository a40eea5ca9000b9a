import fc from 'fast-check'
import { expect, test } from 'vitest'
import { overlapOf } from './lasting-overlap.ts'

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs })

test('an overlap of a few milliseconds at a hand-over is jitter, one that lasts counts', () => {
  expect(overlapOf([span(0, 100), span(98, 200), span(199, 300)]).lasting).toBe(1)
  expect(overlapOf([span(0, 100), span(50, 150)]).lasting).toBe(2)
})

test('an end and a start at the same moment do not overlap; spans without length and no spans count nothing', () => {
  expect(overlapOf([span(0, 100), span(100, 200)]).lasting).toBe(1)
  expect(overlapOf([span(5, 5)])).toEqual({ lasting: 0, lastingRatio: 0, busyMs: 0 })
  expect(overlapOf([])).toEqual({ lasting: 0, lastingRatio: 0, busyMs: 0 })
})

test('an overlap that comes once in a long time does not count', () => {
  const chain = Array.from({ length: 200 }, (_, index) => span(index * 100, index * 100 + 95))
  expect(overlapOf([...chain, span(520, 560)]).lasting).toBe(1)
})

test('on whole answers it finds what counting at each moment finds', () => {
  const spans = fc.array(
    fc
      .record({ from: fc.integer({ min: 0, max: 30 }), length: fc.integer({ min: 1, max: 4 }) })
      .map(({ from, length }) => span(from * 100, (from + length) * 100)),
    { minLength: 1, maxLength: 12 },
  )
  fc.assert(
    fc.property(spans, (all) => {
      const counts = Array.from({ length: 35 }, (_, step) => all.filter((one) => one.fromMs <= step * 100 + 50 && one.toMs > step * 100 + 50).length)
      expect(overlapOf(all).lasting).toBe(Math.max(...counts))
      expect(overlapOf(all).busyMs).toBe(counts.filter((open) => open > 0).length * 100)
    }),
    { numRuns: 200 },
  )
})

import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { overlapOf, type Span } from './lasting-overlap.ts'

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

/** Every stretch between two stamps, looked at on its own. */
function scanned(spans: readonly Span[]) {
  const real = spans.filter(({ fromMs, toMs }) => toMs > fromMs)
  const stamps = [...new Set(real.flatMap(({ fromMs, toMs }) => [fromMs, toMs]))].sort((a, b) => a - b)
  const stretches = stamps.slice(1).map((toMs, index) => {
    const fromMs = stamps[index] ?? toMs
    return { ms: toMs - fromMs, open: real.filter((one) => one.fromMs <= fromMs && one.toMs >= toMs).length }
  })
  const lengths = real.map(({ fromMs, toMs }) => toMs - fromMs).sort((a, b) => a - b)
  const middle = (lengths.length - 1) / 2
  const typicalMs = lengths.length === 0 ? 0 : ((lengths[Math.floor(middle)] ?? 0) + (lengths[Math.ceil(middle)] ?? 0)) / 2
  const total = (count: number) => stretches.reduce((sum, { ms, open }) => sum + (open >= count ? ms : 0), 0)
  const longest = (count: number) =>
    stretches.reduce(({ run, most }, { ms, open }) => ({ run: open >= count ? run + ms : 0, most: Math.max(most, open >= count ? run + ms : 0) }), {
      run: 0,
      most: 0,
    }).most
  const counts = real.map((_, index) => index + 1)
  const lasting = counts.findLast((count) => longest(count) >= Math.max(2, 0.1 * typicalMs) && total(count) >= 0.01 * total(1)) ?? 0
  return { lasting, busyMs: total(1), lastingRatio: lasting === 0 ? 0 : total(lasting) / total(1) }
}

test('on any spans it finds what a scan of every stretch finds', () => {
  const { next, int } = createSeededRandom('overlap')
  for (let round = 0; round < 300; round += 1) {
    const spans = Array.from({ length: int(30) }, () => {
      const fromMs = 1000 * next()
      return span(fromMs, fromMs + (next() < 0.1 ? 0 : 200 * next() ** 2))
    })
    const [found, naive] = [overlapOf(spans), scanned(spans)]
    expect(found.lasting).toBe(naive.lasting)
    expect(found.busyMs).toBeCloseTo(naive.busyMs, 6)
    expect(found.lastingRatio).toBeCloseTo(naive.lastingRatio, 9)
  }
})

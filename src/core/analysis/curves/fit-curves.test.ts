import { expect, test } from 'vitest'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { fitCurves, normal } from './fit-curves.ts'
import { fitHinge } from './hinge.ts'
import { findCliff, isBurstStep } from './rate-points.ts'
import { fitUsl, uslAt, uslPeak } from './usl.ts'

const capped = (slots: number, levels: readonly number[]) => levels.map((n) => ({ n, rate: 100 * Math.min(n, slots) }))

test.each([3, 4, 8])('the documented pitfall: a hard cap of %i is found by the hinge, and USL puts its peak far beyond', (slots) => {
  const { chosen, fits } = fitCurves(capped(slots, [1, 2, 4, 8, 16, 32]))
  expect(chosen?.model).toBe('hinge')
  expect(chosen?.knee?.value).toBeCloseTo(slots, 6)
  const usl = fits.find(({ model }) => model === 'usl')
  expect(usl?.isChosen).toBe(false)
  expect(usl?.knee?.low ?? Number.POSITIVE_INFINITY).toBeGreaterThan(1.5 * slots)
})

test('with fewer than three different n there is no curve, with three none is chosen, and it is said', () => {
  expect(
    fitCurves([
      { n: 1, rate: 5 },
      { n: 1, rate: 6 },
      { n: 2, rate: 9 },
    ]),
  ).toMatchObject({
    fits: [],
    chosen: null,
    points: [
      { n: 1, rate: 5.5 },
      { n: 2, rate: 9 },
    ],
  })
  const three = fitCurves(capped(2, [4, 1, 2]))
  expect(three.fits.length).toBe(3)
  expect(three.chosen).toBeNull()
  expect(three.cannotTell).toEqual(['Three levels fit any curve: a fourth is needed to choose one.'])
})

test('a hinge without noise is found again to within 5 %, whether it bends at a tested level or between two', () => {
  const { next, int } = createSeededRandom('hinge')
  for (let round = 0; round < 200; round += 1) {
    const [a, b, kneeN] = [10 + 90 * next(), 0.7 + 0.3 * next(), 2 + 14 * next()]
    const levels = [1, 2, 3, 5, 8, 13, 21, 34, 55].slice(0, 7 + int(3))
    const found = fitHinge(levels.map((n) => ({ n, rate: a * Math.min(n, kneeN) ** b })))
    expect((found.kneeN ?? 0) / kneeN).toBeGreaterThan(0.95)
    expect((found.kneeN ?? 0) / kneeN).toBeLessThan(1.05)
    expect(found.b).toBeCloseTo(b, 1)
  }
})

test('a USL without noise is found again exactly, with its bounds', () => {
  const { next } = createSeededRandom('usl')
  for (let round = 0; round < 200; round += 1) {
    const usl = { gamma: 1 + 99 * next(), alpha: next() < 0.2 ? 0 : next() ** 2, beta: next() < 0.2 ? 0 : 0.02 * next() }
    const found = fitUsl([1, 2, 4, 8, 16, 32].map((n) => ({ n, rate: uslAt(usl, n) })))
    expect(found.gamma / usl.gamma).toBeCloseTo(1, 6)
    expect(found.alpha).toBeCloseTo(usl.alpha, 6)
    expect(found.beta).toBeCloseTo(usl.beta, 6)
  }
  expect(uslPeak({ gamma: 1, alpha: 0.19, beta: 0.01 })).toBeCloseTo(9, 9)
  expect(uslPeak({ gamma: 1, alpha: 0.2, beta: 0 })).toBeNull()
})

test('the curve that the rates follow is the one chosen, and a peak of USL is told only where there surely is one', () => {
  const levels = [1, 2, 4, 8, 16, 32, 64]
  const chosen = (rateAt: (n: number) => number, noiseRatio: number) => {
    const { next } = createSeededRandom(`chosen/${noiseRatio}`)
    return fitCurves(levels.map((n) => ({ n, rate: rateAt(n) * Math.exp(noiseRatio * normal(next)) }))).chosen
  }
  const peaked = chosen((n) => uslAt({ gamma: 50, alpha: 0.05, beta: 0.004 }, n), 0.02)
  expect(peaked?.model).toBe('usl')
  expect(peaked?.knee?.low).toBeLessThan(Math.sqrt(0.95 / 0.004))
  expect(peaked?.knee?.high).toBeGreaterThan(Math.sqrt(0.95 / 0.004))
  expect(chosen((n) => uslAt({ gamma: 50, alpha: 0.1, beta: 0 }, n), 0.01)).toMatchObject({ model: 'usl', knee: null })
  expect(chosen((n) => 100 * Math.min(n, 6), 0.03)?.model).toBe('hinge')
  expect(chosen((n) => 20 + 3 * n, 0.01)).toMatchObject({ model: 'linear', knee: null })
})

test('a fall of more than a fifth is a cliff: curves end before it, and it is said whether the total recovers', () => {
  const rates = [60, 87, 110, 146, 64, 90, 117]
  const points = [1, 2, 4, 8, 16, 24, 32].map((n, index) => ({ n, rate: rates[index] ?? 0 }))
  const { cliff, points: fitted, cannotTell } = fitCurves(points)
  expect(cliff).toMatchObject({ fromN: 8, toN: 16, recovers: true })
  expect(cliff?.fallRatio).toBeCloseTo(1 - 64 / 146, 9)
  expect(fitted.map(({ n }) => n)).toEqual([1, 2, 4, 8])
  expect(cannotTell[0]).toContain('From 8 to 16 the total falls by 56 %')
  expect(findCliff(capped(4, [1, 2, 4, 8]))).toBeNull()
})

test('whole rounds of a burst explain a fall just beyond a multiple of the slots', () => {
  const cliff = findCliff([1, 2, 3, 4, 6].map((n) => ({ n, rate: n / Math.ceil(n / 3) })))
  expect(cliff).toMatchObject({ fromN: 3, toN: 4 })
  expect(cliff !== null && isBurstStep(cliff, 3)).toBe(true)
  expect(cliff !== null && isBurstStep(cliff, 8)).toBe(false)
})

test('points that can’t be rates are left out, in any order and with repeats, and nothing comes out as NaN', () => {
  const { points, fits } = fitCurves([
    { n: 8, rate: 80 },
    { n: 2, rate: Number.NaN },
    { n: -1, rate: 5 },
    { n: 4, rate: 40 },
    { n: 1, rate: 0 },
    { n: 1, rate: 9 },
    { n: 1, rate: 11 },
    { n: 2, rate: 20 },
  ])
  expect(points).toEqual([1, 2, 4, 8].map((n) => ({ n, rate: 10 * n })))
  for (const fit of fits) expect(Object.values(fit.parameters).every(Number.isFinite)).toBe(true)
})

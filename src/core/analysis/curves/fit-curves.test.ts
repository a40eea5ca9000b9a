import { expect, test } from 'vitest'
import { fitCurves } from './fit-curves.ts'

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

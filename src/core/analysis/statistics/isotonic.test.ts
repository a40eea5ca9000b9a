import { expect, test } from 'vitest'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { fallingShares } from './isotonic.ts'

test('shares that fall stay as they are, a rise is pooled with what is before it', () => {
  expect(
    fallingShares([
      { good: 10, all: 10 },
      { good: 9, all: 10 },
      { good: 1, all: 4 },
    ]),
  ).toEqual([1, 0.9, 0.25])
  expect(
    fallingShares([
      { good: 8, all: 10 },
      { good: 30, all: 30 },
      { good: 0, all: 5 },
    ]),
  ).toEqual([0.95, 0.95, 0])
})

test('a level without trials takes the share before it', () => {
  expect(
    fallingShares([
      { good: 3, all: 4 },
      { good: 0, all: 0 },
      { good: 1, all: 4 },
    ]),
  ).toEqual([0.75, 0.75, 0.25])
})

test('it agrees with the min-max formula, which looks at every run of levels', () => {
  const { int } = createSeededRandom('isotonic')
  for (let round = 0; round < 300; round += 1) {
    const shares = Array.from({ length: 1 + int(8) }, () => {
      const all = 1 + int(40)
      return { good: int(all + 1), all }
    })
    const ratio = (from: number, to: number) => {
      const run = shares.slice(from, to + 1)
      return run.reduce((sum, { good }) => sum + good, 0) / run.reduce((sum, { all }) => sum + all, 0)
    }
    const places = shares.map((_, at) => at)
    const naive = places.map((at) =>
      Math.min(...places.filter((from) => from <= at).map((from) => Math.max(...places.filter((to) => to >= at).map((to) => ratio(from, to))))),
    )
    for (const [at, share] of fallingShares(shares).entries()) expect(share).toBeCloseTo(naive[at] ?? Number.NaN, 12)
  }
})

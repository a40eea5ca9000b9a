import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createSeededRandom, scramble32 } from './seeded-random.ts'

test('equal seeds give equal sequences, others other ones', () => {
  const draw = (seed: string) => Array.from({ length: 5 }, createSeededRandom(seed).next)
  expect(draw('a')).toEqual(draw('a'))
  expect(draw('a')).not.toEqual(draw('b'))
})

test('numbers spread evenly', () => {
  const random = createSeededRandom(7)
  const counts = new Array<number>(10).fill(0)
  for (let i = 0; i < 20_000; i++) {
    const at = random.int(10)
    counts[at] = (counts[at] ?? 0) + 1
  }
  for (const count of counts) expect(Math.abs(count - 2_000)).toBeLessThan(250)
})

test('a shuffle keeps every item', () => {
  fc.assert(
    fc.property(fc.array(fc.integer()), fc.nat(), (items, seed) => {
      expect(createSeededRandom(seed).shuffle(items).toSorted()).toEqual(items.toSorted())
    }),
  )
})

test('scrambled numbers stay different', () => {
  expect(new Set(Array.from({ length: 50_000 }, (_, i) => scramble32(i))).size).toBe(50_000)
})

import { expect, test } from 'vitest'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
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

test('M8: over many runs the 95 % interval of a ratio of sums holds the truth about that often; drawing single sessions instead of waves would not', () => {
  const { next } = createSeededRandom('coverage')
  const [runs, waves, sessions] = [200, 24, 8]
  let [byWave, bySession] = [0, 0]
  for (let run = 0; run < runs; run += 1) {
    // Sessions of one wave are slow or fast together: that is why waves are the blocks.
    const walls = Array.from({ length: waves }, () => {
      const ofWave = 30 * (next() + next() + next() - 1.5)
      return Array.from({ length: sessions }, () => 100 + ofWave + 10 * (next() - 0.5))
    })
    const holds = (blocks: readonly (readonly number[])[]) => {
      const { low, high } = intervalOf(meanOf([sumsOf(blocks)]), drawSums([blocks], run, meanOf))
      return low <= 100 && 100 <= high ? 1 : 0
    }
    byWave += holds(walls.map((wave) => [wave.length, wave.reduce((sum, wall) => sum + wall, 0)]))
    bySession += holds(walls.flat().map((wall) => [1, wall]))
  }
  expect(byWave / runs).toBeGreaterThan(0.88)
  expect(byWave / runs).toBeLessThanOrEqual(0.995)
  expect(bySession / runs).toBeLessThan(0.7)
})

/** Seeded bootstrap over blocks (waves): sessions of one wave hang together, so whole waves are drawn (M8). */
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { quantile, sortedNumbers } from './percentiles.ts'

export const DRAWS = 400

/** More blocks than this are joined with their neighbours: the interval stays, the work is bounded. */
const MOST_BLOCKS = 200

export type Interval = { readonly value: number; readonly low: number; readonly high: number }

/** Additive figures of one block: counts and sums, always in the same places. */
export type BlockSums = readonly number[]

/**
 * Sums over blocks drawn with replacement, each group of blocks on its own.
 * @param groups one list of blocks a level; a group without blocks sums to nothing
 * @param each called once a draw with the sums of each group; they are used again by the next draw, so nothing may keep them
 */
export function drawSums<T>(groups: readonly (readonly BlockSums[])[], seed: number, each: (sums: readonly Float64Array[]) => T): T[] {
  const random = createSeededRandom(`bootstrap/${seed}`)
  const packed = groups.map((blocks) => joined(blocks).map((block) => Float64Array.from(block)))
  const sums = packed.map((blocks) => new Float64Array(blocks[0]?.length ?? 0))
  return Array.from({ length: DRAWS }, () => {
    for (const [index, blocks] of packed.entries()) {
      const sum = sums[index]
      if (sum === undefined) continue
      sum.fill(0)
      for (let drawn = 0; drawn < blocks.length; drawn += 1) addTo(sum, blocks[random.int(blocks.length)])
    }
    return each(sums)
  })
}

export function sumsOf(blocks: readonly BlockSums[]): Float64Array {
  const sum = new Float64Array(blocks[0]?.length ?? 0)
  for (const block of blocks) addTo(sum, block)
  return sum
}

function addTo(sum: Float64Array, block: ArrayLike<number> | undefined) {
  if (block === undefined) return
  for (let place = 0; place < sum.length; place += 1) sum[place] = (sum[place] ?? 0) + (block[place] ?? 0)
}

function joined(blocks: readonly BlockSums[]): readonly BlockSums[] {
  if (blocks.length <= MOST_BLOCKS) return blocks
  const size = Math.ceil(blocks.length / MOST_BLOCKS)
  return Array.from({ length: Math.ceil(blocks.length / size) }, (_, index) => Array.from(sumsOf(blocks.slice(index * size, (index + 1) * size))))
}

/** The middle part of the draws around the value; a value outside of it stretches it. */
export function intervalOf(value: number, draws: readonly number[], levelRatio = 0.95): Interval {
  const sorted = sortedNumbers(draws)
  if (sorted.length === 0) return { value, low: value, high: value }
  const tail = (1 - levelRatio) / 2
  return { value, low: Math.min(value, quantile(sorted, tail)), high: Math.max(value, quantile(sorted, 1 - tail)) }
}

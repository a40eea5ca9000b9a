/** Percentiles and rates of whole blocks (waves) drawn with replacement, seeded (M8). A failed session counts as endless (M7). */
import { DRAWS } from '../analysis/statistics/block-bootstrap.ts'
import { createSeededRandom } from '../sweep/seeded-random.ts'

/** The value of all blocks, and one value a draw. */
export type Draws = { readonly value: number; readonly draws: readonly number[]; readonly blocks: number }

/**
 * A percentile (type 7, as all of Plimsoll's) of the values of all blocks.
 * @param blocks not all empty; `Infinity` for failed ones
 */
export function drawPercentile(blocks: readonly (readonly number[])[], ratio: number, seed: string): Draws {
  const pooled = blocks.flatMap((values, block) => values.map((value) => ({ value, block }))).sort((a, b) => (a.value < b.value ? -1 : 1))
  const percentile = (times: ArrayLike<number>, count: number) => {
    const place = (count - 1) * ratio
    const low = valueAt(pooled, times, Math.floor(place))
    const share = place - Math.floor(place)
    if (share === 0) return low
    const high = valueAt(pooled, times, Math.floor(place) + 1)
    // Not the sum of parts: endless less endless is no number.
    return Number.isFinite(high) ? low + (high - low) * share : high
  }
  const ones = new Uint16Array(blocks.length).fill(1)
  return {
    value: percentile(ones, pooled.length),
    blocks: blocks.length,
    draws: drawTimes(blocks.length, seed, (times) => {
      let count = 0
      for (const [block, values] of blocks.entries()) count += (times[block] ?? 0) * values.length
      return percentile(times, count)
    }),
  }
}

/** Value of the given rank (from 0) when each block stands there so many times. */
function valueAt(pooled: readonly { readonly value: number; readonly block: number }[], times: ArrayLike<number>, rank: number): number {
  let passed = 0
  for (const { value, block } of pooled) {
    passed += times[block] ?? 0
    if (passed > rank) return value
  }
  return Number.NaN
}

/** A ratio of two sums over blocks: tokens over time, failures over sessions. */
export function drawRatio(blocks: readonly (readonly [above: number, below: number])[], seed: string): Draws {
  const ratio = (times: ArrayLike<number>) => {
    let [above, below] = [0, 0]
    for (const [block, [part, whole]] of blocks.entries()) {
      above += (times[block] ?? 0) * part
      below += (times[block] ?? 0) * whole
    }
    return below > 0 ? above / below : Number.NaN
  }
  return { value: ratio(new Uint16Array(blocks.length).fill(1)), blocks: blocks.length, draws: drawTimes(blocks.length, seed, ratio) }
}

function drawTimes(blocks: number, seed: string, each: (times: Uint16Array) => number): number[] {
  const random = createSeededRandom(`comparison/${seed}`)
  const times = new Uint16Array(blocks)
  return Array.from({ length: DRAWS }, () => {
    times.fill(0)
    for (let drawn = 0; drawn < blocks; drawn += 1) {
      const block = random.int(blocks)
      times[block] = (times[block] ?? 0) + 1
    }
    return each(times)
  })
}

/** Student's t, two-sided 95 %, for 1 to 10 degrees of freedom; beyond, 1.96 + 2.4/df is within 0.02 of it. */
const T95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23]

/**
 * How much wider an interval from so few blocks must be: the bootstrap's own is too narrow by √((k−1)/k) and by Student's t over the normal
 * (Hesterberg, What Teachers Should Know About the Bootstrap, 2015, "expanded percentile interval").
 */
export function fewBlocksFactor(blocks: number): number {
  const df = Math.max(1, blocks - 1)
  return ((T95[df - 1] ?? 1.96 + 2.4 / df) / 1.96) * Math.sqrt((df + 1) / df)
}

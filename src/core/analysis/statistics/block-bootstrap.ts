/** Seeded bootstrap over blocks (waves): sessions of one wave hang together, so whole waves are drawn (M8). */
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { quantile } from './percentiles.ts'

export const DRAWS = 400

export type Interval = { readonly value: number; readonly low: number; readonly high: number }

/**
 * Interval of a figure that is computed from several groups of blocks, each group drawn with replacement on its own.
 * @param figure null where the draw can't tell; such draws are left out
 * @returns null when the figure can't be told from the blocks as they are
 */
export function bootstrap<Block>(
  groups: readonly (readonly Block[])[],
  figure: (groups: readonly (readonly Block[])[]) => number | null,
  seed: number,
  levelRatio = 0.95,
): Interval | null {
  const value = figure(groups)
  if (value === null) return null
  const results = drawGroups(groups, seed, (drawn) => figure(drawn)).filter((result) => result !== null)
  const sorted = results.sort((a, b) => a - b)
  if (sorted.length === 0) return { value, low: value, high: value }
  const tail = (1 - levelRatio) / 2
  return { value, low: Math.min(value, quantile(sorted, tail)), high: Math.max(value, quantile(sorted, 1 - tail)) }
}

/** The bare draws, for figures with many values each. */
export function drawGroups<Block, T>(groups: readonly (readonly Block[])[], seed: number, each: (drawn: readonly (readonly Block[])[]) => T): T[] {
  const random = createSeededRandom(`bootstrap/${seed}`)
  return Array.from({ length: DRAWS }, () => each(groups.map((blocks) => Array.from(blocks, () => blocks[random.int(blocks.length)] as Block))))
}

/** Isotonic fit of shares that can only fall with N: pool adjacent violators. */

export type Share = { readonly good: number; readonly all: number }

/**
 * The falling shares nearest to those seen (least squares, weighed by counts): neighbours that rise are pooled until none does.
 * @param shares in the order of N; those without any trial take the share of the block before them
 * @returns one share (0 to 1) a level, never rising; NaN where nothing was tried up to there
 */
export function fallingShares(shares: readonly Share[]): number[] {
  const blocks: { good: number; all: number; levels: number }[] = []
  for (const { good, all } of shares) {
    let block = { good, all, levels: 1 }
    for (let before = blocks.at(-1); before !== undefined && rises(before, block); before = blocks.at(-1)) {
      block = { good: before.good + block.good, all: before.all + block.all, levels: before.levels + block.levels }
      blocks.pop()
    }
    blocks.push(block)
  }
  return blocks.flatMap(({ good, all, levels }) => Array.from({ length: levels }, () => good / all))
}

/** Without division: exact for counts, and a level without trials joins the block before it. */
const rises = (before: Share, after: Share) => after.good * before.all > before.good * after.all || after.all === 0

/** What it would take to settle a ceiling of shares that is still open: how many more sessions, at which level. */
import { lowerBound, upperBound } from '../statistics/binomial-bounds.ts'
import { fallingShares, type Share } from '../statistics/isotonic.ts'

export type Settling = {
  readonly n: number
  /** More sessions at that level, if they go as those before. */
  readonly sessions: number
  /** What they would show. */
  readonly outcome: 'holds' | 'misses'
  /** The share seen so far at that level, isotonic over N, 0 to 1. */
  readonly ratio: number
}

/** More sessions than this are no advice. */
const MOST_SESSIONS = 10_000

/**
 * The largest open level that seems to hold, else the smallest open one, which seems to miss.
 * @param levels ascending by n, with sessions
 * @param lowN largest level that surely holds; 0 for none
 * @param highN first level that surely misses; infinite for none
 * @returns null when no level is open, or the share lies so near the target that 10,000 sessions would not tell
 */
export function settleShare(levels: readonly (Share & { readonly n: number })[], target: number, lowN: number, highN: number): Settling | null {
  const shares = fallingShares(levels)
  const open = levels.flatMap(({ n, good, all }, at) => (n > lowN && n < highN ? [{ n, good, all, ratio: shares[at] ?? 0 }] : []))
  const holding = open.filter(({ ratio }) => ratio >= target).at(-1)
  const level = holding ?? open[0]
  if (level === undefined) return null
  const { n, good, all, ratio } = level
  const outcome = holding === undefined ? 'misses' : 'holds'
  const settles = (more: number) => {
    const [goodThen, allThen] = [good + Math.round(ratio * more), all + more]
    return outcome === 'holds' ? (lowerBound(goodThen, allThen) ?? 0) >= target : (upperBound(goodThen, allThen) ?? 1) < target
  }
  const sessions = smallest(settles)
  return sessions === null ? null : { n, sessions, outcome, ratio }
}

/** By doubling, then halving; rounding of counts makes it right to within a session or two, not beyond. */
function smallest(settles: (more: number) => boolean): number | null {
  let high = 1
  while (!settles(high)) {
    high *= 2
    if (high > MOST_SESSIONS) return null
  }
  let low = Math.floor(high / 2)
  while (high - low > 1) {
    const middle = (low + high) >> 1
    if (settles(middle)) high = middle
    else low = middle
  }
  return high
}

/** Total rates over N as the curves take them: cleaned, one point an n, ascending. And the cliff, which no curve may smooth over. */

/** @property rate of all sessions together, in any unit (tokens/s, requests/s) */
export type RatePoint = { readonly n: number; readonly rate: number }

/** Points that can't be on a rate curve (not finite, not positive) are left out; a repeated n becomes the mean of its rates. */
export function cleanPoints(points: readonly RatePoint[]): RatePoint[] {
  const byN = new Map<number, { sum: number; count: number }>()
  for (const { n, rate } of points) {
    if (!(Number.isFinite(n) && n > 0 && Number.isFinite(rate) && rate > 0)) continue
    const { sum, count } = byN.get(n) ?? { sum: 0, count: 0 }
    byN.set(n, { sum: sum + rate, count: count + 1 })
  }
  return [...byN].map(([n, { sum, count }]) => ({ n, rate: sum / count })).sort((a, b) => a.n - b.n)
}

export type Cliff = {
  readonly fromN: number
  readonly toN: number
  /** What is lost, 0 to 1. */
  readonly fallRatio: number
  /** Whether the total rises again beyond it, by a tenth at least: another code path, not gradual saturation. */
  readonly recovers: boolean
}

/** Smaller falls are noise or contention, which USL describes; published sweeps repeat to within 5 to 10 % (our threshold). */
const CLIFF_RATIO = 0.2
const RECOVERY_RATIO = 1.1

/**
 * The largest fall of the total rate from one n to the next, if it is more than 20 %.
 * Totals of bursts over their whole wall fall without a cause in the server when N goes just beyond a multiple of the slots (4 on 3 slots take two
 * rounds, 3 take one): give rates of the steady part, or ask `isBurstStep`.
 */
export function findCliff(points: readonly RatePoint[]): Cliff | null {
  const clean = cleanPoints(points)
  let worst: Cliff | null = null
  for (const [index, to] of clean.entries()) {
    const from = clean[index - 1]
    if (from === undefined) continue
    const fallRatio = 1 - to.rate / from.rate
    if (fallRatio <= CLIFF_RATIO || fallRatio <= (worst?.fallRatio ?? 0)) continue
    const recovers = clean.slice(index + 1).some(({ rate }) => rate >= RECOVERY_RATIO * to.rate)
    worst = { fromN: from.n, toN: to.n, fallRatio, recovers }
  }
  return worst
}

/** Whether a fall is what whole rounds of a burst on so many slots make of the total: N / ceil(N / slots), within 10 %. */
export function isBurstStep(cliff: Cliff, slots: number): boolean {
  const perRound = (n: number) => n / Math.ceil(n / slots)
  return Math.abs(1 - cliff.fallRatio - perRound(cliff.toN) / perRound(cliff.fromN)) <= 0.1
}

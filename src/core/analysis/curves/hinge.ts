/**
 * Hinge: X(N) = a·N^b up to S, then flat at a·S^b: what a hard cap of slots looks like. Fitted exactly in logarithms (errors of a rate are
 * in proportion to it): between two tested levels line and plateau are two separate fits and S is where they meet; at a tested level it is one
 * regression over min(N, S). Own code: core may import zod only, and general minimisers stop in one of the local minima that a hinge has.
 */
import type { RatePoint } from './rate-points.ts'

export type Hinge = {
  readonly a: number
  readonly b: number
  /** Where it bends; null = it still rises at the largest n, so it is a power law. The smallest n when all is flat. */
  readonly kneeN: number | null
}

/** Doubling N adds at most as much again; where it adds less than a quarter, the curve saturates from the start and has no hinge (USL describes that). */
const LEAST_EXPONENT = 0.3
const MOST_EXPONENT = 1
/**
 * With one level below the bend, S and b can't be told apart: growth in proportion is then taken, since that is what free slots give.
 * As a prior on b: deviation 0.3, weighed against a noise of 3 %.
 */
const PRIOR_WEIGHT = (0.03 / 0.3) ** 2

export function hingeAt({ a, b, kneeN }: Hinge, n: number): number {
  return a * Math.min(n, kneeN ?? n) ** b
}

/** @param points ascending by n, at least one */
export function fitHinge(points: readonly RatePoint[]): Hinge {
  const x = points.map(({ n }) => Math.log(n))
  const y = points.map(({ rate }) => Math.log(rate))
  const last = points.length - 1
  let best = { cost: Number.POSITIVE_INFINITY, intercept: 0, b: MOST_EXPONENT, knee: 0 }
  const offer = (intercept: number, b: number, knee: number) => {
    let cost = PRIOR_WEIGHT * (1 - b) ** 2
    for (let i = 0; i <= last; i += 1) cost += ((y[i] ?? 0) - intercept - b * Math.min(x[i] ?? 0, knee)) ** 2
    if (cost < best.cost - 1e-12) best = { cost, intercept, b, knee }
  }
  for (let at = 0; at <= last; at += 1) {
    const knee = x[at] ?? 0
    const bent = lineThrough(
      x.map((value) => Math.min(value, knee)),
      y,
    )
    offer(bent.intercept, bent.b, knee)
    if (at === last) continue
    const rising = lineThrough(x.slice(0, at + 1), y.slice(0, at + 1))
    const plateau = meanOf(y.slice(at + 1))
    const meets = (plateau - rising.intercept) / rising.b
    if (meets > knee && meets < (x[at + 1] ?? knee)) offer(rising.intercept, rising.b, meets)
  }
  return { a: Math.exp(best.intercept), b: best.b, kneeN: best.knee >= (x[last] ?? 0) ? null : Math.exp(best.knee) }
}

/** Least squares with the prior on the slope, which stays within its bounds. */
function lineThrough(x: readonly number[], y: readonly number[]): { intercept: number; b: number } {
  const [meanX, meanY] = [meanOf(x), meanOf(y)]
  let [xx, xy] = [0, 0]
  for (let i = 0; i < x.length; i += 1) {
    const dx = (x[i] ?? 0) - meanX
    xx += dx * dx
    xy += dx * ((y[i] ?? 0) - meanY)
  }
  const b = Math.min(MOST_EXPONENT, Math.max(LEAST_EXPONENT, (xy + PRIOR_WEIGHT) / (xx + PRIOR_WEIGHT)))
  return { intercept: meanY - b * meanX, b }
}

const meanOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length

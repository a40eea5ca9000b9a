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

/** @param points ascending by n, at least one. O(points²) */
export function fitHinge(points: readonly RatePoint[]): Hinge {
  const x = Float64Array.from(points, ({ n }) => Math.log(n))
  const y = Float64Array.from(points, ({ rate }) => Math.log(rate))
  const last = points.length - 1
  let best = { cost: Number.POSITIVE_INFINITY, intercept: 0, b: MOST_EXPONENT, knee: 0 }
  const offer = ({ intercept, b }: LogLine, knee: number) => {
    let cost = PRIOR_WEIGHT * (1 - b) ** 2
    for (let i = 0; i <= last; i += 1) cost += ((y[i] ?? 0) - intercept - b * Math.min(x[i] ?? 0, knee)) ** 2
    if (cost < best.cost - 1e-12) best = { cost, intercept, b, knee }
  }
  for (let at = 0; at <= last; at += 1) {
    const knee = x[at] ?? 0
    offer(lineThrough(x, y, points.length, knee), knee)
    if (at === last) continue
    const rising = lineThrough(x, y, at + 1, knee)
    const meets = (meanFrom(y, at + 1) - rising.intercept) / rising.b
    if (meets > knee && meets < (x[at + 1] ?? knee)) offer(rising, meets)
  }
  return { a: Math.exp(best.intercept), b: best.b, kneeN: best.knee >= (x[last] ?? 0) ? null : Math.exp(best.knee) }
}

type LogLine = { readonly intercept: number; readonly b: number }

/** Least squares of y over min(x, knee), of the first so many points, with the prior on the slope, which stays within its bounds. */
function lineThrough(x: Float64Array, y: Float64Array, count: number, knee: number): LogLine {
  let [sumX, sumY] = [0, 0]
  for (let i = 0; i < count; i += 1) {
    sumX += Math.min(x[i] ?? 0, knee)
    sumY += y[i] ?? 0
  }
  const [meanX, meanY] = [sumX / count, sumY / count]
  let [xx, xy] = [0, 0]
  for (let i = 0; i < count; i += 1) {
    const dx = Math.min(x[i] ?? 0, knee) - meanX
    xx += dx * dx
    xy += dx * ((y[i] ?? 0) - meanY)
  }
  const b = Math.min(MOST_EXPONENT, Math.max(LEAST_EXPONENT, (xy + PRIOR_WEIGHT) / (xx + PRIOR_WEIGHT)))
  return { intercept: meanY - b * meanX, b }
}

function meanFrom(values: Float64Array, from: number): number {
  let sum = 0
  for (let i = from; i < values.length; i += 1) sum += values[i] ?? 0
  return sum / (values.length - from)
}

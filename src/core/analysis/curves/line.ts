/** A straight line through the total rates, errors weighed as ratios: the curve of a server that nothing holds back yet. */
import type { RatePoint } from './rate-points.ts'

export type Line = { readonly atZero: number; readonly perSession: number }

export const lineAt = ({ atZero, perSession }: Line, n: number): number => atZero + perSession * n

/** @param points at least one; with a single n the line goes through zero */
export function fitLine(points: readonly RatePoint[]): Line {
  let [w, wn, wr, wnn, wnr] = [0, 0, 0, 0, 0]
  for (const { n, rate } of points) {
    const weight = 1 / rate ** 2
    w += weight
    wn += weight * n
    wr += weight * rate
    wnn += weight * n * n
    wnr += weight * n * rate
  }
  const spread = w * wnn - wn * wn
  if (!(spread > 1e-12 * w * wnn)) return { atZero: 0, perSession: wnr / wnn }
  const perSession = (w * wnr - wn * wr) / spread
  return { atZero: (wr - perSession * wn) / w, perSession }
}

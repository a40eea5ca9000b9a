/** What the totals of a series over n say by themselves: ceiling, steps without gain, cliffs, and whether the last step still gained. */
import type { Point, Series } from './series.ts'
import { elasticity } from './table-words.ts'

export type Level = Point & { readonly n: number; readonly total: number }

export type Cliff = {
  readonly before: Level
  readonly after: Level
  readonly fallRatio: number
  readonly recovers: boolean
  readonly worseThan: Level | null
}

export type Curve = {
  readonly levels: readonly Level[]
  readonly base: Level
  readonly top: Level
  readonly best: Level
  /** Smallest n with 90 % of the best total. */
  readonly knee: Level
  /** False: only the largest n tested has it. */
  readonly isReached: boolean
  /** Growth of the total over the last step: 1 = in proportion to n, 0 = flat. */
  readonly lastGain: number
  readonly cliff: Cliff | null
  /** A step without gain that a later one makes good: real, and not to be smoothed. */
  readonly idleStep: { readonly from: Level; readonly to: Level; readonly later: Level } | null
}

/** DESIGN section 7: the throughput ceiling is the smallest n with this share of the best total. */
export const CEILING_RATIO = 0.9
/** field-reports B2: a fall of more than this from one n to the next is another engine path, not saturation. */
const CLIFF_RATIO = 0.2

export function curveOf(series: Series): Curve | null {
  const levels = series.points.filter((point): point is Level => point.n !== null && point.total !== null && point.total > 0)
  const [base] = levels
  const top = levels.at(-1)
  if (series.axis !== 'n' || base === undefined || top === undefined || levels.length < 2) return null
  const best = levels.reduce((a, b) => (b.total > a.total ? b : a))
  const knee = levels.find(({ total }) => total >= CEILING_RATIO * best.total) ?? best
  const before = levels.at(-2) ?? base
  const lastGain = elasticity(before.n, before.total, top.n, top.total)
  return { levels, base, top, best, knee, isReached: knee !== top, lastGain, cliff: cliffOf(levels, best), idleStep: idleStepOf(levels) }
}

/** A fall from the best there is: a dip before the best is a slow batch size, and no ceiling. */
function cliffOf(levels: readonly Level[], best: Level): Cliff | null {
  for (let index = 1; index < levels.length; index += 1) {
    const [before, after] = [levels[index - 1], levels[index]]
    if (before === undefined || after === undefined) continue
    const fallRatio = 1 - after.total / before.total
    if (fallRatio <= CLIFF_RATIO || before.total < CEILING_RATIO * best.total) continue
    const later = levels.slice(index + 1)
    const worseThan = levels.slice(0, index - 1).find(({ total }) => total > after.total) ?? null
    return { before, after, fallRatio, recovers: later.some(({ total }) => total > 1.15 * after.total), worseThan }
  }
  return null
}

function idleStepOf(levels: readonly Level[]): Curve['idleStep'] {
  for (let index = 1; index < levels.length - 1; index += 1) {
    const [from, to, later] = [levels[index - 1], levels[index], levels[index + 1]]
    if (from === undefined || to === undefined || later === undefined) continue
    if (to.total < 1.05 * from.total && to.total > 0.6 * from.total && later.total > 1.25 * to.total) return { from, to, later }
  }
  return null
}

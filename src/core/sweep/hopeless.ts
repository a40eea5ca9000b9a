/**
 * The slope test (after GuideLLM's): under open load a server that can't keep up has ever more turns in flight, and each waits longer than the one before.
 * Both slopes must be clear of zero, and what they add must matter: then more of the same, or a higher rate, only takes time.
 */
import type { TurnRow } from './turn-row.ts'

/** Below this many turns a slope is chance. */
const LEAST_TURNS = 12
/** One-sided 95 % of Student's t from 10 degrees of freedom on; more turns need a little less. */
const T_95 = 1.812
/** Over the span, ttfa must have grown by half of its mean, and two more turns must be in flight at the end. */
const LEAST_TTFA_GROWTH = 0.5
const LEAST_MORE_IN_FLIGHT = 2

/** @param rows of one span of one cell, any order */
export function risesWithoutEnd(rows: readonly TurnRow[]): boolean {
  const started = rows.filter((row) => row.outcome !== 'cut').toSorted((a, b) => a.plannedAtMs - b.plannedAtMs)
  if (started.length < LEAST_TURNS) return false
  const at = started.map((row) => row.plannedAtMs)
  const ttfa = started.map((row) => (row.firstActivityAtMs ?? row.endAtMs) - row.plannedAtMs)
  const spanMs = (at.at(-1) ?? 0) - (at[0] ?? 0)
  const slower = slopeOf(at, ttfa)
  const fuller = slopeOf(at, inFlightAt(started))
  if (spanMs <= 0 || slower.low <= 0 || fuller.low <= 0) return false
  const meanMs = ttfa.reduce((sum, ms) => sum + ms, 0) / ttfa.length
  return slower.slope * spanMs >= LEAST_TTFA_GROWTH * meanMs && fuller.slope * spanMs >= LEAST_MORE_IN_FLIGHT
}

/** Turns under way at each start, the starting one left out. */
function inFlightAt(byStart: readonly TurnRow[]): number[] {
  const ends = byStart.map((row) => row.endAtMs).sort((a, b) => a - b)
  let ended = 0
  return byStart.map((row, before) => {
    while ((ends[ended] ?? Number.POSITIVE_INFINITY) <= row.plannedAtMs) ended += 1
    return before - ended
  })
}

/** Least squares; `low` is the lower bound of the slope. */
function slopeOf(x: readonly number[], y: readonly number[]): { slope: number; low: number } {
  const n = x.length
  const meanX = x.reduce((sum, value) => sum + value, 0) / n
  const meanY = y.reduce((sum, value) => sum + value, 0) / n
  let [xx, xy] = [0, 0]
  for (const [i, value] of x.entries()) {
    xx += (value - meanX) ** 2
    xy += (value - meanX) * ((y[i] ?? 0) - meanY)
  }
  if (xx === 0) return { slope: 0, low: 0 }
  const slope = xy / xx
  const residual = x.reduce((sum, value, i) => sum + ((y[i] ?? 0) - meanY - slope * (value - meanX)) ** 2, 0)
  return { slope, low: slope - T_95 * Math.sqrt(residual / (n - 2) / xx) }
}

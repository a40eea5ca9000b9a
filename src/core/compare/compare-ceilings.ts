/** Slots and the three ceilings of two sweeps. They are whole numbers with bounds of their own, so no bootstrap: what surely holds in one and surely breaks in the other. */
import type { Analysis, Ceiling } from '../analysis/analysis.ts'
import { ceilingText } from '../report/report-levels.ts'
import type { Comparison, Outcome } from './comparison.ts'

export function compareSlots({ effectiveSlots: before }: Analysis, { effectiveSlots: after }: Analysis, marginRatio: number): Comparison['slots'] {
  return { before: before.n, after: after.n, outcome: slotsOutcome(before, after, marginRatio) }
}

type Slots = Analysis['effectiveSlots']

function slotsOutcome(before: Slots, after: Slots, marginRatio: number): Outcome {
  if (before.n === null || after.n === null) return 'cannot-tell'
  const change = after.n / before.n - 1
  // A lower bound (no plateau) can be beaten, but not fallen short of.
  if (change > marginRatio) return before.plateau ? 'better' : 'cannot-tell'
  if (change < -marginRatio) return after.plateau ? 'worse' : 'cannot-tell'
  return before.plateau && after.plateau ? 'equivalent' : 'cannot-tell'
}

/**
 * @param sameLimits false: SLO and error ceiling are made of other limits and say nothing about each other
 * @param rates what became of the levels' tokens a second
 */
export function compareCeilings(before: Analysis, after: Analysis, sameLimits: boolean, rates: readonly Outcome[]): Comparison['ceilings'] {
  return (['slo', 'throughput', 'error'] as const).map((kind) => {
    const [a, b] = [before.ceilings[kind], after.ceilings[kind]]
    const outcome = kind === 'throughput' ? throughputOutcome(a, b, rates) : sameLimits ? holdingOutcome(a, b) : 'cannot-tell'
    return { kind, before: ceilingText(a), after: ceilingText(b), outcome }
  })
}

const isSame = (a: Ceiling, b: Ceiling) => a.status !== 'unknown' && a.status === b.status && a.n === b.n

/** SLO and error ceiling: `low` surely holds, `high` is the first level that surely doesn't. */
function holdingOutcome(before: Ceiling, after: Ceiling): Outcome {
  const breaksWhereHolds = (one: Ceiling, other: Ceiling) => one.high !== null && other.low !== null && one.high <= other.low
  if (breaksWhereHolds(after, before)) return 'worse'
  if (breaksWhereHolds(before, after)) return 'better'
  return isSame(before, after) ? 'equivalent' : 'cannot-tell'
}

/** From `low` to `high`, both within. Full at fewer sessions is a loss only where the rates are lower too: a quicker server may be full sooner. */
function throughputOutcome(before: Ceiling, after: Ceiling, rates: readonly Outcome[]): Outcome {
  const isBelow = (one: Ceiling, other: Ceiling) => one.high !== null && other.low !== null && one.high < other.low
  if (isBelow(after, before)) return rates.includes('worse') ? 'worse' : 'cannot-tell'
  if (isBelow(before, after)) return rates.includes('better') ? 'better' : 'cannot-tell'
  return isSame(before, after) ? 'equivalent' : 'cannot-tell'
}

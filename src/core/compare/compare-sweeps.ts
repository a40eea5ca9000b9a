/** From two sweeps to what changed between them: same load checked, differences listed, an equivalence test for each figure and level. Pure and deterministic. */
import { analyse } from '../analysis/analyse.ts'
import type { Analysis, Ceiling } from '../analysis/analysis.ts'
import { type LevelFacts, sweepFacts } from '../analysis/levels/level-facts.ts'
import { ceilingText } from '../report/report-levels.ts'
import { count } from '../report/words.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { compareLevel } from './compare-figures.ts'
import type { ComparedFigure, Comparison, Outcome } from './comparison.ts'
import { settingDifferences, shapeDifferences } from './plan-differences.ts'

/** A change of a tenth is more than a quiet machine shows from one run to the next. */
export const DEFAULT_MARGIN_RATIO = 0.1

export function compareSweeps(before: SweepState, after: SweepState, marginRatio = DEFAULT_MARGIN_RATIO): Comparison {
  const shapeDiffers = shapeDifferences(before, after)
  const [from, to] = [levelsOf(before), levelsOf(after)]
  const figures =
    shapeDiffers.length > 0
      ? []
      : [...from].flatMap(([key, facts]) => {
          const other = to.get(key)
          return other === undefined ? [] : compareLevel(facts, other, marginRatio, before.plan.seed)
        })
  const [a, b] = [analyse(before), analyse(after)]
  const ceilings = (['slo', 'throughput', 'error'] as const).map((kind) => ({
    kind,
    before: ceilingText(a.ceilings[kind]),
    after: ceilingText(b.ceilings[kind]),
    outcome: ceilingOutcome(a.ceilings[kind], b.ceilings[kind]),
  }))
  // The null leg is Plimsoll itself: it may change without the server having anything to do with it.
  const worse = figures.filter((figure) => figure.outcome === 'worse' && figure.leg !== 'null')
  const lost = shapeDiffers.length > 0 ? [] : ceilings.filter((ceiling) => ceiling.outcome === 'worse')
  const regression = worse.length > 0 || lost.length > 0
  return {
    schema: 'plimsoll.compare/1',
    marginRatio,
    shapeDiffers,
    differences: settingDifferences(before, after),
    unmatched: unmatched(from, to),
    figures,
    ceilings,
    slots: { before: a.effectiveSlots.n, after: b.effectiveSlots.n },
    verdicts: { before: a.verdict.primary, after: b.verdict.primary },
    regression,
    sentence: sentenceOf({ shapeDiffers: shapeDiffers.length > 0, figures, worse, lost: lost.length, marginRatio, a, b }),
  }
}

function levelsOf(state: SweepState): Map<string, LevelFacts> {
  return new Map(sweepFacts(state).levels.map((facts) => [`${facts.level.leg} ${facts.level.n}`, facts]))
}

function unmatched(before: Map<string, LevelFacts>, after: Map<string, LevelFacts>): string[] {
  const only = (these: Map<string, LevelFacts>, those: Map<string, LevelFacts>, which: string) =>
    [...these].flatMap(([key, { level }]) => (those.has(key) ? [] : [`N = ${level.n} of the ${level.leg} leg was measured only ${which}.`]))
  return [...only(before, after, 'before'), ...only(after, before, 'after')]
}

/** Ceilings differ only when their intervals have nothing in common. */
function ceilingOutcome(before: Ceiling, after: Ceiling): Outcome {
  const [a, b] = [bounds(before), bounds(after)]
  if (a === null || b === null) return 'cannot-tell'
  if (b.high < a.low) return 'worse'
  if (b.low > a.high) return 'better'
  return before.n === after.n ? 'equivalent' : 'cannot-tell'
}

function bounds({ status, n, low, high }: Ceiling): { low: number; high: number } | null {
  switch (status) {
    case 'found':
      return n === null ? null : { low: low ?? n, high: high ?? Number.POSITIVE_INFINITY }
    case 'not-reached':
      return n === null ? null : { low: n, high: Number.POSITIVE_INFINITY }
    case 'none-holds':
      return { low: 0, high: 0 }
    case 'unknown':
      return null
  }
}

type Said = {
  readonly shapeDiffers: boolean
  readonly figures: readonly ComparedFigure[]
  readonly worse: readonly ComparedFigure[]
  readonly lost: number
  readonly marginRatio: number
  readonly a: Analysis
  readonly b: Analysis
}

export const METRIC_WORDS: Readonly<Record<ComparedFigure['metric'], string>> = {
  'ttfa-p50': 'time to first activity (p50)',
  'ttfa-p95': 'time to first activity (p95)',
  'wall-mean': 'mean wall',
  'tokens-per-sec': 'total rate',
  failures: 'share of failures',
}

function sentenceOf({ shapeDiffers, figures, worse, lost, marginRatio, a, b }: Said): string {
  const margin = `${Math.round(marginRatio * 100)} %`
  const verdicts = a.verdict.primary === b.verdict.primary ? '' : ` The verdict changed from ${a.verdict.primary} to ${b.verdict.primary}.`
  if (shapeDiffers) return 'The two sweeps carried different loads, so their figures can’t be held against each other.'
  if (figures.length === 0) return 'The two sweeps have no level in common, so nothing can be compared.'
  const [first] = [...worse].sort((x, y) => Math.abs(Math.log(y.change.value || 1)) - Math.abs(Math.log(x.change.value || 1)))
  if (first !== undefined) {
    const by =
      first.metric === 'failures' ? `${(100 * first.change.value).toFixed(1)} points more` : `${first.change.value.toFixed(2)} times what it was`
    return `Worse by more than ${margin} in ${count(worse.length, 'figure')} of ${figures.length}; most of all the ${METRIC_WORDS[first.metric]} at N = ${first.n}: ${by}.${verdicts}`
  }
  if (lost > 0) return `A ceiling is lower than it was.${verdicts}`
  const [better, open] = [figures.filter((one) => one.outcome === 'better').length, figures.filter((one) => one.outcome === 'cannot-tell').length]
  const rest = open === 0 ? '' : ` ${count(open, 'figure')} of ${figures.length} can’t be told: more waves would settle them.`
  return better > 0
    ? `Nothing is worse, and ${count(better, 'figure is', 'figures are')} better by more than ${margin}.${rest}${verdicts}`
    : `No difference beyond ${margin} was found.${rest}${verdicts}`
}

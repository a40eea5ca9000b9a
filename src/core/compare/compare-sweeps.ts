/** From two sweeps to what changed between them: same load checked, differences listed, an equivalence test for each figure and level. Pure and deterministic. */
import { analyse } from '../analysis/analyse.ts'
import type { Analysis } from '../analysis/analysis.ts'
import { type LevelFacts, sweepFacts } from '../analysis/levels/level-facts.ts'
import { count } from '../report/words.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { compareCeilings, compareSlots } from './compare-ceilings.ts'
import { compareFailures, compareLevel, type LevelPair } from './compare-figures.ts'
import type { ComparedFigure, Comparison, UntoldFigure } from './comparison.ts'
import { settingDifferences, shapeDifferences } from './plan-differences.ts'

/** A change of a tenth is more than a quiet machine shows from one run to the next. */
export const DEFAULT_MARGIN_RATIO = 0.1

export function compareSweeps(before: SweepState, after: SweepState, marginRatio = DEFAULT_MARGIN_RATIO): Comparison {
  const shapeDiffers = shapeDifferences(before, after)
  const [from, to] = [levelsOf(before), levelsOf(after)]
  const { figures, untold } = shapeDiffers.length > 0 ? { figures: [], untold: [] } : figuresOf(before, after, { from, to }, marginRatio)
  const [a, b] = [analyse(before), analyse(after)]
  const rates = figures.filter(({ metric, leg }) => metric === 'tokens-per-sec' && leg !== 'null').map(({ outcome }) => outcome)
  const sameLimits = shapeDiffers.length === 0 && JSON.stringify(before.plan.slo) === JSON.stringify(after.plan.slo)
  const ceilings = compareCeilings(a, b, sameLimits, rates)
  const slots = compareSlots(a, b, marginRatio)
  // The null leg is Plimsoll itself: it may change without the server having anything to do with it.
  const worse = figures.filter((figure) => figure.outcome === 'worse' && figure.leg !== 'null')
  const lost = shapeDiffers.length > 0 ? 0 : [...ceilings, slots].filter(({ outcome }) => outcome === 'worse').length
  return {
    schema: 'plimsoll.compare/1',
    marginRatio,
    shapeDiffers,
    differences: settingDifferences(before, after),
    unmatched: unmatched(from, to),
    figures,
    untold,
    ceilings,
    slots,
    verdicts: { before: a.verdict.primary, after: b.verdict.primary },
    regression: worse.length > 0 || lost > 0,
    comparable: figures.some(({ leg }) => leg !== 'null'),
    sentence: sentenceOf({ shapeDiffers: shapeDiffers.length > 0, figures, untold, worse, lost, marginRatio, a, b }),
  }
}

type Levels = Map<string, LevelFacts>

function figuresOf(
  before: SweepState,
  after: SweepState,
  { from, to }: { from: Levels; to: Levels },
  marginRatio: number,
): { figures: ComparedFigure[]; untold: UntoldFigure[] } {
  const pairs = [...from].flatMap(([key, facts]): LevelPair[] => {
    const other = to.get(key)
    return other === undefined ? [] : [{ before: facts, after: other }]
  })
  const compared = pairs.map((pair) => compareLevel(pair, marginRatio))
  const limitRatio = Math.max(before.plan.slo.maxErrorRatio, after.plan.slo.maxErrorRatio)
  const legs = [...new Set(pairs.map((pair) => pair.before.level.leg))]
  return {
    figures: [
      ...compared.flatMap(({ figures }) => figures),
      ...legs.flatMap((leg) =>
        compareFailures(
          pairs.filter((pair) => pair.before.level.leg === leg),
          limitRatio,
        ),
      ),
    ],
    untold: compared.flatMap(({ untold }) => untold),
  }
}

function levelsOf(state: SweepState): Levels {
  return new Map(sweepFacts(state).levels.map((facts) => [`${facts.level.leg} ${facts.level.n}`, facts]))
}

function unmatched(before: Levels, after: Levels): string[] {
  const only = (these: Levels, those: Levels, which: string) =>
    [...these].flatMap(([key, { level }]) => (those.has(key) ? [] : [`N = ${level.n} of the ${level.leg} leg was measured only ${which}.`]))
  return [...only(before, after, 'before'), ...only(after, before, 'after')]
}

type Said = {
  readonly shapeDiffers: boolean
  readonly figures: readonly ComparedFigure[]
  readonly untold: readonly UntoldFigure[]
  readonly worse: readonly ComparedFigure[]
  readonly lost: number
  readonly marginRatio: number
  readonly a: Analysis
  readonly b: Analysis
}

export const METRIC_WORDS: Readonly<Record<ComparedFigure['metric'], string>> = {
  'ttfa-p50': 'time to first activity (p50)',
  'ttfa-p95': 'time to first activity (p95)',
  'wall-p50': 'wall (p50)',
  'wall-p95': 'wall (p95)',
  'wall-mean': 'mean wall',
  'tokens-per-sec': 'total rate',
  failures: 'share of failures',
}

function sentenceOf({ shapeDiffers, figures, untold, worse, lost, marginRatio, a, b }: Said): string {
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
  if (lost > 0) return `The slots or a ceiling are fewer than they were.${verdicts}`
  const [better, open] = [
    figures.filter((one) => one.outcome === 'better').length,
    figures.filter((one) => one.outcome === 'cannot-tell').length + untold.length,
  ]
  const rest = open === 0 ? '' : ` ${count(open, 'figure')} of ${figures.length + untold.length} can’t be told: more waves would settle them.`
  return better > 0
    ? `Nothing is worse, and ${count(better, 'figure is', 'figures are')} better by more than ${margin}.${rest}${verdicts}`
    : `No difference beyond ${margin} was found.${rest}${verdicts}`
}

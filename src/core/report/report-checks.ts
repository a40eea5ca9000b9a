/** What was done to doubt the verdict, and what came of it: Plimsoll's own cost, the path without the runner, N=1 again, slots declared and seen, Little's law, the driver. */
import type { Analysis, LevelSummary } from '../analysis/analysis.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { formatAmount, formatMs, formatRatio, formatSettingMs } from './format-number.ts'
import { percentileText } from './format-percentile.ts'
import { levelsOf } from './report-levels.ts'

export type ReportCheck = { readonly what: string; readonly expected: string; readonly found: string; readonly result: string }

/** Limits of M5 and M9, and the driver's bound (DESIGN.md section 11). */
const DRIFT_WARNING = 0.05
const LITTLE_WARNING = 0.15
const DRIVER_LAG_LIMIT_MS = 25

export function reportChecks(state: SweepState, analysis: Analysis): ReportCheck[] {
  return [
    ...nullLegCheck(analysis),
    ...directCheck(analysis),
    ...driftCheck(analysis),
    ...slotsCheck(state, analysis),
    ...littleCheck(analysis),
    ...driverCheck(analysis),
  ]
}

function nullLegCheck({ ownCost }: Analysis): ReportCheck[] {
  if (ownCost === null) return []
  const small = ownCost.ttfaMs.p50 !== null && ownCost.ttfaMs.p50 <= 10
  return [
    {
      what: `Null leg, N = ${ownCost.n}`,
      expected: 'against a model that answers at once, Plimsoll adds next to nothing',
      found: `ttfa p50 ${percentileText(ownCost.ttfaMs, 'p50')}, p95 ${percentileText(ownCost.ttfaMs, 'p95')}`,
      result: ownCost.ttfaMs.p50 === null ? 'can’t tell' : small ? 'agrees' : 'adds visibly',
    },
  ]
}

function directCheck(analysis: Analysis): ReportCheck[] {
  const runner = levelsOf(analysis, 'runner')
  const pair = levelsOf(analysis, 'direct')
    .reverse()
    .map((direct) => ({ direct, through: runner.find(({ n }) => n === direct.n) }))
    .find((candidate): candidate is { direct: LevelSummary; through: LevelSummary } => candidate.through !== undefined)
  if (pair === undefined) return []
  const { direct, through } = pair
  const apart = direct.ttftMs.p50 === null || through.ttftMs.p50 === null ? null : through.ttftMs.p50 / direct.ttftMs.p50 - 1
  return [
    {
      what: `Direct leg, N = ${direct.n}`,
      expected: 'the same wait for the first token without the runner',
      found: `ttft p50 ${percentileText(direct.ttftMs, 'p50')}, through the runner ${percentileText(through.ttftMs, 'p50')}`,
      result: apart === null ? 'can’t tell' : Math.abs(apart) <= 0.1 ? 'agrees' : 'differs',
    },
  ]
}

function driftCheck({ driftRatio }: Analysis): ReportCheck[] {
  if (driftRatio === null) return []
  const sign = driftRatio < 0 ? '−' : '+'
  return [
    {
      what: 'N = 1 again, at the end',
      expected: `as at the start, within ${formatRatio(DRIFT_WARNING)}`,
      found: `wall ${sign} ${formatRatio(Math.abs(driftRatio))}`,
      result: Math.abs(driftRatio) <= DRIFT_WARNING ? 'no drift' : 'drifts',
    },
  ]
}

const answers = (n: number) => (n === 1 ? '1 answer' : `${formatAmount(n)} answers`)

function slotsCheck(state: SweepState, { effectiveSlots }: Analysis): ReportCheck[] {
  if (effectiveSlots.n === null) return []
  const { declared, n, plateau } = effectiveSlots
  const source = state.facts?.declaredSlotsSource
  return [
    {
      what: 'Slots, declared and seen',
      expected: declared === null ? 'the server declares none' : `${formatAmount(declared)}${source ? `, by ${source}` : ''}`,
      found: plateau ? `${answers(n)} streamed at once, and no more at higher N` : `at least ${answers(n)} streamed at once; it still rose`,
      result: declared === null || !plateau ? 'can’t tell' : Math.round(n) === declared ? 'agrees' : 'differs',
    },
  ]
}

function littleCheck(analysis: Analysis): ReportCheck[] {
  const gaps = analysis.levels.flatMap(({ leg, n, littleGapRatio }) =>
    littleGapRatio === null || leg === 'null' ? [] : [{ n, gap: Math.abs(littleGapRatio) }],
  )
  const largest = gaps.reduce<{ n: number; gap: number } | undefined>(
    (worst, gap) => (worst === undefined || gap.gap > worst.gap ? gap : worst),
    undefined,
  )
  if (largest === undefined) return []
  return [
    {
      what: 'Little’s law',
      expected: `sessions in flight = rate × time, within ${formatRatio(LITTLE_WARNING)}`,
      found: `largest gap ${formatRatio(largest.gap)}, at N = ${largest.n}`,
      result: largest.gap <= LITTLE_WARNING ? 'agrees' : 'differs',
    },
  ]
}

function driverCheck(analysis: Analysis): ReportCheck[] {
  const largest = (value: (level: LevelSummary) => number | null) =>
    Math.max(...analysis.levels.map((level) => value(level) ?? Number.NEGATIVE_INFINITY))
  const lag = largest((level) => level.driverLagMsP99)
  const receive = largest((level) => level.receiveLagMsP99)
  if (!Number.isFinite(lag)) return []
  return [
    {
      what: 'The load driver itself',
      expected: `sends on time, p99 within ${formatSettingMs(DRIVER_LAG_LIMIT_MS)}`,
      found: `lag p99 ${formatMs(lag)}${Number.isFinite(receive) ? `, events received ${formatMs(receive)} late at p99` : ''}`,
      result: lag <= DRIVER_LAG_LIMIT_MS ? 'agrees' : 'too late',
    },
  ]
}

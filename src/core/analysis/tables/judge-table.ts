/** From one measured table to its verdict: facts of each series, the first rule that applies, claims, and what is missing. Pure. */
import type { Evidence, Verdict, VerdictCode } from '../analysis.ts'
import { clumpRule, comparedArmsRule, connectRule, driftRule, driftSentence, repeatedPromptRule, resetRule, slotsChangedRule } from './arm-rules.ts'
import { arrivalRule, slotSweepRule, thinkRule } from './axis-rules.ts'
import { allRunningRule, clientCoreRule, fixedWorkRule, serverCoreRule, serverSeesPoolRule } from './counter-rules.ts'
import { failureRule, preemptionRule, spillRule } from './failure-rules.ts'
import { criticalPathRule, jobStretchRule } from './job-rules.ts'
import { curveOf } from './level-curve.ts'
import type { MeasuredTable } from './measured-table.ts'
import { firstTokenRule, occupancyRule } from './occupancy-rules.ts'
import { outlookOf } from './outlook.ts'
import {
  clientPoolRule,
  forcedSlotsRule,
  jobSchedulerRule,
  loadGeneratorRule,
  loopLagRule,
  providerRule,
  reloadRule,
  serverGaugeRule,
} from './pinned-rules.ts'
import { readSettings } from './said-settings.ts'
import { type Series, seriesOf } from './series.ts'
import { claimsOf } from './table-claims.ts'
import { doubtsOf } from './table-doubts.ts'
import { finding, type SeriesFacts, type TableFacts, type TableFinding, type TableRule } from './table-finding.ts'
import { occupancyOf } from './table-slots.ts'
import { cliffRule, engineOnlyRule, knownLimitRule, noneReachedRule, totalsOnlyRule, unbatchedRule, unverifiableRule } from './totals-rules.ts'

export type TableJudgement = {
  readonly verdict: Verdict
  readonly ceilingN: number | null
  readonly highestTestedN: number | null
  readonly claims: readonly string[]
  readonly missing: readonly string[]
  /** Contradictions and oddities in the table itself. */
  readonly doubts: readonly string[]
  /** Totals in tokens a second over n, of the series that the verdict speaks of. */
  readonly rates: readonly { readonly n: number; readonly rate: number }[]
  /** Each series of the table, where there are several. */
  readonly series: readonly {
    readonly label: string
    readonly primary: VerdictCode
    readonly sentence: string
    readonly effectiveSlots: number | null
    readonly ceilingN: number | null
  }[]
}

/** Measurement and policy before physics, direct sight before inference. */
const RULES: readonly TableRule[] = [
  loadGeneratorRule,
  clumpRule,
  repeatedPromptRule,
  resetRule,
  connectRule,
  slotsChangedRule,
  driftRule,
  clientCoreRule,
  failureRule,
  preemptionRule,
  spillRule,
  providerRule,
  reloadRule,
  forcedSlotsRule,
  jobSchedulerRule,
  clientPoolRule,
  serverSeesPoolRule,
  serverGaugeRule,
  serverCoreRule,
  arrivalRule,
  thinkRule,
  slotSweepRule,
  jobStretchRule,
  criticalPathRule,
  fixedWorkRule,
  unbatchedRule,
  unverifiableRule,
  cliffRule,
  allRunningRule,
  occupancyRule,
  engineOnlyRule,
  noneReachedRule,
  firstTokenRule,
  loopLagRule,
  knownLimitRule,
  totalsOnlyRule,
  comparedArmsRule,
]

export function judgeTable(table: MeasuredTable): TableJudgement {
  const said = readSettings(table.context)
  const all = seriesOf(table, said).map((series): SeriesFacts => {
    const curve = curveOf(series)
    return { series, curve, occupancy: curve === null ? null : occupancyOf(series, curve, said.isBurst) }
  })
  const judged = all.map((own) => ({ own, found: judgeOne({ ...own, all, table: ownTable(table, own.series, all.length), said }) }))
  const lead = leadOf(judged)
  if (lead === undefined) return nothingToJudge(table)
  const facts: TableFacts = { ...lead.own, all, table, said }
  const drift = driftSentence(lead.own.series)
  // Above 5 % between two looks at one level nothing that compares levels is likely any more.
  if (drift !== null && lead.found.confidence === 'likely') lead.found = { ...lead.found, confidence: 'suspected' }
  const highest = Math.max(
    Number.NEGATIVE_INFINITY,
    ...table.rows.map(({ figures }) => figures.n ?? said.n ?? figures.configuredLimit ?? Number.NEGATIVE_INFINITY),
  )
  return {
    verdict: verdictOf(lead.found),
    ceilingN: ceilingOf(lead.own, lead.found),
    highestTestedN: Number.isFinite(highest) ? highest : null,
    claims: [...new Set([...claimsOf(facts, lead.found), ...(drift === null ? [] : [drift])])],
    rates: lead.own.series.unit === 'tok/s' ? (lead.own.curve?.levels ?? []).map(({ n, total }) => ({ n, rate: total })) : [],
    missing: [...new Set(lead.found.missing)],
    doubts: doubtsOf(
      table,
      all.map(({ series }) => series),
      lead.found.primary === 'inconclusive',
    ),
    series:
      judged.length < 2
        ? []
        : judged.map(({ own, found }) => ({
            label: own.series.label,
            primary: found.primary,
            sentence: found.sentence,
            effectiveSlots: found.slots,
            ceilingN: ceilingOf(own, found),
          })),
  }
}

/** Rules on what was configured and seen look across all rows; a curve's rules at one series. */
function judgeOne(facts: TableFacts): TableFinding {
  return RULES.reduce<TableFinding | null>((found, rule) => found ?? rule(facts), null) ?? fallback(facts)
}

const ownTable = (table: MeasuredTable, series: Series, count: number): MeasuredTable =>
  count < 2 || series.axis === 'single'
    ? table
    : { ...table, rows: table.rows.filter(({ figures }) => series.points.some((point) => point.row === figures)) }

type Judged = { readonly own: SeriesFacts; found: TableFinding }

/** What remains when most slots were given is the machine's own limit; among equals the first that says anything. */
function leadOf(judged: readonly Judged[]): Judged | undefined {
  const bySlots = judged.toSorted((a, b) => (b.own.series.slots ?? 0) - (a.own.series.slots ?? 0))
  return (
    bySlots.find(({ found }) => found.primary !== 'inconclusive' && found.primary !== 'none_reached') ??
    bySlots.find(({ found }) => found.primary !== 'inconclusive') ??
    bySlots[0]
  )
}

function ceilingOf({ curve }: SeriesFacts, found: TableFinding): number | null {
  if (found.ceilingN !== undefined) return found.ceilingN
  return curve?.isReached === true ? curve.knee.n : null
}

function verdictOf(found: TableFinding): Verdict {
  const evidence: readonly Evidence[] = found.evidence
  return {
    primary: found.primary,
    secondary: found.secondary,
    mechanism: found.mechanism,
    confidence: found.confidence,
    sentence: found.sentence,
    ...outlookOf(found),
    effectiveSlots: found.slots,
    evidence: [...evidence],
  }
}

function fallback({ series, curve, said }: TableFacts): TableFinding {
  const levels = series.points.length
  const why =
    levels === 0
      ? 'no row has a number of sessions with a figure beside it'
      : levels === 1
        ? `there is one level only${series.points[0]?.n == null ? '' : ` (n=${series.points[0].n})`}, and growth needs two`
        : curve === null
          ? 'there are no totals, walls or latencies over n'
          : 'the columns speak for more than one cause'
  return finding('inconclusive', 'cannot-tell', {
    mechanism: 'the table cannot carry a verdict',
    sentence: `What gives way first can't be told from this table: ${why}.`,
    ceilingN: null,
    claims: [`This table cannot carry a verdict: ${why}.`],
    missing: [
      ...(levels < 2 ? ['Levels: the same measurement at n = 1, 2, 4, 8 …'] : []),
      'Total output rate by the wall clock at each n.',
      'Decode rate per request (or time per token) at each n: unchanged means a queue, falling means shared hardware.',
      ...(said.slots === null ? ['The slot count configured, and the one observed.'] : []),
    ],
  })
}

function nothingToJudge(table: MeasuredTable): TableJudgement {
  const found = finding('inconclusive', 'cannot-tell', {
    mechanism: 'no figures',
    sentence: `Nothing in ${table.source} was understood as a measurement.`,
    missing: ['A column with the number of sessions (n, concurrency, users …) and at least one of wall, total rate, decode rate or latency.'],
  })
  return {
    verdict: verdictOf(found),
    ceilingN: null,
    highestTestedN: null,
    claims: [found.sentence],
    missing: found.missing,
    doubts: [],
    rates: [],
    series: [],
  }
}

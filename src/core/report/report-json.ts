/**
 * The one object that `plimsoll sweep --json` prints, for scripts and CI. Version in `schema`: fields are added within a version, never renamed or removed.
 * null stands wherever a number can't be had; milliseconds, tokens a second, shares from 0 to 1 and percent from 0 to 100, as the names say.
 */
import { z } from 'zod'
import {
  type Analysis,
  type Ceiling,
  candidateSchema,
  confidenceSchema,
  curveFitSchema,
  evidenceSchema,
  interventionSchema,
  type Percentiles,
  partSchema,
  verdictCodeSchema,
} from '../analysis/analysis.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { modeOf } from '../sweep/modes.ts'
import { legSchema, modeSchema } from '../sweep/plan.ts'
import { isSimulated } from './report-levels.ts'

export const REPORT_JSON_SCHEMA = 'plimsoll.sweep/1'

const maybe = z.number().nullable()

/** Exact order statistics; null when there are too few samples (p50 needs 6, p95 59, p99 299) or when the percentile lies among failed sessions. */
const percentilesJsonSchema = z.object({ p50: maybe, p95: maybe, p99: maybe })

/**
 * `n` is the ceiling: 0 = not even the first level holds, null = not reached, or it can't be told. It lies between `low` (holds) and `high` (the first level that
 * doesn't hold, null = none was seen). So `{n: null, low: 8, high: null}` reads "8 or more". null for the whole: the data can't tell.
 */
const ceilingJsonSchema = z.object({ n: z.int().nullable(), low: z.int().nullable(), high: z.int().nullable(), because: z.string() }).nullable()

export const reportJsonSchema = z.object({
  schema: z.literal(REPORT_JSON_SCHEMA),
  sweepId: z.string(),
  status: z.enum(['running', 'completed', 'cancelled', 'failed', 'interrupted']),
  /** Numbers of a simulated server: they say nothing about any machine. */
  simulated: z.boolean(),
  verdict: z.object({
    primary: verdictCodeSchema,
    /** What gives way behind the first. */
    secondary: verdictCodeSchema.nullable(),
    mechanism: z.string().nullable(),
    confidence: confidenceSchema,
    sentence: z.string(),
    /** Plateau of the answers that streamed at the same moment. */
    effectiveSlots: maybe,
    evidence: z.array(evidenceSchema),
  }),
  ceilings: z.object({ slo: ceilingJsonSchema, throughput: ceilingJsonSchema, error: ceilingJsonSchema }),
  /** One entry a leg and level that was measured, in the order of legs, then n. */
  levels: z.array(
    z.object({
      leg: legSchema,
      n: z.int(),
      /** Sessions a second; null but under open load, where n is the mean number in flight. */
      ratePerSec: maybe,
      sessions: z.int(),
      failures: z.int(),
      ttfaMs: percentilesJsonSchema,
      firstModelRequestMs: percentilesJsonSchema,
      ttftMs: percentilesJsonSchema,
      doneMs: percentilesJsonSchema,
      wallMs: percentilesJsonSchema,
      queueWaitMs: percentilesJsonSchema,
      tokensPerSec: maybe,
      /** Of the mean wall, 0 to 1; null = no session of the level got so far. */
      shares: z.record(partSchema, maybe),
      slotsInUse: maybe,
      hostCpuPercentMax: maybe,
      loopDelayMsP99: maybe,
      fairness: z.object({ slowestOverFastest: maybe, jainIndex: maybe, starved: z.int() }).nullable(),
    }),
  ),
  /** Null: levels as they were given. */
  mode: modeSchema.nullable(),
  load: z.enum(['burst', 'sustained', 'open']),
  fits: z.array(curveFitSchema.omit({ points: true })),
  interventions: z.array(interventionSchema),
  candidates: z.array(candidateSchema),
  warnings: z.array(z.object({ code: z.string(), text: z.string() })),
  /** What went wrong, where the sweep did not complete. */
  problem: z.object({ code: z.string(), happened: z.string(), expected: z.string(), todo: z.string() /* what the person can do */ }).nullable(),
  /** The HTML report; null when it could not be written. */
  reportPath: z.string().nullable(),
})
export type ReportJson = z.infer<typeof reportJsonSchema>

const finite = (value: number | null): number | null => (value !== null && Number.isFinite(value) ? value : null)

const percentilesJson = ({ p50, p95, p99 }: Percentiles) => ({ p50: finite(p50), p95: finite(p95), p99: finite(p99) })

function ceilingJson(ceiling: Ceiling) {
  const { because } = ceiling
  switch (ceiling.status) {
    case 'found':
      return { n: ceiling.n, low: ceiling.low, high: ceiling.high, because }
    case 'not-reached':
      return { n: null, low: ceiling.low ?? ceiling.n, high: null, because }
    case 'none-holds':
      return { n: 0, low: null, high: ceiling.high, because }
    case 'unknown':
      return null
  }
}

export function reportJson(state: SweepState, analysis: Analysis, reportPath: string | null): ReportJson {
  const { primary, secondary, mechanism, confidence, sentence, effectiveSlots, evidence } = analysis.verdict
  return {
    schema: REPORT_JSON_SCHEMA,
    sweepId: state.plan.sweepId,
    status: state.status,
    simulated: isSimulated(state),
    verdict: { primary, secondary, mechanism, confidence, sentence, effectiveSlots, evidence: [...evidence] },
    ceilings: {
      slo: ceilingJson(analysis.ceilings.slo),
      throughput: ceilingJson(analysis.ceilings.throughput),
      error: ceilingJson(analysis.ceilings.error),
    },
    levels: analysis.levels.map((level) => ({
      leg: level.leg,
      n: level.n,
      ratePerSec: level.ratePerSec ?? null,
      sessions: level.sessions,
      failures: level.failures,
      ttfaMs: percentilesJson(level.ttfaMs),
      firstModelRequestMs: percentilesJson(level.firstModelRequestMs),
      ttftMs: percentilesJson(level.ttftMs),
      doneMs: percentilesJson(level.doneMs),
      wallMs: percentilesJson(level.wallMs),
      queueWaitMs: percentilesJson(level.queueWaitMs),
      tokensPerSec: finite(level.tokensPerSec),
      shares: level.shares,
      slotsInUse: finite(level.slotsInUse),
      hostCpuPercentMax: finite(level.hostCpuPercentMax),
      loopDelayMsP99: finite(level.loopDelayMsP99),
      fairness: level.fairness && {
        ...level.fairness,
        slowestOverFastest: finite(level.fairness.slowestOverFastest),
        jainIndex: finite(level.fairness.jainIndex),
      },
    })),
    mode: modeOf(state.plan.request) ?? null,
    load: state.plan.request.load?.kind ?? 'burst',
    fits: analysis.fits.map(({ points: _, ...fit }) => fit),
    interventions: [...analysis.interventions],
    candidates: [...analysis.candidates],
    warnings: analysis.warnings.map(({ code, text }) => ({ code, text })),
    problem: state.problem,
    reportPath,
  }
}

/**
 * What an analysis says: shapes only. `analyse(state)` (analyse.ts) makes it from a SweepState, purely.
 * Live page, report, CLI table and `--json` all read this one value.
 */
import { z } from 'zod'
import { legSchema } from '../sweep/plan.ts'

/** Parts of a turn's wall, in the order of time; their sum is wall. Queueing of background calls counts as queue, not as background. */
export const PARTS = ['runner', 'admission', 'queue', 'load', 'swap', 'prefill', 'neighbourPrefill', 'decode', 'tools', 'background'] as const
export const partSchema = z.enum(PARTS)
export type Part = z.infer<typeof partSchema>

/** Milliseconds. A percentile is null when there are too few samples for it (M8: p50 6, p95 59, p99 299); `count` says how many there are. */
export const percentilesSchema = z.object({
  count: z.int(),
  p50: z.number().nullable(),
  p95: z.number().nullable(),
  p99: z.number().nullable(),
  min: z.number().nullable(),
  max: z.number().nullable(),
  /** What an eye needs before there are enough samples: plain order statistics, never to be shown as p50 or p95 without saying so. */
  roughP50: z.number().nullable(),
  roughP95: z.number().nullable(),
})
export type Percentiles = z.infer<typeof percentilesSchema>

export const levelSummarySchema = z.object({
  leg: legSchema,
  /** Under open load: sessions in flight on the average, rounded. */
  n: z.int(),
  /** Sessions a second; only under open load. Such levels have no part in ceilings, growth and curves. */
  ratePerSec: z.number().optional(),
  cells: z.int(),
  /** Of a sustained level: slices of its steady span. */
  waves: z.int(),
  sessions: z.int(),
  failures: z.int(),
  /** Stopped by us: counted nowhere but here. */
  cut: z.int(),
  ttfaMs: percentilesSchema,
  firstModelRequestMs: percentilesSchema,
  ttftMs: percentilesSchema,
  doneMs: percentilesSchema,
  wallMs: percentilesSchema,
  queueWaitMs: percentilesSchema,
  /** Output tokens over the time in which the level was under full load: a wave's tail, in which slots stand empty because no more turns come, is left out. */
  tokensPerSec: z.number().nullable(),
  /** Median over model calls of (tokens-1)/(last-first). */
  decodeTokensPerSec: z.number().nullable(),
  /** Mean milliseconds of each part per session; the sum is the mean wall. */
  partsMs: z.record(partSchema, z.number()),
  /** The same as shares of wall, 0 to 1. */
  shares: z.record(partSchema, z.number()),
  /** Largest number of answers that streamed at once and lasted. */
  slotsInUse: z.number().nullable(),
  /** Share of started sessions that held the SLO, and its one-sided 95 % lower bound. */
  held: z.object({ count: z.int(), ratio: z.number().nullable(), lowerBound: z.number().nullable() }),
  errorRatioUpperBound: z.number().nullable(),
  hostCpuPercentMean: z.number().nullable(),
  hostCpuPercentMax: z.number().nullable(),
  serverCpuPercentMean: z.number().nullable(),
  serverCpuPercentMax: z.number().nullable(),
  memoryUsedBytesMax: z.number().nullable(),
  loopDelayMsP99: z.number().nullable(),
  driverLagMsP99: z.number().nullable(),
  receiveLagMsP99: z.number().nullable(),
  /** (R·X − N)/N over the level (M9); null where it can't be told. */
  littleGapRatio: z.number().nullable(),
  /** How evenly the sessions of a wave were served. Null with one session. */
  fairness: z
    .object({
      /** Median over waves of the slowest session's wall over the fastest's. */
      slowestOverFastest: z.number(),
      /** Jain's index of the walls, median over waves; 1 = all alike. */
      jainIndex: z.number(),
      /** Turns that took more than ten medians of their level, or waited as long as the others took and never got a first token. */
      starved: z.int(),
    })
    .nullable(),
})
export type LevelSummary = z.infer<typeof levelSummarySchema>

export const intervalSchema = z.object({ value: z.number(), low: z.number(), high: z.number() })

export const ceilingSchema = z.object({
  /** `none-holds`: the first level misses already. `not-reached`: the largest level tested still holds. `unknown`: the data can't tell. */
  status: z.enum(['found', 'not-reached', 'none-holds', 'unknown']),
  /** The ceiling; for `not-reached` the largest level tested. */
  n: z.int().nullable(),
  /** It lies in here. SLO, error: `low` surely holds, `high` is the first level that surely doesn't (null = none was seen). Throughput: from `low` to `high`, both within. */
  low: z.int().nullable(),
  high: z.int().nullable(),
  /** One line: "64 of 64 hold, at 8 half". */
  because: z.string(),
})
export type Ceiling = z.infer<typeof ceilingSchema>

export const verdictCodeSchema = z.enum([
  'model_server_queue',
  'model_server_engine',
  'model_server_reload',
  'hardware',
  'runner_process',
  'job_scheduler',
  'load_generator',
  'provider_limit',
  'none_reached',
  'inconclusive',
  'invalid_measurement',
])
export type VerdictCode = z.infer<typeof verdictCodeSchema>

export const evidenceSchema = z.object({
  stance: z.enum(['for', 'against', 'open']),
  /** A whole sentence with its figures. */
  text: z.string(),
})
export type Evidence = z.infer<typeof evidenceSchema>

export const confidenceSchema = z.enum(['cannot-tell', 'suspected', 'likely', 'confirmed'])

export const verdictSchema = z.object({
  primary: verdictCodeSchema,
  /** What gives way behind the first: "hardware" up to 4, "model_server_queue" beyond. */
  secondary: verdictCodeSchema.nullable().default(null),
  /** How it comes about, in a few words: "one slot, first come first served". */
  mechanism: z.string().nullable().default(null),
  confidence: confidenceSchema,
  /** A sentence a person can act on: what gives way first, at which N, why. */
  sentence: z.string(),
  wouldMove: z.string().nullable(),
  wouldNotMove: z.string().nullable(),
  /** When inconclusive: what measurement would settle it. */
  toSettle: z.string().nullable(),
  effectiveSlots: z.number().nullable(),
  evidence: z.array(evidenceSchema),
})
export type Verdict = z.infer<typeof verdictSchema>

/** A part's share of the growth of mean wall from N=1 to the level `n`, with a bootstrap interval; shares of all parts sum to 1. */
export const growthSchema = z.object({ part: partSchema, share: intervalSchema })

export const analysisWarningSchema = z.object({ code: z.string(), text: z.string() })

export const FIT_MODELS = ['hinge', 'usl', 'linear'] as const
/** A curve through the total rates over N. The chosen one has the least leave-one-out error; the others are shown as rejected. */
export const curveFitSchema = z.object({
  model: z.enum(FIT_MODELS),
  isChosen: z.boolean(),
  /** Root mean square of the leave-one-out errors, as a ratio of the mean rate. */
  leaveOneOutErrorRatio: z.number(),
  /** Where it bends or peaks, with a bootstrap interval; null = it has no such point. */
  knee: intervalSchema.nullable(),
  /** The curve drawn: N ascending, tokens per second. */
  points: z.array(z.object({ n: z.number(), tokensPerSec: z.number() })),
})
export type CurveFit = z.infer<typeof curveFitSchema>

/** One thing was changed on purpose, and what followed. */
export const interventionSchema = z.object({
  kind: z.enum(['null-leg', 'direct-leg', 'prompt-length', 'slots']),
  /** Whether it came out as the verdict predicts; null = it says nothing either way. */
  agrees: z.boolean().nullable(),
  /** A whole sentence with its figures. */
  text: z.string(),
})
export type Intervention = z.infer<typeof interventionSchema>

/** A cause that could be meant, with its share of the growth; what the live page shows before the verdict is firm. Descending by share. */
export const candidateSchema = z.object({ code: verdictCodeSchema, share: intervalSchema })
export type Candidate = z.infer<typeof candidateSchema>

export const analysisSchema = z.object({
  levels: z.array(levelSummarySchema),
  effectiveSlots: z.object({
    /** Plateau of the streaming overlap over N; null before there is one. */
    n: z.number().nullable(),
    /** False: overlap still rose with the last N, so this is only a lower bound. */
    plateau: z.boolean(),
    declared: z.number().nullable(),
  }),
  ceilings: z.object({ slo: ceilingSchema, throughput: ceilingSchema, error: ceilingSchema }),
  /** From N=1 to the largest measured level of the runner leg (else direct); empty without both. */
  growth: z.object({ fromN: z.int(), toN: z.int(), parts: z.array(growthSchema) }).nullable(),
  /** What Plimsoll adds: the null leg at its largest N. */
  ownCost: z.object({ n: z.int(), ttfaMs: percentilesSchema, cpuPercentMain: z.number().nullable() }).nullable(),
  /** Change of N=1's wall from its first to its closing cell, as a ratio; null without a closing cell. */
  driftRatio: z.number().nullable(),
  /** Curves through the total rates of the leading leg; empty with fewer than three levels. */
  fits: z.array(curveFitSchema),
  interventions: z.array(interventionSchema),
  candidates: z.array(candidateSchema),
  verdict: verdictSchema,
  warnings: z.array(analysisWarningSchema),
})
export type Analysis = z.infer<typeof analysisSchema>

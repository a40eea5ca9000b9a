/**
 * What a comparison of two sweeps says: shapes only. `compareSweeps` (compare-sweeps.ts) makes it, purely.
 * "Before" is the sweep that the other one, "after", is held against.
 */
import { z } from 'zod'
import { intervalSchema, verdictCodeSchema } from '../analysis/analysis.ts'
import { legSchema } from '../sweep/plan.ts'

export const METRICS = ['ttfa-p50', 'ttfa-p95', 'wall-p50', 'wall-p95', 'wall-mean', 'tokens-per-sec', 'failures'] as const
export const metricSchema = z.enum(METRICS)
export type ComparedMetric = z.infer<typeof metricSchema>

/** `equivalent`: the whole interval lies within the margin; `worse`, `better`: the whole interval lies beyond it; else it can't be told. */
export const outcomeSchema = z.enum(['equivalent', 'better', 'worse', 'cannot-tell'])
export type Outcome = z.infer<typeof outcomeSchema>

export const comparedFigureSchema = z.object({
  leg: legSchema,
  n: z.int(),
  metric: metricSchema,
  /** Milliseconds, tokens per second, or a ratio of failed sessions. */
  before: z.number(),
  after: z.number(),
  /** After over before, with a bootstrap interval over waves; of failures the difference of the two ratios. */
  change: intervalSchema,
  /** How much of a change is none, of this figure: the margin asked for, or what the instrument's own clock allows. */
  marginRatio: z.number(),
  outcome: outcomeSchema,
})
export type ComparedFigure = z.infer<typeof comparedFigureSchema>

/** A figure that can't be held against the other sweep's, and why. */
export const untoldFigureSchema = comparedFigureSchema.pick({ leg: true, n: true, metric: true }).extend({ because: z.string() })
export type UntoldFigure = z.infer<typeof untoldFigureSchema>

export const differenceSchema = z.object({ what: z.string(), before: z.string(), after: z.string() })
export type Difference = z.infer<typeof differenceSchema>

export const comparedCeilingSchema = z.object({
  kind: z.enum(['slo', 'throughput', 'error']),
  before: z.string(),
  after: z.string(),
  outcome: outcomeSchema,
})

export const comparisonSchema = z.object({
  schema: z.literal('plimsoll.compare/1'),
  /** Ratio of a change that counts as none. */
  marginRatio: z.number(),
  /** Why figures can't be held against each other at all: what the two plans ask for differs. Empty = they can. */
  shapeDiffers: z.array(differenceSchema),
  /** Server, model, settings, machine: what may explain a change. */
  differences: z.array(differenceSchema),
  /** Levels that only one of the two has measured. */
  unmatched: z.array(z.string()),
  figures: z.array(comparedFigureSchema),
  untold: z.array(untoldFigureSchema),
  ceilings: z.array(comparedCeilingSchema),
  slots: z.object({ before: z.number().nullable(), after: z.number().nullable(), outcome: outcomeSchema }),
  verdicts: z.object({ before: verdictCodeSchema, after: verdictCodeSchema }),
  regression: z.boolean(),
  /** False: the plans differ, or no level is in both, so that no figure could be compared. */
  comparable: z.boolean(),
  /** One sentence for a person. */
  sentence: z.string(),
})
export type Comparison = z.infer<typeof comparisonSchema>

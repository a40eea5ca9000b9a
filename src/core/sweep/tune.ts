/**
 * Shapes of `tune`: the same short sweep on servers that differ in their slots alone, and which number is recommended.
 * The recommendation is made in core/analysis/recommend-slots.ts.
 */
import { z } from 'zod'
import { problemSchema } from '../result/problem.ts'
import { sloSchema, sweepRequestSchema, workloadSchema } from './plan.ts'
import { engineSchema } from './target.ts'

export const tuneRequestSchema = z.object({
  target: z.discriminatedUnion('kind', [
    /** A private `ollama serve`, started for each number of slots beside whatever runs already. */
    z.object({
      kind: z.literal('ollama'),
      /** Null = the one that suits best. */
      model: z.string().nullable(),
      /** Path of the program; null = it is looked for. */
      program: z.string().nullable(),
      /** The person's own server: its model folder and settings are taken over, it is asked for nothing else. */
      ownUrl: z.string().default('http://127.0.0.1:11434'),
    }),
    z.object({ kind: z.literal('built-in'), engine: engineSchema, model: z.string(), settings: z.record(z.string(), z.unknown()).default({}) }),
  ]),
  slots: z
    .array(z.int().positive().max(64))
    .min(1)
    .max(8)
    .default([1, 2, 4])
    .transform((counts) => [...new Set(counts)].sort((a, b) => a - b)),
  workload: workloadSchema.partial().default({}),
  slo: sloSchema.partial().default({}),
  seed: z.int().nonnegative().default(7),
})
export type TuneRequest = z.infer<typeof tuneRequestSchema>
export type TuneRequestInput = z.input<typeof tuneRequestSchema>

const spreadSchema = z.object({ value: z.number(), low: z.number(), high: z.number() })

/** What one number of slots came to, at the largest level, which is the same for all. Spreads are over the waves. */
export const tuneFiguresSchema = z.object({
  n: z.int(),
  tokensPerSec: spreadSchema,
  ttfaMs: spreadSchema.nullable(),
  /** Of one answer. */
  decodeTokensPerSec: z.number().nullable(),
  heldRatio: z.number().nullable(),
  sessions: z.int(),
  failures: z.int(),
  /** Answers that were seen to stream at once. */
  slotsInUse: z.number().nullable(),
  /** The server's processes at most; null where they could not be seen. */
  memoryBytes: z.number().nullable(),
  /** Of the loaded model on the GPU. */
  vramBytes: z.number().nullable(),
  /** What the contexts of all slots take of that. */
  contextBytes: z.number().nullable(),
})
export type TuneFigures = z.infer<typeof tuneFiguresSchema>

export const tuneTrialSchema = z.object({
  slots: z.int(),
  status: z.enum(['waiting', 'starting', 'running', 'done', 'failed']),
  /** Stored like any other sweep. */
  sweepId: z.string().nullable(),
  figures: tuneFiguresSchema.nullable(),
  problem: problemSchema.nullable(),
})
export type TuneTrial = z.infer<typeof tuneTrialSchema>

export const tuneAdviceSchema = z.object({
  /** The number to set; null = it can't be told. */
  slots: z.int().nullable(),
  /** More slots move neither the total rate nor the time to first activity: the engine is the limit. */
  engineIsLimit: z.boolean(),
  sentence: z.string(),
  /** What it costs, and what was seen besides, each a sentence. */
  notes: z.array(z.string()),
})
export type TuneAdvice = z.infer<typeof tuneAdviceSchema>

export const tuneStateSchema = z.object({
  status: z.enum(['idle', 'running', 'done', 'cancelled', 'failed']),
  /** What is measured: "mid on a private Ollama". Empty when nothing was. */
  label: z.string(),
  /** As a person sets it: `OLLAMA_NUM_PARALLEL`, `--slots`. */
  setting: z.string(),
  trials: z.array(tuneTrialSchema),
  advice: tuneAdviceSchema.nullable(),
  problem: problemSchema.nullable(),
})
export type TuneState = z.infer<typeof tuneStateSchema>

export const IDLE_TUNE: TuneState = { status: 'idle', label: '', setting: '', trials: [], advice: null, problem: null }

/** One session alone, and for every trial the same number at once: twice the most slots, so that all of them are seen to be full. */
function tuneLevels(slots: readonly number[]): number[] {
  return [1, 2 * Math.max(...slots)]
}

/** Each wave of the largest level is a sample of its own; so many show what is noise. */
const WAVES = 3

/** The sweep of one trial, but for its target. */
export function tuneSweep(request: TuneRequest, target: z.input<typeof sweepRequestSchema>['target']) {
  return sweepRequestSchema.parse({
    target,
    levels: tuneLevels(request.slots),
    repeats: 1,
    waves: WAVES,
    legs: ['runner'],
    workload: { promptTokens: 30, outputTokens: 24, memoryNote: false, ...request.workload },
    slo: request.slo,
    seed: request.seed,
  })
}

/** Shapes of a sweep before it runs: what is asked for, and the complete plan made of it. `planSweep` (plan-sweep.ts) goes from one to the other. */
import { z } from 'zod'
import { sweepIdSchema } from '../result/ids.ts'
import { faultsSchema } from './faults.ts'
import { targetSchema } from './target.ts'

export const legSchema = z.enum(['runner', 'direct', 'null'])
export type Leg = z.infer<typeof legSchema>

export const sloSchema = z.object({
  /** A session holds when its ttfa is at most this. */
  ttfaMs: z.number().positive(),
  /** Share of sessions that must hold, 0 to 1. */
  targetRatio: z.number().min(0).max(1),
  /** Upper limit of the error rate, 0 to 1. */
  maxErrorRatio: z.number().min(0).max(1),
})
export type Slo = z.infer<typeof sloSchema>

/** How much a sweep may cost in time: quick ends within 90 s; standard proves its verdict; thorough narrows intervals. */
export const modeSchema = z.enum(['quick', 'standard', 'thorough'])
export type Mode = z.infer<typeof modeSchema>

/** How the sessions of a level arrive. */
export const loadSchema = z.discriminatedUnion('kind', [
  /** N at once, wave after wave. */
  z.object({ kind: z.literal('burst') }),
  /** N stay in flight, each starting its next turn when the last has ended, for `spanMs`. */
  z.object({ kind: z.literal('sustained'), spanMs: z.number().positive() }),
  /** Sessions arrive at random planned moments (Poisson), so many a second, whether or not the earlier ones have ended. */
  z.object({ kind: z.literal('open'), spanMs: z.number().positive(), ratesPerSec: z.array(z.number().positive()).min(1).max(64) }),
])
export type Load = z.infer<typeof loadSchema>

/** Absent in a workload = `short-chat`. `file`: own prompts; `replay`: the turns of a recorded session; both stand in `prompts`. */
export const workloadKindSchema = z.enum(['short-chat', 'long-context', 'agent', 'mixed', 'file', 'replay'])
export type WorkloadKind = z.infer<typeof workloadKindSchema>

export const workloadSchema = z.object({
  kind: workloadKindSchema.optional(),
  /** Own or recorded prompts, taken in turn; absent or empty = generated ones. A number of its own is put before each (M3). */
  prompts: z.array(z.string()).optional(),
  /** Where `prompts` come from: the file's path, or the id of the recorded session. */
  source: z.string().optional(),
  /** About how many tokens each prompt has; every prompt begins differently (M3). */
  promptTokens: z.int().positive(),
  outputTokens: z.int().positive(),
  /** Background work after the answer in the runner leg. */
  memoryNote: z.boolean(),
  /** Sent with every call, the same for all (M3): temperature, seed, num_ctx. */
  options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])),
  /** Sessions take these in turn where given: mixes of models or options show a swap. Empty = the target's model with `options`. */
  variants: z.array(z.object({ model: z.string(), options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])) })),
})
export type Workload = z.infer<typeof workloadSchema>

export const sweepRequestSchema = z.object({
  target: targetSchema,
  /** Empty = the sweep finds its levels itself (next-cells.ts), in `mode`, or standard where none is given. */
  levels: z.array(z.int().positive().max(4096)).max(64).default([]),
  repeats: z.int().positive().max(100).default(3),
  /** Waves (bursts of N sessions) per cell; null = enough for the percentiles of the level, bounded by time. */
  waves: z.int().positive().max(1000).nullable().default(null),
  legs: z.array(legSchema).min(1).default(['runner', 'null']),
  /** With it the mode's repeats hold, and its interventions are run (modes.ts); absent = the levels and repeats exactly as given. */
  mode: modeSchema.optional(),
  /** M13: a priced target is swept only with this yes: the most that it may cost. */
  maxCostUsd: z.number().nonnegative().optional(),
  /** Absent = bursts. */
  load: loadSchema.optional(),
  workload: workloadSchema.partial().default({}),
  slo: sloSchema.partial().default({}),
  /** The longest a turn may take. */
  turnDeadlineMs: z.number().positive().default(120_000),
  seed: z.int().nonnegative().default(7),
  /** Fault switches of our own, for tests and for showing what a verdict looks like. */
  faults: faultsSchema.default({ runnerBlockMs: 0 }),
})
export type SweepRequest = z.infer<typeof sweepRequestSchema>
export type SweepRequestInput = z.input<typeof sweepRequestSchema>

/** One level in one repeat of one leg; `waves` bursts of `n` sessions. Order in the plan is the order of running. */
export const cellSchema = z.object({
  index: z.int().nonnegative(),
  leg: legSchema,
  n: z.int().positive(),
  repeat: z.int().positive(),
  waves: z.int().positive(),
  /** The first so many waves are run in any case, the others only as long as `budgetMs` lasts; absent = all are run. */
  minWaves: z.int().positive().optional(),
  budgetMs: z.number().positive().nullable().optional(),
  /**
   * Waves against the null server before the first counted one, as long as the time lasts: Plimsoll's own code is compiled by then (M4).
   * Nothing of them is kept, and the target sees none of them.
   */
  ownWarmUp: z.object({ waves: z.int().positive(), budgetMs: z.number().positive() }).optional(),
  /** `warm-up` is excluded from all figures (M4); `closing` is N=1 again at the end (M5). */
  role: z.enum(['warm-up', 'measure', 'closing']),
  /** How its sessions arrive; absent = a burst. `ratePerSec` only in an open one. */
  load: z
    .object({
      kind: z.enum(['burst', 'sustained', 'open']),
      spanMs: z.number().positive(),
      ratePerSec: z.number().positive().nullable(),
      /** No turn is begun beyond so many: what may be paid for (M13). */
      mostTurns: z.int().positive().optional(),
    })
    .optional(),
  /** An intervention: one thing is other than in the sweep, and the cell belongs to no level. Absent = none. */
  arm: z.object({ promptTokens: z.int().positive().nullable(), slots: z.int().positive().nullable() }).optional(),
  /** Moment of each session's submit from the wave's beginning (M1b), n entries. */
  plannedOffsetsMs: z.array(z.number()),
})
export type Cell = z.infer<typeof cellSchema>

export const sweepPlanSchema = z.object({
  format: z.literal(1),
  sweepId: sweepIdSchema,
  request: sweepRequestSchema,
  workload: workloadSchema,
  slo: sloSchema,
  cells: z.array(cellSchema),
  /** All prompts follow from this. */
  seed: z.int(),
  /** The sweep's own watchdog: it ends by then, with what it has (M2). */
  watchdogMs: z.number().positive(),
})
export type SweepPlan = z.infer<typeof sweepPlanSchema>

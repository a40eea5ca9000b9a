/**
 * A sweep as it happens. These events are the sweep: the store keeps them, the page folds them, the report is made of them,
 * and a reopened sweep is the same fold over the same events (fold-sweep.ts).
 * `atMs` is monotonic from the sweep's beginning.
 */
import { z } from 'zod'
import { sampleSchema } from '../metric/sample.ts'
import { problemSchema } from '../result/problem.ts'
import { cellSchema, sweepPlanSchema } from './plan.ts'
import { serverFactsSchema } from './target.ts'
import { turnRowSchema } from './turn-row.ts'

export const environmentSchema = z.object({
  plimsoll: z.string(),
  node: z.string(),
  system: z.string(),
  cpuModel: z.string(),
  cores: z.number(),
  memoryBytes: z.number(),
  gpus: z.array(z.string()),
  host: z.enum(['electron', 'web', 'cli', 'test']),
})
export type Environment = z.infer<typeof environmentSchema>

/** What the driver says of itself for one cell (M10). */
export const driverReportSchema = z.object({
  lagP50Ms: z.number(),
  lagP99Ms: z.number(),
  loopDelayP99Ms: z.number(),
  cpuPercent: z.number(),
  /** Over all events of the cell: from the runner's stamp to the driver's receipt; absent in the direct leg. */
  receiveLagP99Ms: z.number().optional(),
  /** Largest number of turns in flight at once; below n = the driver did not carry the level. */
  maxInFlight: z.number(),
})
export type DriverReport = z.infer<typeof driverReportSchema>

export const sweepEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('sweep-started'), atMs: z.number(), epochMs: z.number(), plan: sweepPlanSchema, environment: environmentSchema }),
  z.object({ type: z.literal('server-read'), atMs: z.number(), facts: serverFactsSchema }),
  z.object({ type: z.literal('cell-started'), atMs: z.number(), cell: z.int() }),
  z.object({ type: z.literal('wave-started'), atMs: z.number(), cell: z.int(), wave: z.int() }),
  z.object({ type: z.literal('turn-ended'), atMs: z.number(), row: turnRowSchema }),
  z.object({ type: z.literal('samples'), atMs: z.number(), samples: z.array(sampleSchema) }),
  z.object({
    type: z.literal('cell-ended'),
    atMs: z.number(),
    cell: z.int(),
    driver: driverReportSchema.nullable(),
    /** From the last end to the server idle again (M6); null = it could not be told. */
    drainMs: z.number().nullable(),
  }),
  /** The cell counts nowhere; its rows stay in the raw data. */
  z.object({ type: z.literal('cell-void'), atMs: z.number(), cell: z.int(), reason: problemSchema }),
  /** A cell that the plan did not hold: a void one run again. Its index follows the last one's. */
  z.object({ type: z.literal('cell-added'), atMs: z.number(), cell: cellSchema, because: z.string().optional() }),
  /** A planned cell that is not run: an early stop, or a level that another has made needless. */
  z.object({ type: z.literal('cell-skipped'), atMs: z.number(), cell: z.int(), because: z.string() }),
  /** A stopped sweep goes on, or a finished one is extended; `atMs` goes on from the last event. */
  z.object({ type: z.literal('sweep-resumed'), atMs: z.number(), epochMs: z.number() }),
  z.object({ type: z.literal('warning'), atMs: z.number(), code: z.string(), text: z.string(), cell: z.int().nullable() }),
  z.object({
    type: z.literal('sweep-ended'),
    atMs: z.number(),
    /** `interrupted` is written on the next start, when the process that ran it is gone. */
    outcome: z.enum(['completed', 'cancelled', 'failed', 'interrupted']),
    problem: problemSchema.nullable(),
  }),
])
export type SweepEvent = z.infer<typeof sweepEventSchema>

/** Where each session of the current wave stands; drawn as lanes, sent at most 4 times a second, never stored. */
export const laneSchema = z.object({
  session: z.int(),
  plannedAtMs: z.number(),
  runnerStartAtMs: z.number().nullable(),
  sentAtMs: z.number().nullable(),
  firstActivityAtMs: z.number().nullable(),
  doneAtMs: z.number().nullable(),
  endAtMs: z.number().nullable(),
  outcome: z.enum(['running', 'completed', 'failed', 'cut']),
  tokens: z.number(),
})
export type Lane = z.infer<typeof laneSchema>

export const sweepLiveSchema = z.object({
  nowMs: z.number(),
  cell: z.int(),
  wave: z.int(),
  lanes: z.array(laneSchema),
  /** Milliseconds left, by the pace so far; null before there is one. */
  remainingMs: z.number().nullable(),
})
export type SweepLive = z.infer<typeof sweepLiveSchema>

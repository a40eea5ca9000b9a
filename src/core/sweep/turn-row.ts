/** One turn of one session in a sweep: the client's stamps (load driver) and the runner's time line on one clock. The raw data of every figure. */
import { z } from 'zod'
import { problemSchema } from '../result/problem.ts'
import { outcomeSchema, turnTimelineSchema } from '../session/timeline.ts'

/** All `…AtMs` count from the sweep's beginning, monotonic. */
export const turnRowSchema = z.object({
  cell: z.int().nonnegative(),
  wave: z.int().nonnegative(),
  /** 0 to n-1 within the wave. */
  session: z.int().nonnegative(),
  /** Counts the session's turns in a sustained load, and in workloads of several turns; absent = 0. */
  turn: z.int().nonnegative().optional(),
  /** Times count from here; `submitAtMs - plannedAtMs` is the driver's lag. */
  plannedAtMs: z.number(),
  submitAtMs: z.number(),
  /** Response headers of the POST, as the client saw them; null in the direct leg and when refused. */
  acceptedAtMs: z.number().nullable(),
  /** As received by the client. Null = never came. */
  firstActivityAtMs: z.number().nullable(),
  doneAtMs: z.number().nullable(),
  /** Wall ends here, whatever the outcome. */
  endAtMs: z.number(),
  outcome: outcomeSchema,
  problem: problemSchema.nullable(),
  /** Null when no server or runner ever answered. In the direct leg it holds the one model call. */
  timeline: turnTimelineSchema.nullable(),
  /** Largest gap between the runner's stamp of an event and the driver's receipt of it; null in the direct leg. */
  receiveLagMs: z.number().nullable(),
})
export type TurnRow = z.infer<typeof turnRowSchema>

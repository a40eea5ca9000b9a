/** One line of the list of sweeps: what is known of a sweep without reading its events. */
import { z } from 'zod'
import { sweepIdSchema } from '../result/ids.ts'

export const sweepStatusSchema = z.enum(['running', 'completed', 'cancelled', 'failed', 'interrupted'])

export const sweepListRowSchema = z.object({
  sweepId: sweepIdSchema,
  /** Running number for people: "Sweep 7". Never given twice. */
  number: z.int(),
  startedEpochMs: z.number(),
  durationMs: z.number(),
  status: sweepStatusSchema,
  targetLabel: z.string(),
  simulated: z.boolean(),
  levels: z.array(z.int()),
  sessions: z.int(),
  /** Null while it runs. */
  verdict: z.object({ primary: z.string(), confidence: z.string(), sentence: z.string() }).nullable(),
  /** SLO ceiling as text: "4", "> 16", "none", "–". */
  ceiling: z.string(),
  cellsDone: z.int(),
  cellsPlanned: z.int(),
})
export type SweepListRow = z.infer<typeof sweepListRowSchema>

/** What is known when a sweep begins. */
export type SweepOpening = Pick<SweepListRow, 'sweepId' | 'startedEpochMs' | 'targetLabel' | 'simulated' | 'levels' | 'cellsPlanned'>

/** What its end and its analysis add; may be written again after a better analysis. */
export type SweepSummary = Pick<SweepListRow, 'durationMs' | 'verdict' | 'ceiling'> & {
  status: Exclude<SweepListRow['status'], 'running'>
  /** Those that were measured in the end; absent = as it began. */
  levels?: number[]
}

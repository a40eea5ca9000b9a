/** Sweeps: estimate, start, watch, cancel, list, export, import, compare, delete. */
import { z } from 'zod'
import { comparisonSchema } from '../../core/compare/comparison.ts'
import { sweepIdSchema } from '../../core/result/ids.ts'
import { sweepRequestSchema } from '../../core/sweep/plan.ts'
import { sweepEventSchema, sweepLiveSchema } from '../../core/sweep/sweep-event.ts'
import { type SweepListRow, sweepListRowSchema } from '../../core/sweep/sweep-list-row.ts'
import { call, stream } from '../wire/define.ts'

const sweepListItemSchema = sweepListRowSchema
export type SweepListItem = SweepListRow

const byId = z.object({ sweepId: sweepIdSchema })

const estimateSchema = z.object({
  cells: z.int(),
  sessions: z.int(),
  seconds: z.number(),
  /** The most that the target is thought to charge; null where it has no price. */
  costUsd: z.number().nullable(),
})

export const sweeps = {
  /** What a plan would take, before it starts. */
  estimate: call({ input: sweepRequestSchema, output: estimateSchema }),
  start: call({ input: sweepRequestSchema, output: byId }),
  /** An ended sweep goes on with the cells that were not measured. */
  resume: call({ input: byId, output: byId }),
  /** So many more waves at one level of an ended sweep. */
  extend: call({ input: byId.extend({ n: z.int().positive().max(4096), waves: z.int().positive().max(1000) }), output: byId }),
  /** Stops at once and keeps what was measured; a sweep that has ended stays as it is. */
  cancel: call({ input: byId, output: z.object({}) }),
  list: stream({ input: z.object({}), output: z.array(sweepListItemSchema), delivery: 'latest' }),
  /** All events so far in one or more batches, then each new one; fold them with core/sweep/fold-sweep. */
  events: stream({ input: byId, output: z.array(sweepEventSchema), delivery: 'every' }),
  /** Lanes of the current wave, at most 4 times a second; silent when the sweep does not run. */
  live: stream({ input: byId, output: sweepLiveSchema, delivery: 'latest' }),
  exportReport: call({
    input: z.object({
      sweepId: sweepIdSchema,
      /** `csv`: a line a turn; `csv-levels`: a line a level (docs/exports.md). */
      format: z.enum(['html', 'json', 'csv', 'csv-levels']),
    }),
    /** `path`: where main has written it; the page offers `content` as a download too. */
    output: z.object({ fileName: z.string(), mediaType: z.string(), content: z.string(), path: z.string().nullable() }),
  }),
  /** A report's HTML file, or the raw data saved from it, becomes a stored sweep; one that is here already is left as it is. Over a socket at most about 8 MB. */
  importReport: call({ input: z.object({ fileName: z.string(), content: z.string() }), output: byId.extend({ isNew: z.boolean() }) }),
  /** Two stored sweeps, figure by figure. */
  compare: call({
    input: z.object({ before: sweepIdSchema, after: sweepIdSchema, marginRatio: z.number().positive().max(10).optional() }),
    output: comparisonSchema,
  }),
  remove: call({ input: byId, output: z.object({}) }),
}

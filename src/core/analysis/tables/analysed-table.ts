/** What `analyse` answers for one table or report: the verdict with its ceiling and claims, and what was understood. Shapes only; JSON of the command. */
import { z } from 'zod'
import { curveFitSchema, verdictCodeSchema, verdictSchema } from '../analysis.ts'

export const analysedTableSchema = z.object({
  verdict: verdictSchema,
  /** Smallest n with 90 % of the best total; null = not reached, or not to be had from this table. */
  ceilingN: z.number().nullable(),
  highestTestedN: z.number().nullable(),
  /** Whole sentences with their figures. */
  claims: z.array(z.string()),
  /** Which measurement or column would settle what is open. */
  missing: z.array(z.string()),
  /** Contradictions and oddities in the table itself. */
  doubts: z.array(z.string()),
  source: z.string(),
  /** Which format it was read as. */
  format: z.string(),
  /** Each series of the table where there are several. */
  series: z.array(
    z.object({
      label: z.string(),
      primary: verdictCodeSchema,
      sentence: z.string(),
      effectiveSlots: z.number().nullable(),
      ceilingN: z.number().nullable(),
    }),
  ),
  /** What each column was taken for. */
  understood: z.array(z.object({ column: z.string(), figure: z.string(), because: z.string().nullable() })),
  ignored: z.array(z.object({ what: z.string(), why: z.string() })),
  /** What another tool or author concluded from it. */
  published: z.array(z.object({ by: z.string(), text: z.string() })),
  /** The rows as understood, units in the names. */
  rows: z.array(z.record(z.string(), z.union([z.number(), z.string()]))),
  /** Curves through the totals; empty where there are too few. */
  fits: z.array(curveFitSchema),
})
export type AnalysedTable = z.infer<typeof analysedTableSchema>

/** One ended turn, for the dock's charts. Times in ms from submit; null = did not happen. */
import { z } from 'zod'

export const turnLatencySchema = z.object({
  endedEpochMs: z.number(),
  origin: z.enum(['chat', 'sweep']),
  outcome: z.enum(['completed', 'failed', 'cut']),
  ttfaMs: z.number().nullable(),
  firstModelRequestMs: z.number().nullable(),
  doneMs: z.number().nullable(),
  wallMs: z.number(),
})
export type TurnLatency = z.infer<typeof turnLatencySchema>

/** What is known of one terminal, whether it runs, has ended, or was cut off by the end of Plimsoll. */
import { z } from 'zod'
import { terminalIdSchema } from '../result/ids.ts'

export const terminalSchema = z.object({
  terminalId: terminalIdSchema,
  /** Program name, or the title that the program set. */
  title: z.string(),
  cwd: z.string(),
  command: z.string(),
  createdEpochMs: z.number(),
  cols: z.int(),
  rows: z.int(),
  /** `interrupted`: it ran when Plimsoll ended, its text is kept, the process is gone. */
  status: z.enum(['running', 'exited', 'interrupted']),
  exitCode: z.int().nullable(),
  /** Ended by a signal: its name or number. */
  signal: z.string().nullable(),
  pid: z.int().nullable(),
  lastOutputEpochMs: z.number(),
})
export type Terminal = z.infer<typeof terminalSchema>

/** Real terminals, held by the pty host; panes come and go, terminals stay. */
import { z } from 'zod'
import { terminalIdSchema } from '../../core/result/ids.ts'
import { type Terminal, terminalSchema } from '../../core/terminal/terminal.ts'
import { call, stream } from '../wire/define.ts'

export type { Terminal }

const byId = z.object({ terminalId: terminalIdSchema })
/** On whatever kind of memory: a child's buffers and the page's differ in type only. */
const bytesSchema: z.ZodType<Uint8Array> = z.instanceof(Uint8Array)
const size = { cols: z.int().min(2).max(1000), rows: z.int().min(1).max(1000) }

export const terminals = {
  list: stream({ input: z.object({}), output: z.array(terminalSchema), delivery: 'latest' }),
  /** Opens the person's shell, or `command` with `args`, in `cwd` (default: home). */
  open: call({
    input: z.object({
      ...size,
      cwd: z.string().nullable().default(null),
      command: z.string().nullable().default(null),
      args: z.array(z.string()).default([]),
    }),
    output: terminalSchema,
  }),
  write: call({ input: z.object({ terminalId: terminalIdSchema, data: z.string().max(1_000_000) }), output: z.object({}) }),
  resize: call({ input: z.object({ terminalId: terminalIdSchema, ...size }), output: z.object({}) }),
  /** Ends the process tree and waits for it; the entry goes. */
  close: call({ input: byId, output: z.object({}) }),
  /** First a replay of the screen and scrollback as escape sequences, then what the program prints. */
  output: stream({ input: byId, output: bytesSchema, delivery: 'bytes' }),
}

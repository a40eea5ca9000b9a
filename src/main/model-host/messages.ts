/** What main and the model-host child say to each other. One child runs one model server at a time. */
import { z } from 'zod'
import { problemSchema } from '../../core/result/problem.ts'
import { modelServerInfoSchema, modelServerOptionsSchema } from './model-server-options.ts'

export const toModelHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('start'), options: modelServerOptionsSchema }),
  /** Ends the server and then the process. */
  z.object({ type: z.literal('stop') }),
])
export type ToModelHost = z.input<typeof toModelHostSchema>

export const fromModelHostSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), url: z.string(), info: modelServerInfoSchema }),
  z.object({ type: z.literal('failed'), problem: problemSchema }),
])
export type FromModelHost = z.infer<typeof fromModelHostSchema>

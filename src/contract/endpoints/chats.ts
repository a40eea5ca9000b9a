/** Chat sessions of the runner, and the latencies of all turns for the live dock. */
import { z } from 'zod'
import { sessionIdSchema, turnIdSchema } from '../../core/result/ids.ts'
import { sessionEventSchema, sessionSettingsSchema } from '../../core/session/session-event.ts'
import { type TurnLatency, turnLatencySchema } from '../../core/session/turn-latency.ts'
import { call, stream } from '../wire/define.ts'

const chatSchema = z.object({
  sessionId: sessionIdSchema,
  title: z.string(),
  createdEpochMs: z.number(),
  settings: sessionSettingsSchema,
  status: z.enum(['idle', 'queued', 'working', 'interrupted']),
  /** Place in the admission queue, from 1; null when not queued. */
  place: z.int().nullable(),
  lastActivityEpochMs: z.number(),
})
export type Chat = z.infer<typeof chatSchema>

export type { TurnLatency }

const byId = z.object({ sessionId: sessionIdSchema })

export const chats = {
  list: stream({ input: z.object({}), output: z.array(chatSchema), delivery: 'latest' }),
  create: call({ input: z.object({ settings: sessionSettingsSchema }), output: byId }),
  post: call({ input: z.object({ sessionId: sessionIdSchema, text: z.string().min(1).max(200_000) }), output: z.object({ turnId: turnIdSchema }) }),
  /** Ends the turn that runs or waits; partial answers stay. */
  cancel: call({ input: byId, output: z.object({ cancelled: z.boolean() }) }),
  /** Takes the session off the list for good. */
  close: call({ input: byId, output: z.object({}) }),
  /** History from the beginning, in batches, then live. */
  events: stream({ input: byId, output: z.array(sessionEventSchema), delivery: 'every' }),
  /** The last 2,000 ended turns in one batch, then each new one. */
  latencies: stream({ input: z.object({}), output: z.array(turnLatencySchema), delivery: 'every' }),
}

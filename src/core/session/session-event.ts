/**
 * What a session says while it lives, in order: the event stream of the runner's HTTP API, the chat pane and the load driver all read this.
 * `seq` counts from 1 within the session and is the id to resume from. `atMs` is the machine's monotonic clock.
 */
import { z } from 'zod'
import { turnIdSchema } from '../result/ids.ts'
import { callPurposeSchema, turnTimelineSchema } from './timeline.ts'

const base = { seq: z.int().positive(), atMs: z.number(), turnId: turnIdSchema }

export const sessionEventSchema = z.discriminatedUnion('type', [
  z.object({ ...base, type: z.literal('turn-accepted'), text: z.string() }),
  /** Waits for admission; `place` counts from 1 and is sent again each time it changes. */
  z.object({ ...base, type: z.literal('turn-queued'), place: z.int().positive(), inFlight: z.int(), limit: z.int() }),
  z.object({ ...base, type: z.literal('turn-started') }),
  z.object({ ...base, type: z.literal('call-sent'), call: z.int(), purpose: callPurposeSchema, model: z.string() }),
  /** Something a person should know of this turn that does not end it: a model without tools, a title that could not be had. One sentence or two. */
  z.object({ ...base, type: z.literal('notice'), text: z.string() }),
  /** A tool call is shown as its name and its arguments as JSON: `read_file {"path":"a.md"}`. */
  z.object({ ...base, type: z.literal('delta'), call: z.int(), channel: z.enum(['thinking', 'text', 'tool-call']), text: z.string() }),
  /** `input` is the arguments as JSON. */
  z.object({ ...base, type: z.literal('tool-started'), tool: z.int(), name: z.string(), input: z.string() }),
  z.object({ ...base, type: z.literal('tool-ended'), tool: z.int(), ok: z.boolean(), summary: z.string(), output: z.string() }),
  /** The answer is whole; background work may follow. */
  z.object({ ...base, type: z.literal('turn-done') }),
  z.object({ ...base, type: z.literal('title'), title: z.string() }),
  z.object({ ...base, type: z.literal('memory'), note: z.string() }),
  /** The turn's last event, whatever happened; holds the whole time line. */
  z.object({ ...base, type: z.literal('turn-ended'), timeline: turnTimelineSchema }),
])
export type SessionEvent = z.infer<typeof sessionEventSchema>

export const sessionSettingsSchema = z.object({
  /** Base address of a model server. */
  serverUrl: z.string(),
  /** The wire it is spoken to in; absent = Ollama's native API. */
  api: z.enum(['ollama', 'openai']).optional(),
  /** Name under which the key is found, in the environment or the keychain; the key itself is never part of a session. */
  keyName: z.string().optional(),
  model: z.string(),
  /** Folder that the tools may read; null = no tools are offered. */
  workspace: z.string().nullable().default(null),
  /** Background work after the answer, by the same model. */
  background: z.object({ title: z.boolean(), memory: z.boolean() }).default({ title: false, memory: false }),
  /** Cap of output tokens per model call of the answer; null = the server's default. */
  maxOutputTokens: z.int().positive().nullable().default(null),
  maxBackgroundTokens: z.int().positive().default(24),
  /** Ollama options sent with each call: temperature, seed, num_ctx, num_thread … */
  options: z.record(z.string(), z.union([z.number(), z.string(), z.boolean()])).default({}),
  systemPrompt: z.string().nullable().default(null),
  /** The longest a turn may take, all in all. */
  turnDeadlineMs: z.number().positive().default(600_000),
  /** Model calls with tools in one turn before the loop is stopped. */
  maxSteps: z.int().positive().default(8),
  /** `sweep` sessions are not kept in the chat history and don't count against the chat limit. */
  origin: z.enum(['chat', 'sweep']).default('chat'),
})
export type SessionSettings = z.infer<typeof sessionSettingsSchema>
export type SessionSettingsInput = z.input<typeof sessionSettingsSchema>

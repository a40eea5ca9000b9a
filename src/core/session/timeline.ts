/**
 * The time line of one turn (DESIGN.md section 5): which stamps there are, in what unit, and what a model call tells.
 * Every `…AtMs` is on the machine's monotonic clock; in a stored sweep it counts from the sweep's beginning.
 */
import { z } from 'zod'
import { problemSchema } from '../result/problem.ts'

const at = z.number()
const maybeAt = z.number().nullable()

export const callPurposeSchema = z.enum(['answer', 'title', 'memory'])
export type CallPurpose = z.infer<typeof callPurposeSchema>

/** `cut`: stopped by us (cancel, end of sweep, abort); never counted as a failure of the server. */
export const outcomeSchema = z.enum(['completed', 'failed', 'cut'])
export type Outcome = z.infer<typeof outcomeSchema>

/** What the server says of its own time, in nanoseconds, as Ollama's native API gives it; null on servers that say nothing. */
export const serverDurationsSchema = z.object({ totalNs: z.number(), loadNs: z.number(), promptEvalNs: z.number(), evalNs: z.number() })
export type ServerDurations = z.infer<typeof serverDurationsSchema>

/** One request to a model server. A stamp that never came is null, never 0. */
export const modelCallSchema = z.object({
  index: z.int().nonnegative(),
  purpose: callPurposeSchema,
  model: z.string(),
  sentAtMs: at,
  headersAtMs: maybeAt,
  firstByteAtMs: maybeAt,
  /** First delta of any channel (thinking, text, tool call) that is not empty: ttft counts to here. */
  firstDeltaAtMs: maybeAt,
  /** First answer text: ttfo counts to here. */
  firstTextAtMs: maybeAt,
  lastDeltaAtMs: maybeAt,
  /** The longest time between two deltas; absent or null = not seen. */
  longestGapMs: z.number().nullable().optional(),
  /** End marker seen, or the moment at which the call failed or was cut. */
  endAtMs: at,
  /** No end marker = failed call, partial counts kept. */
  endMarker: z.boolean(),
  outcome: outcomeSchema,
  httpStatus: z.number().nullable(),
  problem: problemSchema.nullable(),
  promptTokens: z.number().nullable(),
  outputTokens: z.number().nullable(),
  /** The server gave no count: `outputTokens` is the number of deltas. */
  tokensEstimated: z.boolean(),
  /** Of the prompt's tokens, those that the server took from its cache; absent or null = it does not say. */
  cachedPromptTokens: z.number().nullable().optional(),
  server: serverDurationsSchema.nullable(),
  /** Largest number of chunks that came in one read: a proxy that buffers shows here. */
  maxChunksPerRead: z.number(),
  /** A request that was sent again on a fresh socket, since the reused one had been closed before any byte came. */
  resent: z.boolean(),
})
export type ModelCall = z.infer<typeof modelCallSchema>

export const toolSpanSchema = z.object({
  name: z.string(),
  startAtMs: at,
  endAtMs: at,
  ok: z.boolean(),
  /** One line for people: "3 hits in src/". */
  summary: z.string(),
})
export type ToolSpan = z.infer<typeof toolSpanSchema>

/** The runner's record of one turn; complete for failed and cut turns too. */
export const turnTimelineSchema = z.object({
  acceptedAtMs: at,
  /** Admitted, the loop begins. Null: ended while it waited. */
  runnerStartAtMs: maybeAt,
  /** "first-Ollama": the first request leaves for the model server. */
  firstModelRequestAtMs: maybeAt,
  /** First thing that the person can see: reasoning, text, tool call or tool output. */
  firstActivityAtMs: maybeAt,
  /** The answer is whole. */
  doneAtMs: maybeAt,
  /** Background work (title, memory note) has ended: wall counts to here. Equals `doneAtMs` without background work. */
  backgroundEndAtMs: at,
  outcome: outcomeSchema,
  problem: problemSchema.nullable(),
  calls: z.array(modelCallSchema),
  tools: z.array(toolSpanSchema),
})
export type TurnTimeline = z.infer<typeof turnTimelineSchema>

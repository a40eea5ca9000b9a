/**
 * What stands between the HTTP layer and whatever answers: an engine takes model calls and speaks through a sink.
 * The HTTP layer knows wires and sockets; an engine knows queues, slots and time.
 */
import type { ModelDetails } from '../../core/ollama/documents.ts'
import type { ModelOptions, Tool, ToolCall } from '../../core/ollama/requests.ts'

export type EngineKind = 'llama' | 'simulated' | 'null'

export interface ModelCard {
  /** Without a tag; requests may add `:latest`. */
  readonly name: string
  readonly sizeBytes: number
  readonly details: ModelDetails
  /** `completion`, and `tools` and `thinking` where a request may ask for them. */
  readonly capabilities: readonly string[]
  readonly template: string
  readonly modelInfo: Readonly<Record<string, unknown>>
  /** Context of a request that names none, tokens. */
  readonly contextTokens: number
  /** Answers `/api/embed` too. */
  readonly embeds: boolean
}

export interface LoadedModel {
  readonly card: ModelCard
  readonly contextTokens: number
  readonly sizeBytes: number
  /** Of it, on the GPU; absent = none. */
  readonly vramBytes?: number
  /** Wall clock; Infinity: kept for ever. */
  readonly expiresEpochMs: number
}

export interface ModelCall {
  readonly id: number
  /** Machine-monotonic, like every `…Ms` here that is not a length of time. */
  readonly arrivalMs: number
  readonly card: ModelCard
  /** Role and text of each message, as templates see them; a bare prompt is one message. */
  readonly messages: readonly CallMessage[]
  readonly tools: readonly Tool[]
  readonly think: boolean
  /** Wants the prompt evaluated and nothing said: an embedding. */
  readonly embed: boolean
  /** `json` or a JSON schema, from the request. */
  readonly format: unknown
  readonly options: ModelOptions
  /** From the request: how long the model stays loaded after it; Infinity = for ever, 0 = not at all, undefined = the server's default. */
  readonly keepAliveMs: number | undefined
  /** The connection had carried a request before. */
  readonly reusedSocket: boolean
}

export interface CallMessage {
  readonly role: string
  readonly content: string
  readonly toolCalls: readonly ToolCall[]
}

export type Channel = 'content' | 'thinking'

/** How a call ended well. Durations in milliseconds; the wire turns them into what its format wants. */
export interface CallEnd {
  readonly reason: 'stop' | 'length' | 'load' | 'unload'
  readonly totalMs: number
  readonly loadMs: number
  readonly promptTokens: number
  readonly promptEvalMs: number
  readonly answerTokens: number
  readonly evalMs: number
}

export interface CallFailure {
  /** Used while nothing was sent; afterwards the status stays 200 and an error line ends the stream. */
  readonly status: number
  readonly message: string
  /** When to come again, where it says so. */
  readonly retryAfterS?: number
}

/** The way back of one call. After `end`, `fail`, `cut` or `reset` the engine says no more. */
export interface CallSink {
  slotAcquired(atMs: number): void
  token(text: string, channel: Channel): void
  toolCalls(calls: readonly ToolCall[], options?: { inFinalLine?: boolean }): void
  end(end: CallEnd): void
  fail(failure: CallFailure): void
  /** The stream ends in good order, but without its end marker. */
  cut(): void
  /** The connection is torn down (RST). */
  reset(): void
}

/** How answers travel, beyond what the engine says. */
export interface Delivery {
  /** Chunks that leave in one write, as behind a buffering proxy; 1 = each by itself. */
  readonly chunksPerWrite: number
  /** Chunks leave together so long after the first of them was held, as behind a proxy that sends in clumps; 0 = at once. */
  readonly bufferMs: number
  /** Headers leave when the request is in, not with the first chunk. */
  readonly headersAtOnce: boolean
  /** Comment lines on event streams while nothing else is said; 0 = none. */
  readonly pingEveryMs: number
  /** `created_at` moves in steps of this; coarse steps let equal chunks be encoded once. */
  readonly createdAtStepMs: number
  /** OpenAI's wire with llama-server's habits: a role-only first delta, `timings` at the end. */
  readonly llamaServerStyle: boolean
}

export const PLAIN_DELIVERY: Delivery = {
  chunksPerWrite: 1,
  bufferMs: 0,
  headersAtOnce: false,
  pingEveryMs: 0,
  createdAtStepMs: 1,
  llamaServerStyle: false,
}

export interface Engine {
  readonly kind: EngineKind
  /** No inference behind it: its numbers are to be labelled so. */
  readonly simulated: boolean
  /** Calls served at once per loaded model; null = no limit. */
  readonly slots: number | null
  /** As `/plimsoll/info` shows them. */
  readonly settings: Readonly<Record<string, unknown>>
  readonly delivery: Delivery
  cards(): readonly ModelCard[]
  loaded(): readonly LoadedModel[]
  /** @returns tells the engine that nobody listens any more; call it at most once, and not after the call's end */
  submit(call: ModelCall, sink: CallSink): () => void
  /** An empty request: load the model (or unload it, with keep-alive 0) and say when done. */
  load(call: ModelCall, sink: CallSink): () => void
  stop(): Promise<void>
}

/**
 * The events of OpenAI's streamed chat completions as servers really send them, and a cheap reader for them: JSON.parse and a few type checks,
 * since it runs once per token. Usage may come in an event of its own; `timings` are llama-server's.
 */

export interface OpenAiToolCallPart {
  readonly index: number
  readonly id: string | undefined
  readonly name: string
  /** A piece of the arguments' JSON. */
  readonly arguments: string
}

export interface OpenAiDelta {
  readonly content: string
  readonly thinking: string
  readonly toolCalls: readonly OpenAiToolCallPart[]
}

export interface OpenAiUsage {
  readonly promptTokens: number | undefined
  /** Of the prompt, what a cache of the server held already. */
  readonly cachedPromptTokens: number | undefined
  readonly answerTokens: number | undefined
}

/** What llama-server says of a request: both spans lie inside its slot, so waiting is in neither. */
export interface LlamaTimings extends OpenAiUsage {
  readonly promptMs: number
  readonly predictedMs: number
}

export type OpenAiEvent =
  | {
      readonly kind: 'chunk'
      readonly delta: OpenAiDelta
      readonly finishReason: string | null
      readonly usage: OpenAiUsage | undefined
      readonly timings: LlamaTimings | undefined
    }
  | { readonly kind: 'done' }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'malformed'; readonly text: string }

const NO_CALLS: readonly OpenAiToolCallPart[] = []
/** Longest piece of a malformed event that is kept, in characters. */
const MALFORMED_KEEP_CHARS = 200

/** Reads the data of one event. */
export function readOpenAiEvent(data: string): OpenAiEvent {
  if (data === '[DONE]') return { kind: 'done' }
  let value: unknown
  try {
    value = JSON.parse(data)
  } catch {
    return { kind: 'malformed', text: data.slice(0, MALFORMED_KEEP_CHARS) }
  }
  if (!isRecord(value)) return { kind: 'malformed', text: data.slice(0, MALFORMED_KEEP_CHARS) }
  if (value.error !== undefined && value.error !== null) return { kind: 'error', message: errorMessage(value.error) }
  const usage = readUsage(value.usage)
  const timings = readTimings(value.timings)
  if (!Array.isArray(value.choices) && usage === undefined && timings === undefined)
    return { kind: 'malformed', text: data.slice(0, MALFORMED_KEEP_CHARS) }
  const choice: unknown = Array.isArray(value.choices) ? value.choices[0] : undefined
  const { delta, finish_reason: finish } = isRecord(choice) ? choice : { delta: undefined, finish_reason: undefined }
  return { kind: 'chunk', delta: readDelta(delta), finishReason: typeof finish === 'string' && finish !== '' ? finish : null, usage, timings }
}

/** True when a person could see something of it. A role alone, an empty text and a usage are no activity. */
export function isOpenAiActivity(delta: OpenAiDelta): boolean {
  return delta.content !== '' || delta.thinking !== '' || delta.toolCalls.length > 0
}

/** The sentence of an `error` in a body or an event, however it is wrapped. */
export function errorMessage(error: unknown): string {
  if (typeof error === 'string') return error
  if (isRecord(error) && typeof error.message === 'string') return error.message
  return JSON.stringify(error)
}

function readDelta(value: unknown): OpenAiDelta {
  if (!isRecord(value)) return { content: '', thinking: '', toolCalls: NO_CALLS }
  return {
    content: text(value.content),
    // `reasoning_content` is llama-server's, vLLM's and DeepSeek's name, `reasoning` Ollama's and OpenRouter's; some send both.
    thinking: text(value.reasoning_content) || text(value.reasoning),
    toolCalls: Array.isArray(value.tool_calls) ? value.tool_calls.flatMap(readToolCall) : NO_CALLS,
  }
}

function readToolCall(value: unknown, place: number): OpenAiToolCallPart[] {
  if (!isRecord(value)) return []
  const called = isRecord(value.function) ? value.function : {}
  const part = {
    index: typeof value.index === 'number' ? value.index : place,
    id: typeof value.id === 'string' && value.id !== '' ? value.id : undefined,
    name: text(called.name),
    arguments: text(called.arguments),
  }
  return part.name === '' && part.arguments === '' ? [] : [part]
}

function readUsage(value: unknown): OpenAiUsage | undefined {
  if (!isRecord(value)) return undefined
  const details = isRecord(value.prompt_tokens_details) ? value.prompt_tokens_details : {}
  return {
    promptTokens: count(value.prompt_tokens),
    cachedPromptTokens: count(details.cached_tokens),
    answerTokens: count(value.completion_tokens),
  }
}

function readTimings(value: unknown): LlamaTimings | undefined {
  if (!isRecord(value)) return undefined
  const promptMs = count(value.prompt_ms)
  const predictedMs = count(value.predicted_ms)
  if (promptMs === undefined || predictedMs === undefined) return undefined
  return {
    promptMs,
    predictedMs,
    promptTokens: cachedAndRead(value),
    cachedPromptTokens: count(value.cache_n),
    answerTokens: count(value.predicted_n),
  }
}

/** Of the prompt, what lay in the cache is not in `prompt_n`. */
function cachedAndRead(timings: Record<string, unknown>): number | undefined {
  const read = count(timings.prompt_n)
  return read === undefined ? undefined : read + (count(timings.cache_n) ?? 0)
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const count = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

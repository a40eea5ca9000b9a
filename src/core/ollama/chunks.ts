/**
 * The lines of Ollama's streamed answers (`/api/chat`, `/api/generate`), and a cheap reader for them: JSON.parse and a few
 * type checks, since it runs once per token. A final line may still carry text or tool calls; an `error` line ends the stream with status 200.
 */
import type { ToolCall } from './requests.ts'

/** Server-side durations, nanoseconds. `total` holds the queue, the others do not. Each is absent when zero. */
export interface FinalFields {
  done_reason?: string
  total_duration?: number
  load_duration?: number
  prompt_eval_count?: number
  prompt_eval_duration?: number
  eval_count?: number
  eval_duration?: number
}

export interface ChatChunk extends FinalFields {
  model: string
  created_at: string
  message: { role: string; content: string; thinking?: string; tool_calls?: ToolCall[] }
  done: boolean
}

export interface GenerateChunk extends FinalFields {
  model: string
  created_at: string
  response: string
  thinking?: string
  done: boolean
  /** Tokens of the conversation so far, on the final line. */
  context?: number[]
}

export interface ServerTimings {
  readonly doneReason: string | undefined
  readonly totalMs: number | undefined
  readonly loadMs: number | undefined
  readonly promptEvalMs: number | undefined
  readonly evalMs: number | undefined
  readonly promptTokens: number | undefined
  readonly answerTokens: number | undefined
}

export interface Delta {
  readonly content: string
  readonly thinking: string
  readonly toolCalls: readonly ToolCall[]
}

export type OllamaLine =
  | { readonly kind: 'delta'; readonly delta: Delta }
  | { readonly kind: 'final'; readonly delta: Delta; readonly timings: ServerTimings }
  | { readonly kind: 'error'; readonly message: string }
  | { readonly kind: 'malformed'; readonly text: string }

const NO_CALLS: readonly ToolCall[] = []
/** Longest piece of a malformed line that is kept, in characters. */
const MALFORMED_KEEP_CHARS = 200

/** Reads one line of a chat or generate stream. */
export function readOllamaLine(line: string): OllamaLine {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return malformed(line)
  }
  if (!isRecord(value)) return malformed(line)
  if (value.error !== undefined) return { kind: 'error', message: typeof value.error === 'string' ? value.error : JSON.stringify(value.error) }
  const message = isRecord(value.message) ? value.message : undefined
  if (typeof value.done !== 'boolean' && message === undefined && typeof value.response !== 'string') return malformed(line)
  const delta = {
    content: text(message === undefined ? value.response : message.content),
    thinking: text(message === undefined ? value.thinking : message.thinking),
    toolCalls: message !== undefined && Array.isArray(message.tool_calls) ? message.tool_calls.filter(isToolCall) : NO_CALLS,
  }
  return value.done === true ? { kind: 'final', delta, timings: readTimings(value) } : { kind: 'delta', delta }
}

/** True when a person could see something of it: text, reasoning or a tool call. Empty deltas are no activity. */
export function isActivity(delta: Delta): boolean {
  return delta.content !== '' || delta.thinking !== '' || delta.toolCalls.length > 0
}

/** Reads the durations of a final line or of an answer that was not streamed. */
function readTimings(value: Record<string, unknown>): ServerTimings {
  return {
    doneReason: typeof value.done_reason === 'string' ? value.done_reason : undefined,
    totalMs: nsToMs(value.total_duration),
    loadMs: nsToMs(value.load_duration),
    promptEvalMs: nsToMs(value.prompt_eval_duration),
    evalMs: nsToMs(value.eval_duration),
    promptTokens: count(value.prompt_eval_count),
    answerTokens: count(value.eval_count),
  }
}

/**
 * What the server's total holds beyond load, prompt and answer: the queue on Ollama up to 0.11, the queue and the neighbours' prompts on newer ones.
 * @returns undefined when the server gave no total; parts that it left out count as zero. Never negative.
 */
export function residualMs(timings: ServerTimings): number | undefined {
  if (timings.totalMs === undefined) return undefined
  return Math.max(0, timings.totalMs - (timings.loadMs ?? 0) - (timings.promptEvalMs ?? 0) - (timings.evalMs ?? 0))
}

function malformed(line: string): OllamaLine {
  return { kind: 'malformed', text: line.slice(0, MALFORMED_KEEP_CHARS) }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isToolCall(value: unknown): value is ToolCall {
  return isRecord(value) && isRecord(value.function) && typeof value.function.name === 'string'
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const nsToMs = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value / 1e6 : undefined)
const count = (value: unknown): number | undefined => (typeof value === 'number' && Number.isFinite(value) ? value : undefined)

/**
 * One streamed chat completion as it comes in: what was said, when, how it ended, and what the server told of it. The same for the runner and the
 * load driver. Reads text, touches no socket and no clock.
 */
import type { ServerFailure } from '../session/server-problems.ts'
import type { ServerDurations } from '../session/timeline.ts'
import { createSseParser, type SseItem } from '../stream/sse-parser.ts'
import { isOpenAiActivity, type LlamaTimings, type OpenAiDelta, type OpenAiToolCallPart, type OpenAiUsage, readOpenAiEvent } from './chunks.ts'

export interface OpenAiToolCall {
  readonly name: string
  readonly arguments: Record<string, unknown>
}

/** Longest beginning of a body that is kept for the sentence. */
const KEEP_CHARS = 120

export class OpenAiAnswer {
  firstDeltaAtMs: number | null = null
  firstTextAtMs: number | null = null
  lastDeltaAtMs: number | null = null
  longestGapMs: number | null = null
  /** Deltas with something in them. */
  deltas = 0
  /** Events of any kind, for the largest number that came in one read. */
  events = 0
  /** The line [DONE]: nothing that follows counts. */
  isDone = false

  readonly #parser = createSseParser()
  readonly #onDelta: ((delta: OpenAiDelta, atMs: number) => void) | undefined
  readonly #toolCalls = new Map<number, { name: string; arguments: string }>()
  #begin = ''
  #finishReason: string | null = null
  #usage: OpenAiUsage | undefined
  #timings: LlamaTimings | undefined
  #failure: ServerFailure | undefined

  /** @param onDelta absent = texts are not wanted, and events like all others are counted without being parsed: that is most of the cost */
  constructor(onDelta?: (delta: OpenAiDelta, atMs: number) => void) {
    this.#onDelta = onDelta
  }

  /** An error or something that is no event: nothing that follows can make it whole. */
  get isBroken(): boolean {
    return this.#failure !== undefined
  }

  push(text: string, atMs: number): void {
    if (this.events === 0 && this.#begin.length < KEEP_CHARS) this.#begin += text.slice(0, KEEP_CHARS)
    for (const item of this.#parser.push(text)) this.#take(item, atMs)
  }

  /** @returns why the answer is not whole; undefined when it is */
  end(atMs: number): ServerFailure | undefined {
    for (const item of this.#parser.end()) this.#take(item, atMs)
    if (this.#failure !== undefined) return this.#failure
    if (this.isDone && this.#finishReason !== null) return undefined
    const begin = this.#begin.trim()
    if (this.events > 0 || begin === '') return { kind: 'no-end-marker' }
    return begin.startsWith('<') ? { kind: 'web-page', status: 200 } : { kind: 'malformed', text: begin.slice(0, KEEP_CHARS) }
  }

  /** The server's own counts, its usage first. */
  get counts(): { readonly promptTokens: number | null; readonly cachedPromptTokens: number | null; readonly answerTokens: number | null } {
    return {
      cachedPromptTokens: this.#usage?.cachedPromptTokens ?? this.#timings?.cachedPromptTokens ?? null,
      promptTokens: this.#usage?.promptTokens ?? this.#timings?.promptTokens ?? null,
      answerTokens: this.#usage?.answerTokens ?? this.#timings?.answerTokens ?? null,
    }
  }

  /**
   * What llama-server says of its time. It tells nothing of waiting and has no total: that is taken from the client, so that what neither prompt nor
   * answer explains stands as the rest, as on Ollama (docs/measurement.md). Null on servers that tell nothing.
   */
  durations(sentAtMs: number, endAtMs: number): ServerDurations | null {
    if (this.#timings === undefined) return null
    const ns = (ms: number) => Math.max(0, Math.round(ms * 1e6))
    const { promptMs, predictedMs } = this.#timings
    return { totalNs: ns(Math.max(endAtMs - sentAtMs, promptMs + predictedMs)), loadNs: 0, promptEvalNs: ns(promptMs), evalNs: ns(predictedMs) }
  }

  /** Whole ones; their arguments come in pieces. */
  toolCalls(): OpenAiToolCall[] {
    return [...this.#toolCalls]
      .sort(([a], [b]) => a - b)
      .flatMap(([, call]) => (call.name === '' ? [] : [{ name: call.name, arguments: objectIn(call.arguments) }]))
  }

  #take(item: SseItem, atMs: number): void {
    if (item.kind !== 'event' || this.isDone || this.#failure !== undefined) return
    this.events += 1
    if (this.#onDelta === undefined && this.firstTextAtMs !== null && isPlainText(item.data)) {
      this.deltas += 1
      this.#stampLast(atMs)
      return
    }
    const event = readOpenAiEvent(item.data)
    switch (event.kind) {
      case 'done':
        this.isDone = true
        return
      case 'error':
        this.#failure = { kind: 'error-line', sentence: event.message }
        return
      case 'malformed':
        this.#failure = item.event === 'error' ? { kind: 'error-line', sentence: event.text } : { kind: 'malformed', text: event.text }
        return
      case 'chunk':
        this.#finishReason = event.finishReason ?? this.#finishReason
        this.#usage = event.usage ?? this.#usage
        this.#timings = event.timings ?? this.#timings
        if (isOpenAiActivity(event.delta)) this.#takeDelta(event.delta, atMs)
    }
  }

  #takeDelta(delta: OpenAiDelta, atMs: number): void {
    this.deltas += 1
    this.firstDeltaAtMs ??= atMs
    if (delta.content !== '') this.firstTextAtMs ??= atMs
    this.#stampLast(atMs)
    for (const part of delta.toolCalls) this.#takeToolCall(part)
    this.#onDelta?.(delta, atMs)
  }

  #stampLast(atMs: number): void {
    if (this.lastDeltaAtMs !== null) this.longestGapMs = Math.max(this.longestGapMs ?? 0, atMs - this.lastDeltaAtMs)
    this.lastDeltaAtMs = atMs
  }

  #takeToolCall(part: OpenAiToolCallPart): void {
    const before = this.#toolCalls.get(part.index) ?? { name: '', arguments: '' }
    this.#toolCalls.set(part.index, { name: before.name === '' ? part.name : before.name, arguments: before.arguments + part.arguments })
  }
}

/** A piece of text in the middle of an answer. Keys inside a string can't be met: their quotes are escaped there. */
function isPlainText(data: string): boolean {
  return (
    data.startsWith('{') &&
    data.endsWith('}') &&
    /"content": ?"[^"]/.test(data) &&
    !/"finish_reason": ?"/.test(data) &&
    !data.includes('"usage":{') &&
    !data.includes('"timings":') &&
    !data.includes('"error":')
  )
}

function objectIn(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

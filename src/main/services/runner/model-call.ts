/**
 * One request to a model server on Ollama's native API, through the `ollama` client, and its record: every stamp, every count, and what went wrong as a Problem.
 * Never rejects for anything that a server or a person does; the record of a failed or cut call is as complete as that of a good one.
 */
import { type ChatResponse, type Message, Ollama, type ToolCall } from 'ollama'
import type { Problem } from '../../../core/result/problem.ts'
import { type ServerFailure, serverProblem } from '../../../core/session/server-problems.ts'
import type { ModelCall, Outcome, ServerDurations } from '../../../core/session/timeline.ts'
import type { Clock } from '../../platform/clock.ts'
import { type HttpClient, originText } from '../../platform/http-client.ts'
import type { DeltaChannel, ModelCallListener, ModelCallRequest, ModelCallResult } from './model-call-shapes.ts'
import { OllamaExchange } from './ollama-exchange.ts'

/** What the client says when a stream ended without `done: true`; that case is told from an error line by it. */
const NO_END_MARKER_TEXT = 'Did not receive done or success response in stream.'

export async function callModel(
  deps: { readonly clock: Clock; readonly http: HttpClient },
  request: ModelCallRequest,
  signal: AbortSignal,
  listener: ModelCallListener,
): Promise<ModelCallResult> {
  const exchange = new OllamaExchange(deps, request.origin, listener.onSent)
  const reading = new Reading(exchange, listener)
  const abort = () => exchange.abort()
  signal.addEventListener('abort', abort)
  let failure: ServerFailure | undefined
  try {
    if (signal.aborted) abort()
    else failure = await stream(exchange, reading, request)
  } finally {
    signal.removeEventListener('abort', abort)
  }
  const endAtMs = reading.final !== undefined ? reading.lastAtMs : deps.clock.nowMs()
  return {
    call: recordOf(request, exchange, reading, failure, endAtMs),
    text: reading.text,
    thinking: reading.thinking,
    toolCalls: reading.toolCalls,
  }
}

async function stream(exchange: OllamaExchange, reading: Reading, request: ModelCallRequest): Promise<ServerFailure | undefined> {
  const { model, messages, tools, think, options } = request
  // A client of its own per call: it keeps a list of streams that a failed one never leaves.
  const client = new Ollama({ host: originText(request.origin), fetch: exchange.fetch })
  try {
    const body = {
      model,
      messages,
      options,
      stream: true as const,
      ...(tools.length > 0 ? { tools } : {}),
      ...(think === undefined ? {} : { think }),
    }
    for await (const chunk of await client.chat(body)) reading.take(chunk)
  } catch (error) {
    if (exchange.failure !== undefined) return exchange.failure
    if (exchange.aborted) return undefined
    const message = error instanceof Error ? error.message : String(error)
    return message === NO_END_MARKER_TEXT ? { kind: 'no-end-marker' } : { kind: 'error-line', sentence: message }
  }
  // The client drops a line that it can't parse; a call that lost one is not whole.
  return reading.lines === exchange.lines ? undefined : { kind: 'malformed', text: 'a line that looks like JSON and is none' }
}

/** What the lines of one stream add up to. */
class Reading {
  text = ''
  thinking = ''
  toolCalls: ToolCall[] = []
  lines = 0
  deltas = 0
  firstDeltaAtMs: number | null = null
  firstTextAtMs: number | null = null
  lastDeltaAtMs: number | null = null
  longestGapMs: number | null = null
  /** Of the last line taken. */
  lastAtMs = 0
  final: ChatResponse | undefined

  readonly #exchange: OllamaExchange
  readonly #listener: ModelCallListener

  constructor(exchange: OllamaExchange, listener: ModelCallListener) {
    this.#exchange = exchange
    this.#listener = listener
  }

  take(chunk: ChatResponse): void {
    const atMs = this.#exchange.lastReadAtMs
    this.lines += 1
    this.lastAtMs = atMs
    // Servers other than Ollama have been seen to leave it out.
    const message: Partial<Message> | undefined = chunk.message
    if (message !== undefined && message !== null) {
      if (message.thinking) {
        this.thinking += message.thinking
        this.#delta('thinking', message.thinking, atMs)
      }
      if (message.content) {
        this.text += message.content
        this.firstTextAtMs ??= atMs
        this.#delta('text', message.content, atMs)
      }
      if (message.tool_calls) this.#takeToolCalls(message.tool_calls, atMs)
    }
    if (chunk.done) this.final = chunk
  }

  #takeToolCalls(calls: readonly ToolCall[], atMs: number): void {
    for (const call of calls) {
      if (typeof call?.function?.name !== 'string') continue
      this.toolCalls.push(call)
      this.#delta('tool-call', `${call.function.name} ${JSON.stringify(call.function.arguments ?? {})}`, atMs)
    }
  }

  #delta(channel: DeltaChannel, text: string, atMs: number): void {
    this.deltas += 1
    this.firstDeltaAtMs ??= atMs
    if (this.lastDeltaAtMs !== null) this.longestGapMs = Math.max(this.longestGapMs ?? 0, atMs - this.lastDeltaAtMs)
    this.lastDeltaAtMs = atMs
    this.#listener.onDelta(channel, text, atMs)
  }
}

function recordOf(
  request: ModelCallRequest,
  exchange: OllamaExchange,
  reading: Reading,
  failure: ServerFailure | undefined,
  endAtMs: number,
): ModelCall {
  const { final } = reading
  const endMarker = final !== undefined
  const outcome: Outcome = failure !== undefined ? 'failed' : endMarker ? 'completed' : 'cut'
  const counted = typeof final?.eval_count === 'number'
  return {
    index: request.index,
    purpose: request.purpose,
    model: request.model,
    sentAtMs: exchange.sentAtMs === 0 ? endAtMs : exchange.sentAtMs,
    headersAtMs: exchange.headersAtMs,
    firstByteAtMs: exchange.firstByteAtMs,
    firstDeltaAtMs: reading.firstDeltaAtMs,
    firstTextAtMs: reading.firstTextAtMs,
    lastDeltaAtMs: reading.lastDeltaAtMs,
    longestGapMs: reading.longestGapMs,
    endAtMs,
    endMarker,
    outcome,
    httpStatus: exchange.status,
    problem: failure === undefined ? null : callProblem(request, failure),
    promptTokens: final?.prompt_eval_count ?? null,
    outputTokens: counted ? final.eval_count : reading.deltas > 0 || endMarker ? reading.deltas : null,
    tokensEstimated: !counted && (reading.deltas > 0 || endMarker),
    server: final === undefined ? null : durationsOf(final),
    maxChunksPerRead: exchange.maxChunksPerRead,
    resent: exchange.resent,
  }
}

function callProblem(request: ModelCallRequest, failure: ServerFailure): Problem {
  return serverProblem(originText(request.origin), request.model, failure)
}

/** Ollama leaves out durations that are zero; without a total the server says nothing of its time. */
function durationsOf(final: ChatResponse): ServerDurations | null {
  if (typeof final.total_duration !== 'number') return null
  return {
    totalNs: final.total_duration,
    loadNs: final.load_duration ?? 0,
    promptEvalNs: final.prompt_eval_duration ?? 0,
    evalNs: final.eval_duration ?? 0,
  }
}

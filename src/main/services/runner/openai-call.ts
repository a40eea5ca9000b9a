/**
 * One request to a model server on OpenAI's chat completions, and its record, like that of model-call.ts: never rejects for anything that a server or
 * a person does. The key goes into one header and nowhere else; a sentence of the server that repeats it is cleaned.
 */
import { StringDecoder } from 'node:string_decoder'
import type { ToolCall } from 'ollama'
import { OpenAiAnswer } from '../../../core/openai/answer.ts'
import { openAiPath } from '../../../core/openai/api-path.ts'
import { type CompletionMessage, completionBody } from '../../../core/openai/completion-body.ts'
import { hideKeyInFailure } from '../../../core/openai/hide-key.ts'
import { openAiProblem } from '../../../core/openai/openai-problems.ts'
import type { ServerFailure } from '../../../core/session/server-problems.ts'
import type { ModelCall, Outcome } from '../../../core/session/timeline.ts'
import type { Clock } from '../../platform/clock.ts'
import { type HttpClient, type HttpExchange, originText } from '../../platform/http-client.ts'
import { sentenceIn } from '../../platform/http-json.ts'
import type { ModelCallListener, ModelCallRequest, ModelCallResult } from './model-call-shapes.ts'

/** More of an error's body is not read. */
const ERROR_BODY_LIMIT_CHARS = 16_384

type Deps = { readonly clock: Clock; readonly http: HttpClient }

export async function callOpenAi(
  deps: Deps,
  request: ModelCallRequest & { readonly key: string | undefined },
  signal: AbortSignal,
  listener: ModelCallListener,
): Promise<ModelCallResult> {
  const call = new OpenAiCall(deps, request, listener)
  if (!signal.aborted) {
    const abort = () => call.abort()
    signal.addEventListener('abort', abort)
    await call.run()
    signal.removeEventListener('abort', abort)
  }
  return call.result()
}

class OpenAiCall {
  readonly #deps: Deps
  readonly #request: ModelCallRequest & { readonly key: string | undefined }
  readonly #answer: OpenAiAnswer
  readonly #decoder = new StringDecoder('utf8')
  #text = ''
  #thinking = ''
  #sentAtMs: number | null = null
  #headersAtMs: number | null = null
  #firstByteAtMs: number | null = null
  #endAtMs: number | null = null
  #status: number | null = null
  #retryAfterS: number | undefined
  #errorText = ''
  #failure: ServerFailure | undefined
  #exchange: HttpExchange | undefined
  #eventsBeforeRead = 0
  #maxChunksPerRead = 0
  #countPlanned = false
  #sent = false
  readonly #onSent: (atMs: number) => void
  #settle: () => void = () => {}

  constructor(deps: Deps, request: ModelCallRequest & { readonly key: string | undefined }, listener: ModelCallListener) {
    this.#deps = deps
    this.#request = request
    this.#onSent = listener.onSent
    this.#answer = new OpenAiAnswer((delta, atMs) => {
      if (delta.thinking !== '') {
        this.#thinking += delta.thinking
        listener.onDelta('thinking', delta.thinking, atMs)
      }
      if (delta.content !== '') {
        this.#text += delta.content
        listener.onDelta('text', delta.content, atMs)
      }
      for (const part of delta.toolCalls) listener.onDelta('tool-call', part.name === '' ? part.arguments : `${part.name} ${part.arguments}`, atMs)
    })
  }

  /** Resolves when the answer is whole, has failed or was cut. */
  run(): Promise<void> {
    const { origin, model, messages, tools, options, key } = this.#request
    const asked = { model, messages: messages as CompletionMessage[], tools, options }
    return new Promise((resolve) => {
      this.#settle = resolve
      this.#sentAtMs = this.#deps.clock.nowMs()
      this.#exchange = this.#deps.http.send(
        {
          origin,
          method: 'POST',
          path: openAiPath(origin.basePath, '/chat/completions'),
          headers: {
            'Content-Type': 'application/json',
            Accept: 'text/event-stream',
            ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
          },
          body: JSON.stringify(completionBody(asked, origin.host)),
        },
        {
          // Waiting for a connection of our own pool is ours, not the server's.
          onSocket: () => this.#onSocket(),
          onHead: (status, contentType, retryAfterS) => this.#onHead(status, contentType, retryAfterS),
          onData: (bytes) => this.#onData(bytes),
          onEnd: () => this.#onEnd(),
          onFailure: (failure) => this.#end(failure),
        },
      )
    })
  }

  #onSocket(): void {
    if (this.#sent) return
    this.#sent = true
    this.#sentAtMs = this.#deps.clock.nowMs()
    this.#onSent(this.#sentAtMs)
  }

  abort(): void {
    this.#exchange?.abort()
    this.#settle()
  }

  result(): ModelCallResult {
    const toolCalls: ToolCall[] = this.#answer.toolCalls().map((call) => ({ function: call }))
    return { call: this.#record(), text: this.#text, thinking: this.#thinking, toolCalls }
  }

  #onHead(status: number, contentType: string, retryAfterS: number | undefined): void {
    this.#status = status
    this.#retryAfterS = retryAfterS
    this.#headersAtMs = this.#deps.clock.nowMs()
    if (!contentType.includes('text/html')) return
    // A proxy's page for a refusal says nothing that its status does not.
    this.#end(status < 400 || status === 404 ? { kind: 'web-page', status } : { kind: 'status', status, sentence: '', ...this.#retry() })
  }

  #onData(bytes: Buffer): void {
    if (this.#endAtMs !== null) return
    const nowMs = this.#deps.clock.nowMs()
    this.#firstByteAtMs ??= nowMs
    const text = this.#decoder.write(bytes)
    if (!this.#isGood()) {
      if (this.#errorText.length < ERROR_BODY_LIMIT_CHARS) this.#errorText += text
      return
    }
    this.#answer.push(text, nowMs)
    this.#countChunks()
    // Some servers keep the connection open behind the end marker.
    if (this.#answer.isDone || this.#answer.isBroken) this.#end(this.#answer.end(nowMs))
  }

  /** All chunks of one read of the socket come within one tick. */
  #countChunks(): void {
    if (this.#countPlanned) return
    this.#countPlanned = true
    queueMicrotask(() => {
      this.#countPlanned = false
      this.#maxChunksPerRead = Math.max(this.#maxChunksPerRead, this.#answer.events - this.#eventsBeforeRead)
      this.#eventsBeforeRead = this.#answer.events
    })
  }

  #onEnd(): void {
    if (this.#endAtMs !== null) return
    if (this.#isGood()) this.#end(this.#answer.end(this.#deps.clock.nowMs()))
    else this.#end({ kind: 'status', status: this.#status ?? 0, sentence: sentenceIn(this.#errorText), ...this.#retry() })
  }

  #retry(): { retryAfterS?: number } {
    return this.#retryAfterS === undefined ? {} : { retryAfterS: this.#retryAfterS }
  }

  #isGood(): boolean {
    return this.#status !== null && this.#status >= 200 && this.#status < 300
  }

  /** @param failure undefined = the answer is whole */
  #end(failure: ServerFailure | undefined): void {
    if (this.#endAtMs !== null) return
    this.#endAtMs = this.#deps.clock.nowMs()
    this.#failure = failure
    if (failure !== undefined) this.#exchange?.abort()
    this.#settle()
  }

  #record(): ModelCall {
    const { index, purpose, model, origin, key } = this.#request
    const answer = this.#answer
    const endAtMs = this.#endAtMs ?? this.#deps.clock.nowMs()
    const sentAtMs = this.#sentAtMs ?? endAtMs
    const endMarker = this.#endAtMs !== null && this.#failure === undefined
    const outcome: Outcome = this.#failure !== undefined ? 'failed' : endMarker ? 'completed' : 'cut'
    const { promptTokens, cachedPromptTokens, answerTokens } = answer.counts
    const estimated = answerTokens === null && (answer.deltas > 0 || endMarker)
    return {
      index,
      purpose,
      model,
      sentAtMs,
      headersAtMs: this.#headersAtMs,
      firstByteAtMs: this.#firstByteAtMs,
      firstDeltaAtMs: answer.firstDeltaAtMs,
      firstTextAtMs: answer.firstTextAtMs,
      lastDeltaAtMs: answer.lastDeltaAtMs,
      longestGapMs: answer.longestGapMs,
      endAtMs,
      endMarker,
      outcome,
      httpStatus: this.#status,
      problem: this.#failure === undefined ? null : openAiProblem(originText(origin), model, hideKeyInFailure(this.#failure, key)),
      promptTokens,
      cachedPromptTokens,
      outputTokens: answerTokens ?? (estimated ? answer.deltas : null),
      tokensEstimated: estimated,
      server: answer.durations(sentAtMs, endAtMs),
      maxChunksPerRead: Math.max(this.#maxChunksPerRead, answer.events - this.#eventsBeforeRead),
      resent: this.#exchange?.resent ?? false,
    }
  }
}

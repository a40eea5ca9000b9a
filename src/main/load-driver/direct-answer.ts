/** What the direct leg asks on each wire, and how it reads the answer: text as Latin-1, exact for all that is looked at; `utf8Of` where people read it. */
import { isActivity, readOllamaLine, type ServerTimings } from '../../core/ollama/chunks.ts'
import { OpenAiAnswer } from '../../core/openai/answer.ts'
import { openAiPath } from '../../core/openai/api-path.ts'
import { completionBody } from '../../core/openai/completion-body.ts'
import { hideKey, hideKeyInFailure } from '../../core/openai/hide-key.ts'
import { openAiProblem } from '../../core/openai/openai-problems.ts'
import type { Problem } from '../../core/result/problem.ts'
import type { ServerFailure } from '../../core/session/server-problems.ts'
import type { ModelCall } from '../../core/session/timeline.ts'
import { answerCut, refused, serverFailed } from './direct-problems.ts'
import { utf8Of } from './event-scanner.ts'

export interface DirectAsk {
  readonly serverUrl: string
  readonly model: string
  readonly options: Readonly<Record<string, number | string | boolean>>
  readonly prompt: string
  /** The wire; absent = Ollama's native API. */
  readonly api?: 'ollama' | 'openai' | undefined
  readonly key?: string | undefined
}

export interface DirectAnswer {
  readonly firstDeltaAtMs: number | null
  readonly firstTextAtMs: number | null
  readonly lastDeltaAtMs: number | null
  /** Deltas with something in them. */
  readonly deltas: number
  /** Lines or events of any kind. */
  readonly chunks: number
  /** Whole or broken: nothing that follows counts, whether or not the connection stays open. */
  readonly isOver: boolean
  push(latin1: string, nowMs: number): void
  /** @returns what is wrong with it; null = it is whole */
  end(nowMs: number): Problem | null
  refusal(status: number | null, body: string): Problem
  told(
    sentAtMs: number,
    endAtMs: number,
  ): Pick<ModelCall, 'server' | 'promptTokens' | 'cachedPromptTokens'> & { readonly answerTokens: number | null }
}

/** @returns the request's path behind the address, headers and body, and the reader of its answer */
export function askDirect(ask: DirectAsk): { path: string; headers: Record<string, string>; body: string; answer: DirectAnswer } {
  const { serverUrl, model, options, prompt, key } = ask
  const messages = [{ role: 'user', content: prompt }]
  if (ask.api !== 'openai')
    return { path: '/api/chat', headers: {}, body: JSON.stringify({ model, messages, stream: true, options }), answer: new OllamaDirectAnswer(ask) }
  const { pathname, hostname } = new URL(serverUrl)
  return {
    path: openAiPath(pathname.replace(/\/+$/, ''), '/chat/completions'),
    headers: key === undefined ? {} : { Authorization: `Bearer ${key}` },
    body: JSON.stringify(completionBody({ model, messages, options }, hostname)),
    answer: new OpenAiDirectAnswer(ask),
  }
}

class OllamaDirectAnswer implements DirectAnswer {
  firstDeltaAtMs: number | null = null
  firstTextAtMs: number | null = null
  lastDeltaAtMs: number | null = null
  deltas = 0
  chunks = 0
  readonly isOver = false
  readonly #ask: DirectAsk
  #pending = ''
  #timings: ServerTimings | null = null
  #serverError: string | null = null
  #malformed: string | null = null

  constructor(ask: DirectAsk) {
    this.#ask = ask
  }

  push(latin1: string, nowMs: number): void {
    const text = this.#pending === '' ? latin1 : this.#pending + latin1
    let start = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (end > start) this.chunks += 1
      this.#onLine(text.slice(start, end), nowMs)
      start = end + 1
    }
    this.#pending = start === text.length ? '' : text.slice(start)
  }

  end(nowMs: number): Problem | null {
    const { serverUrl } = this.#ask
    if (this.#pending !== '') this.#onLine(this.#pending, nowMs)
    if (this.#serverError !== null) return serverFailed(serverUrl, this.#serverError)
    return this.#timings === null ? answerCut(serverUrl, this.#malformed) : null
  }

  refusal(status: number | null, body: string): Problem {
    return refused(this.#ask.serverUrl, this.#ask.model, status, body)
  }

  told() {
    const timings = this.#timings
    return { server: durationsOf(timings), promptTokens: timings?.promptTokens ?? null, answerTokens: timings?.answerTokens ?? null }
  }

  #onLine(line: string, nowMs: number): void {
    // Once text flows, a line like all others is only counted: parsing each would cost more than the rest of the driver.
    if (this.firstTextAtMs !== null && line.includes('"done":false') && !line.includes('"content":""')) {
      this.deltas += 1
      this.lastDeltaAtMs = nowMs
      return
    }
    if (line.trim() === '') return
    const read = readOllamaLine(utf8Of(line))
    switch (read.kind) {
      case 'error':
        this.#serverError = read.message
        return
      case 'malformed':
        this.#malformed = read.text
        return
      case 'final':
        this.#timings = read.timings
        break
      case 'delta':
        break
    }
    if (!isActivity(read.delta)) return
    this.deltas += 1
    this.firstDeltaAtMs ??= nowMs
    if (read.delta.content !== '') this.firstTextAtMs ??= nowMs
    this.lastDeltaAtMs = nowMs
  }
}

/** Null on servers that give no total: then they give nothing. */
function durationsOf(timings: ServerTimings | null): ModelCall['server'] {
  if (timings?.totalMs === undefined) return null
  const ns = (ms: number | undefined) => Math.round((ms ?? 0) * 1e6)
  return { totalNs: ns(timings.totalMs), loadNs: ns(timings.loadMs), promptEvalNs: ns(timings.promptEvalMs), evalNs: ns(timings.evalMs) }
}

class OpenAiDirectAnswer implements DirectAnswer {
  readonly #ask: DirectAsk
  readonly #answer = new OpenAiAnswer()

  constructor(ask: DirectAsk) {
    this.#ask = ask
  }

  get firstDeltaAtMs() {
    return this.#answer.firstDeltaAtMs
  }
  get firstTextAtMs() {
    return this.#answer.firstTextAtMs
  }
  get lastDeltaAtMs() {
    return this.#answer.lastDeltaAtMs
  }
  get deltas() {
    return this.#answer.deltas
  }
  get chunks() {
    return this.#answer.events
  }
  get isOver() {
    return this.#answer.isDone || this.#answer.isBroken
  }

  push(latin1: string, nowMs: number): void {
    this.#answer.push(latin1, nowMs)
  }

  end(nowMs: number): Problem | null {
    const failure = this.#answer.end(nowMs)
    return failure === undefined ? null : this.#problem(failure)
  }

  refusal(status: number | null, body: string): Problem {
    const { serverUrl, model, key } = this.#ask
    return openAiProblem(serverUrl, model, { kind: 'status', status: status ?? 0, sentence: hideKey(body, key) })
  }

  told(sentAtMs: number, endAtMs: number) {
    return { server: this.#answer.durations(sentAtMs, endAtMs), ...this.#answer.counts }
  }

  #problem(failure: ServerFailure): Problem {
    const { serverUrl, model, key } = this.#ask
    if ('sentence' in failure) return openAiProblem(serverUrl, model, hideKeyInFailure({ ...failure, sentence: utf8Of(failure.sentence) }, key))
    return openAiProblem(serverUrl, model, hideKeyInFailure('text' in failure ? { ...failure, text: utf8Of(failure.text) } : failure, key))
  }
}

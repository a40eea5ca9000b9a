/** A turn that goes straight to the model server: one `/api/chat` with the same prompt and options, its time line kept here. The measure of what the runner adds. */
import { isActivity, readOllamaLine, type ServerTimings } from '../../core/ollama/chunks.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import type { ModelCall, Outcome } from '../../core/session/timeline.ts'
import type { Clock } from '../platform/clock.ts'
import { utf8Of } from './event-scanner.ts'
import { type Connections, PreparedRequest } from './prepared-request.ts'
import { newRecord, type Turn, type TurnRecord } from './turn.ts'

export type DirectTurnDeps = {
  readonly connections: Connections
  readonly clock: Clock
  readonly serverUrl: string
  readonly model: string
  readonly options: Readonly<Record<string, number | string | boolean>>
  readonly prompt: string
  /** Stands in the server's log where it is one of ours. */
  readonly callId: string
  readonly onEnded: () => void
}

export class DirectTurn implements Turn {
  readonly record: TurnRecord
  readonly #deps: DirectTurnDeps
  readonly #request: PreparedRequest
  #fired = false
  #pending = ''
  #errorText: Buffer[] = []
  #status: number | null = null
  #headersAtMs: number | null = null
  #firstByteAtMs: number | null = null
  #firstTextAtMs: number | null = null
  #lastDeltaAtMs: number | null = null
  #timings: ServerTimings | null = null
  #serverError: string | null = null
  #malformed: string | null = null
  #maxChunksPerRead = 0

  constructor(session: number, deps: DirectTurnDeps) {
    this.record = newRecord(session)
    this.#deps = deps
    const { connections, serverUrl, model, options, prompt, callId, clock } = deps
    const body = JSON.stringify({ model, messages: [{ role: 'user', content: prompt }], stream: true, options })
    const spec = { url: `${serverUrl.replace(/\/+$/, '')}/api/chat`, method: 'POST', headers: { 'x-plimsoll-call': callId }, body } as const
    this.#request = new PreparedRequest(connections, spec, {
      onHead: (status) => {
        this.#status = status
        this.#headersAtMs = clock.nowMs()
      },
      onData: (bytes) => this.#onData(bytes, clock.nowMs()),
      onEnd: () => this.#onEnd(),
      onFailure: (code) => this.#finish('failed', brokenConnection(serverUrl, code)),
    })
  }

  prepare(): Promise<void> {
    return this.#request.connected
  }

  fire(): void {
    this.#fired = true
    const nowMs = this.#deps.clock.nowMs()
    this.record.submitAtMs = nowMs
    this.record.sentAtMs = nowMs
    this.#request.send()
  }

  async stop(outcome: 'cut' | 'failed', reason: Problem | null): Promise<void> {
    if (!this.#fired) this.record.plannedAtMs = this.record.submitAtMs = this.#deps.clock.nowMs()
    this.#request.abort()
    this.#finish(outcome, reason)
  }

  async release(): Promise<void> {
    if (this.record.endAtMs === null || this.record.outcome !== 'completed') this.#request.abort()
  }

  #onData(bytes: Buffer, nowMs: number): void {
    this.#firstByteAtMs ??= nowMs
    if (this.#status !== 200) {
      this.#errorText.push(bytes)
      return
    }
    const piece = bytes.toString('latin1')
    const text = this.#pending === '' ? piece : this.#pending + piece
    let start = 0
    let chunks = 0
    for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
      if (end > start) chunks += 1
      this.#onLine(text.slice(start, end), nowMs)
      start = end + 1
    }
    this.#pending = start === text.length ? '' : text.slice(start)
    if (chunks > this.#maxChunksPerRead) this.#maxChunksPerRead = chunks
  }

  #onLine(line: string, nowMs: number): void {
    // Once text flows, a line like all others is only counted: parsing each would cost more than the rest of the driver.
    if (this.#firstTextAtMs !== null && line.includes('"done":false') && !line.includes('"content":""')) {
      this.record.tokens += 1
      this.#lastDeltaAtMs = nowMs
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
    this.record.tokens += 1
    this.record.firstActivityAtMs ??= nowMs
    if (read.delta.content !== '') this.#firstTextAtMs ??= nowMs
    this.#lastDeltaAtMs = nowMs
  }

  #onEnd(): void {
    const { serverUrl, model } = this.#deps
    if (this.#pending !== '') this.#onLine(this.#pending, this.#deps.clock.nowMs())
    if (this.#status !== 200) this.#finish('failed', refusal(serverUrl, model, this.#status, Buffer.concat(this.#errorText).toString('utf8')))
    else if (this.#serverError !== null) this.#finish('failed', serverError(serverUrl, this.#serverError))
    else if (this.#timings === null) this.#finish('failed', noEndMarker(serverUrl, this.#malformed))
    else this.#finish('completed', null)
  }

  #finish(outcome: Outcome, reason: Problem | null): void {
    const record = this.record
    if (record.endAtMs !== null) return
    const endAtMs = this.#deps.clock.nowMs()
    record.endAtMs = endAtMs
    record.outcome = outcome
    record.problem = reason
    if (outcome === 'completed') record.doneAtMs = this.#lastDeltaAtMs ?? endAtMs
    record.timeline = {
      acceptedAtMs: record.submitAtMs,
      runnerStartAtMs: this.#fired ? record.submitAtMs : null,
      firstModelRequestAtMs: this.#fired ? record.submitAtMs : null,
      firstActivityAtMs: record.firstActivityAtMs,
      doneAtMs: record.doneAtMs,
      backgroundEndAtMs: endAtMs,
      outcome,
      problem: reason,
      calls: this.#fired ? [this.#call(endAtMs, outcome, reason)] : [],
      tools: [],
    }
    this.#deps.onEnded()
  }

  #call(endAtMs: number, outcome: Outcome, reason: Problem | null): ModelCall {
    const timings = this.#timings
    const counted = timings?.answerTokens
    return {
      index: 0,
      purpose: 'answer',
      model: this.#deps.model,
      sentAtMs: this.record.submitAtMs,
      headersAtMs: this.#headersAtMs,
      firstByteAtMs: this.#firstByteAtMs,
      firstDeltaAtMs: this.record.firstActivityAtMs,
      firstTextAtMs: this.#firstTextAtMs,
      lastDeltaAtMs: this.#lastDeltaAtMs,
      endAtMs,
      endMarker: timings !== null,
      outcome,
      httpStatus: this.#status,
      problem: reason,
      promptTokens: timings?.promptTokens ?? null,
      outputTokens: counted ?? (this.record.tokens > 0 ? this.record.tokens : null),
      tokensEstimated: counted === undefined && this.record.tokens > 0,
      server: durationsOf(timings),
      maxChunksPerRead: this.#maxChunksPerRead,
      resent: this.#request.resent,
    }
  }
}

/** Null on servers that give no total: then they give nothing. */
function durationsOf(timings: ServerTimings | null): ModelCall['server'] {
  if (timings?.totalMs === undefined) return null
  const ns = (ms: number | undefined) => Math.round((ms ?? 0) * 1e6)
  return { totalNs: ns(timings.totalMs), loadNs: ns(timings.loadMs), promptEvalNs: ns(timings.promptEvalMs), evalNs: ns(timings.evalMs) }
}

function brokenConnection(url: string, code: string): Problem {
  return code === 'ECONNREFUSED'
    ? problem('server-unreachable', `Nothing listens at ${url}.`, 'A model server was expected there.', 'Start it, or give another address.')
    : problem(
        'server-connection-broken',
        `The connection to the model server at ${url} broke (${code}).`,
        'It was expected to stand to the end of the answer.',
        "Look at the server's log.",
      )
}

function refusal(url: string, model: string, status: number | null, body: string): Problem {
  const said = errorIn(body)
  if (status === 404)
    return problem('model-missing', `The model server at ${url} has no model "${model}" (${said}).`, '', `Get it with: ollama pull ${model}`)
  if (status === 503 || status === 429) {
    return problem(
      'server-busy',
      `The model server at ${url} turned a request away with status ${status} (${said}).`,
      '',
      'Its own queue limit was reached; lower N or raise that limit.',
    )
  }
  return problem(
    'server-refused',
    `The model server at ${url} answered with status ${status} (${said}).`,
    'Status 200 was expected.',
    "Look at the server's log.",
  )
}

function serverError(url: string, text: string): Problem {
  return problem('server-failed', `The model server at ${url} broke an answer off: ${text}.`, '', "Look at the server's log.")
}

function noEndMarker(url: string, malformed: string | null): Problem {
  const what = malformed === null ? 'without its end marker' : `with a line that is no answer: ${malformed.slice(0, 80)}`
  return problem(
    'answer-cut',
    `An answer of the model server at ${url} ended ${what}.`,
    'Its last line was expected to say "done".',
    "Look at the server's log, and at any proxy between.",
  )
}

function errorIn(body: string): string {
  try {
    const { error } = JSON.parse(body) as { error?: unknown }
    if (typeof error === 'string') return error
  } catch {
    // Not JSON: its beginning is shown.
  }
  return body.trim().slice(0, 120)
}

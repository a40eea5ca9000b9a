/**
 * A turn that goes straight to the model server: one chat request with the same prompt and options, its time line kept here. The measure of what the
 * runner adds. Which wire it travels on stands in direct-answer.ts.
 */
import type { Problem } from '../../core/result/problem.ts'
import type { ModelCall, Outcome } from '../../core/session/timeline.ts'
import type { Clock } from '../platform/clock.ts'
import { sentenceIn } from '../platform/http-json.ts'
import { askDirect, type DirectAnswer, type DirectAsk } from './direct-answer.ts'
import { brokenConnection } from './direct-problems.ts'
import { type Connections, PreparedRequest } from './prepared-request.ts'
import { newRecord, type Turn, type TurnRecord } from './turn.ts'

export type DirectTurnDeps = DirectAsk & {
  readonly connections: Connections
  readonly clock: Clock
  /** Stands in the server's log where it is one of ours. */
  readonly callId: string
  readonly onEnded: () => void
}

export class DirectTurn implements Turn {
  readonly record: TurnRecord
  readonly #deps: DirectTurnDeps
  readonly #request: PreparedRequest
  readonly #answer: DirectAnswer
  #fired = false
  #errorText: Buffer[] = []
  #status: number | null = null
  #headersAtMs: number | null = null
  #firstByteAtMs: number | null = null
  #maxChunksPerRead = 0
  #endMarker = false

  constructor(session: number, deps: DirectTurnDeps, turn = 0) {
    this.record = newRecord(session, turn)
    this.#deps = deps
    const { connections, serverUrl, callId, clock } = deps
    const { path, headers, body, answer } = askDirect(deps)
    this.#answer = answer
    const url = `${serverUrl.replace(/\/+$/, '')}${path}`
    const spec = { url, method: 'POST', headers: { 'x-plimsoll-call': callId, ...headers }, body } as const
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
    if (this.record.endAtMs !== null) return
    this.#firstByteAtMs ??= nowMs
    if (this.#status !== 200) {
      this.#errorText.push(bytes)
      return
    }
    const answer = this.#answer
    const before = answer.chunks
    answer.push(bytes.toString('latin1'), nowMs)
    if (answer.chunks - before > this.#maxChunksPerRead) this.#maxChunksPerRead = answer.chunks - before
    this.record.tokens = answer.deltas
    this.record.firstActivityAtMs ??= answer.firstDeltaAtMs
    if (answer.isOver) this.#onEnd()
  }

  #onEnd(): void {
    if (this.record.endAtMs !== null) return
    if (this.#status !== 200) {
      this.#finish('failed', this.#answer.refusal(this.#status, sentenceIn(Buffer.concat(this.#errorText).toString('utf8')).slice(0, SAID_CHARS)))
      return
    }
    const reason = this.#answer.end(this.#deps.clock.nowMs())
    // The last line may have come without its newline.
    this.record.tokens = this.#answer.deltas
    this.record.firstActivityAtMs ??= this.#answer.firstDeltaAtMs
    this.#endMarker = reason === null
    this.#finish(reason === null ? 'completed' : 'failed', reason)
  }

  #finish(outcome: Outcome, reason: Problem | null): void {
    const record = this.record
    if (record.endAtMs !== null) return
    const endAtMs = this.#deps.clock.nowMs()
    record.endAtMs = endAtMs
    record.outcome = outcome
    record.problem = reason
    if (outcome === 'completed') record.doneAtMs = this.#answer.lastDeltaAtMs ?? endAtMs
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
    const answer = this.#answer
    const sentAtMs = this.record.submitAtMs
    const { server, promptTokens, cachedPromptTokens, answerTokens } = answer.told(sentAtMs, endAtMs)
    const estimated = answerTokens === null && answer.deltas > 0
    return {
      index: 0,
      purpose: 'answer',
      model: this.#deps.model,
      sentAtMs,
      headersAtMs: this.#headersAtMs,
      firstByteAtMs: this.#firstByteAtMs,
      firstDeltaAtMs: this.record.firstActivityAtMs,
      firstTextAtMs: answer.firstTextAtMs,
      lastDeltaAtMs: answer.lastDeltaAtMs,
      endAtMs,
      endMarker: this.#endMarker,
      outcome,
      httpStatus: this.#status,
      problem: reason,
      promptTokens,
      ...(cachedPromptTokens === undefined ? {} : { cachedPromptTokens }),
      outputTokens: answerTokens ?? (estimated ? answer.deltas : null),
      tokensEstimated: estimated,
      server,
      maxChunksPerRead: this.#maxChunksPerRead,
      resent: this.#request.resent,
    }
  }
}

/** The most of a server's sentence that is shown. */
const SAID_CHARS = 120

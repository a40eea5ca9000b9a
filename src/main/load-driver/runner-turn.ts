/** A turn through the runner's real HTTP API: session made and event stream open beforehand, the turn posted at its moment, its time line taken from the last event. */
import { type Problem, problem, problemSchema } from '../../core/result/problem.ts'
import { turnTimelineSchema } from '../../core/session/timeline.ts'
import type { Clock } from '../platform/clock.ts'
import { createEventScanner, numberAfter, utf8Of } from './event-scanner.ts'
import { type Connections, exchange, PreparedRequest } from './prepared-request.ts'
import { newRecord, type Turn, type TurnRecord } from './turn.ts'

export type RunnerTurnDeps = {
  readonly connections: Connections
  readonly clock: Clock
  readonly runner: { readonly url: string; readonly token: string }
  /** As the runner's API wants them. */
  readonly settings: unknown
  readonly prompt: string
  /** Counts the session's turns from 0. */
  readonly turn?: number
  /** An ended turn whose conversation this one goes on with. */
  readonly previous?: RunnerTurn | null
  readonly onOpened: (sessionId: string) => void
  readonly onEnded: () => void
  readonly onReceiveLag: (lagMs: number) => void
  /** What the runner has to say of the turn: a model without tools. */
  readonly onNotice?: (text: string) => void
}

/** How long a stopped turn may take to send its time line. */
const STOP_GRACE_MS = 1_000
const MAX_STREAM_REOPENS = 2

export class RunnerTurn implements Turn {
  readonly record: TurnRecord
  readonly #deps: RunnerTurnDeps
  readonly #headers: Readonly<Record<string, string>>
  #sessionUrl: string | null = null
  #post: PreparedRequest | null = null
  #stream: PreparedRequest | null = null
  #lastSeq = 0
  #reopens = 0
  #fired = false
  #stopping: { outcome: 'cut' | 'failed'; problem: Problem | null } | null = null
  #whenEnded: () => void = () => {}

  constructor(session: number, deps: RunnerTurnDeps) {
    this.record = newRecord(session, deps.turn ?? 0)
    this.#deps = deps
    this.#headers = { Authorization: `Bearer ${deps.runner.token}` }
  }

  async prepare(): Promise<void> {
    const { connections, runner, settings, prompt } = this.#deps
    const url = `${runner.url}/v1/sessions`
    const handed = this.#deps.previous?.handOver() ?? null
    if (handed !== null) {
      this.#sessionUrl = handed.sessionUrl
      this.#lastSeq = handed.lastSeq
      return this.#connect(handed.sessionUrl, prompt)
    }
    const made = await exchange(connections, { url, method: 'POST', headers: this.#headers, body: JSON.stringify({ settings }) })
    const sessionId = made.ok && made.status === 201 ? sessionIdIn(made.text) : undefined
    if (sessionId === undefined) {
      this.record.problem = made.ok ? problemIn(made.text, made.status) : unreachable(runner.url, made.code)
      return
    }
    this.#deps.onOpened(sessionId)
    this.#sessionUrl = `${url}/${encodeURIComponent(sessionId)}`
    await this.#connect(this.#sessionUrl, prompt)
  }

  /** The session goes to the conversation's next turn, which frees it. */
  handOver(): { readonly sessionUrl: string; readonly lastSeq: number } | null {
    const sessionUrl = this.#sessionUrl
    this.#sessionUrl = null
    return sessionUrl === null ? null : { sessionUrl, lastSeq: this.#lastSeq }
  }

  async #connect(sessionUrl: string, prompt: string): Promise<void> {
    await this.#openStream(sessionUrl)
    this.#post = this.#preparePost(sessionUrl, prompt)
    await this.#post.connected
  }

  fire(): void {
    this.#fired = true
    this.record.submitAtMs = this.#deps.clock.nowMs()
    if (this.record.problem !== null || this.#post === null) this.#finish('failed', this.record.problem)
    else this.#post.send()
  }

  async stop(outcome: 'cut' | 'failed', reason: Problem | null): Promise<void> {
    if (this.record.endAtMs !== null) return
    const { clock, connections } = this.#deps
    if (!this.#fired) {
      this.record.plannedAtMs = this.record.submitAtMs = clock.nowMs()
      return this.#finish(outcome, reason)
    }
    this.#stopping = { outcome, problem: reason }
    const ended = new Promise<void>((resolve) => {
      this.#whenEnded = resolve
    })
    const giveUp = clock.after(STOP_GRACE_MS, () => this.#finish(outcome, reason))
    if (this.#sessionUrl !== null) {
      // Not awaited: whether the runner answers or not, the turn ends by its last event or by the grace.
      void exchange(connections, { url: `${this.#sessionUrl}/cancel`, method: 'POST', headers: this.#headers })
    }
    await ended
    giveUp()
  }

  async release(): Promise<void> {
    this.#post?.abort()
    this.#stream?.abort()
    if (this.#sessionUrl !== null) await exchange(this.#deps.connections, { url: this.#sessionUrl, method: 'DELETE', headers: this.#headers })
  }

  #preparePost(sessionUrl: string, prompt: string): PreparedRequest {
    const { connections, clock, runner } = this.#deps
    let status = 0
    const pieces: Buffer[] = []
    const spec = { url: `${sessionUrl}/turns`, method: 'POST', headers: this.#headers, body: JSON.stringify({ text: prompt }) } as const
    return new PreparedRequest(connections, spec, {
      onHead: (code) => {
        status = code
        if (code === 202) this.record.acceptedAtMs = clock.nowMs()
      },
      onData: (bytes) => {
        if (status !== 202) pieces.push(bytes)
      },
      onEnd: () => {
        if (status !== 202) this.#finish('failed', problemIn(Buffer.concat(pieces).toString('utf8'), status))
      },
      // Accepted already: the turn runs, and the event stream tells of its end.
      onFailure: (code) => {
        if (this.record.acceptedAtMs === null) this.#finish('failed', unreachable(runner.url, code))
      },
    })
  }

  /** Resolves when the stream stands or can't be had; a stream that breaks later is opened again from where it was. */
  #openStream(sessionUrl: string): Promise<void> {
    const { connections, clock } = this.#deps
    const scanner = createEventScanner((type, seq, data) => this.#onEvent(type, seq, data))
    return new Promise((resolve) => {
      const lost = (why: string) => {
        resolve()
        if (this.record.endAtMs !== null) return
        this.#reopens += 1
        if (this.#reopens <= MAX_STREAM_REOPENS) return void this.#openStream(sessionUrl)
        const reason = problem(
          'event-stream-lost',
          `The runner's event stream of a session broke off (${why}).`,
          'It was expected to last to the end of the turn.',
          'Run the sweep again; if it recurs, look at the log with --verbose.',
        )
        if (this.#fired) this.#finish('failed', reason)
        else this.record.problem ??= reason
      }
      const headers = { ...this.#headers, 'Last-Event-ID': String(this.#lastSeq) }
      this.#stream = new PreparedRequest(
        connections,
        { url: `${sessionUrl}/events`, method: 'GET', headers },
        {
          onHead: (status) => {
            if (status === 200) resolve()
            else lost(`status ${status}`)
          },
          onData: (bytes) => {
            this.#nowMs = clock.nowMs()
            scanner.push(bytes)
          },
          onEnd: () => lost('it ended'),
          onFailure: lost,
        },
      )
      this.#stream.send()
    })
  }

  /** When the bytes being scanned came. */
  #nowMs = 0

  #onEvent(type: string, seq: number, data: string): void {
    const record = this.record
    // After a reopening the stream may begin before what was seen.
    if (seq <= this.#lastSeq || record.endAtMs !== null) return
    this.#lastSeq = seq
    const nowMs = this.#nowMs
    const atMs = numberAfter(data, '"atMs":')
    const lagMs = nowMs - atMs
    if (lagMs >= 0) {
      this.#deps.onReceiveLag(lagMs)
      if (record.receiveLagMs === null || lagMs > record.receiveLagMs) record.receiveLagMs = lagMs
    }
    switch (type) {
      case 'delta':
        if (data.includes('"text":""')) return
        record.tokens += 1
        record.firstActivityAtMs ??= nowMs
        return
      case 'tool-ended':
        record.firstActivityAtMs ??= nowMs
        return
      case 'notice':
        this.#deps.onNotice?.(textIn(data))
        return
      case 'turn-started':
        record.runnerStartAtMs = atMs
        return
      case 'call-sent':
        record.sentAtMs ??= atMs
        return
      case 'turn-done':
        record.doneAtMs = nowMs
        return
      case 'turn-ended':
        this.#onTurnEnded(data)
        return
    }
  }

  #onTurnEnded(data: string): void {
    const parsed = turnTimelineSchema.safeParse((JSON.parse(utf8Of(data)) as { timeline?: unknown }).timeline)
    if (!parsed.success) {
      this.#finish('failed', problem('timeline-unreadable', "The runner's last event of a turn held no time line.", '', 'Report this as a bug.'))
      return
    }
    this.record.timeline = parsed.data
    this.#finish(parsed.data.outcome, parsed.data.problem)
  }

  #finish(outcome: 'completed' | 'failed' | 'cut', reason: Problem | null): void {
    const record = this.record
    if (record.endAtMs !== null) return
    record.endAtMs = this.#deps.clock.nowMs()
    record.outcome = this.#stopping !== null && outcome !== 'completed' ? this.#stopping.outcome : outcome
    record.problem = this.#stopping?.problem ?? reason
    this.#whenEnded()
    this.#deps.onEnded()
  }
}

function textIn(data: string): string {
  const { text } = JSON.parse(utf8Of(data)) as { text?: unknown }
  return typeof text === 'string' ? text : ''
}

function sessionIdIn(text: string): string | undefined {
  try {
    const { sessionId } = JSON.parse(text) as { sessionId?: unknown }
    return typeof sessionId === 'string' ? sessionId : undefined
  } catch {
    return undefined
  }
}

/** The problem that the runner's answer names, or one about the answer. */
function problemIn(text: string, status: number): Problem {
  try {
    const parsed = problemSchema.safeParse((JSON.parse(text) as { problem?: unknown }).problem)
    if (parsed.success) return parsed.data
  } catch {
    // Not JSON: said below.
  }
  return problem(
    'runner-answer',
    `The runner answered with status ${status}.`,
    'It was expected to accept the turn.',
    'Look at the log with --verbose.',
  )
}

function unreachable(url: string, code: string): Problem {
  return problem('runner-unreachable', `The runner at ${url} could not be reached (${code}).`, 'It runs inside Plimsoll.', 'Start Plimsoll again.')
}

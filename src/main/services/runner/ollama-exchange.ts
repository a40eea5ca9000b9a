/**
 * One request of the `ollama` npm client over our own HTTP client: a `fetch` that gives a minimal Response (no web streams: a fifth of their cost)
 * and stamps what comes. What went wrong is kept as data; the client's own errors carry less. Errors of the server reach it as JSON always,
 * since it prints to the console about anything else.
 */
import type { ServerFailure } from '../../../core/session/server-problems.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpClient, HttpExchange, HttpOrigin } from '../../platform/http-client.ts'
import { sentenceIn } from '../../platform/http-json.ts'
import { createLineGuard } from './line-guard.ts'

/** More of an error's body is not read. */
const ERROR_BODY_LIMIT_BYTES = 16_384
const ERROR_BODY_PARTS = 64

/** What `read()` and `fetch` reject with; the cause stands in `exchange.failure`, or the exchange was aborted. */
class ExchangeBroken extends Error {}

interface ReadResult {
  done: boolean
  value: Uint8Array | undefined
}

export class OllamaExchange {
  sentAtMs = 0
  headersAtMs: number | null = null
  firstByteAtMs: number | null = null
  /** Moment of the read that brought the lines which the client now hands out. */
  lastReadAtMs = 0
  status: number | null = null
  maxChunksPerRead = 0
  failure: ServerFailure | undefined
  aborted = false

  readonly #clock: Clock
  readonly #http: HttpClient
  readonly #origin: HttpOrigin
  readonly #onSent: (atMs: number) => void
  readonly #guard = createLineGuard()
  #exchange: HttpExchange | undefined
  /** Lines that wait for the client's next read. */
  #parts: Buffer[] = []
  #over = false
  #sent = false
  #linesBeforeRead = 0
  #flushPlanned = false
  #head: { resolve: (response: Response) => void; reject: (error: Error) => void } | undefined
  #reader: { resolve: (result: ReadResult) => void; reject: (error: Error) => void } | undefined

  constructor(deps: { clock: Clock; http: HttpClient }, origin: HttpOrigin, onSent: (atMs: number) => void) {
    this.#clock = deps.clock
    this.#http = deps.http
    this.#origin = origin
    this.#onSent = onSent
  }

  get resent(): boolean {
    return this.#exchange?.resent ?? false
  }

  /** Lines handed to the client: each must come back out of it as a message. */
  get lines(): number {
    return this.#guard.lines
  }

  readonly fetch = (input: string | URL | Request, init?: RequestInit): Promise<Response> => {
    const url = String(input)
    const path = url.slice(url.indexOf('/', url.indexOf('://') + 3) + this.#origin.basePath.length)
    return new Promise((resolve, reject) => {
      this.#head = { resolve, reject }
      this.sentAtMs = this.#clock.nowMs()
      this.#exchange = this.#http.send(
        { origin: this.#origin, method: 'POST', path, headers: init?.headers as Record<string, string>, body: String(init?.body ?? '') },
        {
          // Waiting for a connection of our own pool is ours, not the server's: the call is sent when it has one.
          onSocket: () => this.#onSocket(),
          onHead: (status, contentType) => this.#onHead(status, contentType),
          onData: (bytes) => this.#onData(bytes),
          onEnd: () => this.#onEnd(),
          onFailure: (failure) => this.#fail(failure),
        },
      )
    })
  }

  #onSocket(): void {
    if (this.#sent) return
    this.#sent = true
    this.sentAtMs = this.#clock.nowMs()
    this.#onSent(this.sentAtMs)
  }

  /** Closes the connection; what the client waits for is rejected. */
  abort(): void {
    if (this.aborted) return
    this.aborted = true
    this.#exchange?.abort()
    this.#reject()
  }

  #onHead(status: number, contentType: string): void {
    this.status = status
    this.headersAtMs = this.#clock.nowMs()
    // The body of a refusal is read whole first: see #onEnd.
    if (contentType.includes('text/html')) this.#fail({ kind: 'web-page', status })
    else if (status >= 200 && status < 300) this.#answer(true, status, '')
  }

  #onData(bytes: Buffer): void {
    if (this.#over) return
    this.lastReadAtMs = this.#clock.nowMs()
    this.firstByteAtMs ??= this.lastReadAtMs
    if (this.#head !== undefined) {
      if (this.#parts.length < ERROR_BODY_PARTS) this.#parts.push(bytes)
      return
    }
    const lines = this.#guard.accept(bytes)
    if (lines === undefined) {
      this.#refuse()
      return
    }
    if (lines.length > 0) this.#parts.push(lines)
    // All chunks of one read of the socket come within one tick; the client gets them at once.
    if (this.#flushPlanned) return
    this.#flushPlanned = true
    queueMicrotask(this.#flush)
  }

  #onEnd(): void {
    if (this.#over) return
    if (this.#head !== undefined) {
      const status = this.status ?? 0
      const sentence = sentenceIn(Buffer.concat(this.#parts).subarray(0, ERROR_BODY_LIMIT_BYTES).toString())
      this.failure = { kind: 'status', status, sentence }
      this.#answer(false, status, sentence)
      return
    }
    const rest = this.#guard.end()
    if (rest !== undefined && rest.length > 0) this.#parts.push(rest)
    this.#over = true
    this.#flush()
  }

  readonly #flush = (): void => {
    this.#flushPlanned = false
    const chunks = this.#guard.lines - this.#linesBeforeRead
    this.#linesBeforeRead = this.#guard.lines
    if (chunks > this.maxChunksPerRead) this.maxChunksPerRead = chunks
    const reader = this.#reader
    if (reader === undefined) return
    if (this.#parts.length > 0) {
      this.#reader = undefined
      reader.resolve({ done: false, value: this.#takeParts() })
    } else if (this.failure !== undefined || this.aborted) {
      this.#reader = undefined
      reader.reject(new ExchangeBroken())
    } else if (this.#over) {
      this.#reader = undefined
      reader.resolve({ done: true, value: undefined })
    }
  }

  #takeParts(): Buffer {
    const first = this.#parts.length === 1 ? this.#parts[0] : undefined
    const bytes = first ?? Buffer.concat(this.#parts)
    this.#parts = []
    return bytes
  }

  readonly #read = (): Promise<ReadResult> =>
    new Promise((resolve, reject) => {
      this.#reader = { resolve, reject }
      if (!this.#flushPlanned) this.#flush()
    })

  /** The few members of a Response that the client (0.6.4) reads. */
  #answer(good: boolean, status: number, sentence: string): void {
    const head = this.#head
    this.#head = undefined
    const response = {
      ok: good,
      status,
      statusText: '',
      headers: { get: () => 'application/json' },
      json: () => Promise.resolve({ error: sentence }),
      text: () => Promise.resolve(sentence),
      body: { getReader: () => ({ read: this.#read, releaseLock: () => {} }) },
    }
    head?.resolve(response as unknown as Response)
  }

  #refuse(): void {
    const text = this.#guard.bad
    this.#exchange?.abort()
    this.#fail(/^\s*</.test(text) ? { kind: 'web-page', status: this.status ?? 0 } : { kind: 'malformed', text })
  }

  /** Lines that came before the break still reach the client. */
  #fail(failure: ServerFailure): void {
    if (this.#over) return
    this.#over = true
    this.failure = failure
    this.#exchange?.abort()
    if (this.#head !== undefined) this.#reject()
    else this.#flush()
  }

  #reject(): void {
    this.#over = true
    this.#head?.reject(new ExchangeBroken())
    this.#head = undefined
    this.#reader?.reject(new ExchangeBroken())
    this.#reader = undefined
  }
}

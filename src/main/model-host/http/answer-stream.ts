/**
 * Puts what an engine says on the wire: status and headers with the first chunk, frames, ends, errors, and writes the log's stamps.
 * Streams frames straight to the socket in HTTP's chunked coding: `res.write` costs three writes a token, this one.
 */
import type { ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { ToolCall } from '../../../core/ollama/requests.ts'
import { encodeSseComment } from '../../../core/stream/encode-sse.ts'
import type { Clock } from '../../platform/clock.ts'
import type { CallEnd, CallFailure, CallSink, Channel, Delivery } from '../engine.ts'
import type { RequestLog, RequestOutcome, RequestRecord } from './request-log.ts'
import type { WireFormat } from './wire-format.ts'

export interface AnswerStreamDeps {
  readonly res: ServerResponse
  readonly format: WireFormat
  readonly frames: FrameCache
  readonly stream: boolean
  readonly delivery: Delivery
  readonly clock: Clock
  readonly log: RequestLog
  readonly record: RequestRecord
  readonly createdAt: () => string
}

/** Equal chunks are encoded once: the control server sends the same one thousands of times a second. Keyed by wire and model through its owner. */
export interface FrameCache {
  text: string
  channel: Channel
  createdAt: string
  frame: Buffer | undefined
}

export const emptyFrameCache = (): FrameCache => ({ text: '', channel: 'content', createdAt: '', frame: undefined })

export class AnswerStream implements CallSink {
  readonly #deps: AnswerStreamDeps
  #started = false
  #ended = false
  /** Text held back until `chunksPerWrite` pieces are together: a buffering proxy makes one chunk of them. */
  #held: string[] = []
  /** Parts of an answer that goes out in one piece. */
  #content: string[] = []
  #thinking: string[] = []
  #calls: ToolCall[] = []
  #finalCalls: readonly ToolCall[] = []
  #stopPings = () => {}
  #stopHolding = () => {}
  #onEnd = () => {}

  constructor(deps: AnswerStreamDeps) {
    this.#deps = deps
    if (deps.stream && deps.delivery.headersAtOnce) this.#start()
    if (deps.stream && deps.delivery.pingEveryMs > 0 && deps.format.streamType === 'text/event-stream') this.#ping()
  }

  get #holds(): boolean {
    const { chunksPerWrite, bufferMs } = this.#deps.delivery
    return chunksPerWrite > 1 || bufferMs > 0
  }

  get ended(): boolean {
    return this.#ended
  }

  onEnd(listener: () => void): void {
    this.#onEnd = listener
  }

  slotAcquired(atMs: number): void {
    this.#deps.record.slotAcquiredMs = atMs
  }

  token(text: string, channel: Channel): void {
    if (this.#ended) return
    this.#stamp()
    this.#deps.record.tokens += 1
    if (this.#deps.stream && !this.#holds) this.#write(this.#frame(text, channel))
    else if (this.#deps.stream) this.#hold(this.#deps.format.token(text, channel, this.#deps.createdAt()))
    else (channel === 'content' ? this.#content : this.#thinking).push(text)
  }

  toolCalls(calls: readonly ToolCall[], options: { inFinalLine?: boolean } = {}): void {
    if (this.#ended) return
    this.#stamp()
    if (!this.#deps.stream) this.#calls.push(...calls)
    else if (options.inFinalLine === true) this.#finalCalls = calls
    else this.#hold(this.#deps.format.toolCalls(calls, this.#deps.createdAt()))
  }

  end(end: CallEnd): void {
    if (this.#ended) return
    const { format, record, res } = this.#deps
    record.promptTokens = end.promptTokens
    record.loadMs = end.loadMs
    const createdAt = this.#deps.createdAt()
    if (this.#deps.stream && end.reason !== 'load' && end.reason !== 'unload') {
      this.#finish(format.final(end, this.#finalCalls, createdAt))
    } else {
      const answer = { content: this.#content.join(''), thinking: this.#thinking.join(''), toolCalls: this.#calls }
      this.#body(200, format.whole(answer, end, createdAt))
    }
    this.#close('ok', res.statusCode)
  }

  fail(failure: CallFailure): void {
    if (this.#ended) return
    if (this.#started || this.#held.length > 0) {
      this.#finish(this.#deps.format.errorLine(failure.message))
      this.#close('failed', 200)
      return
    }
    if (failure.retryAfterS !== undefined) this.#deps.res.setHeader('retry-after', failure.retryAfterS)
    this.#body(failure.status, this.#deps.format.errorBody(failure.status, failure.message))
    this.#close(failure.status < 500 || failure.status === 503 ? 'refused' : 'failed', failure.status)
  }

  cut(): void {
    if (this.#ended) return
    this.#finish('')
    this.#close('cut', 200)
  }

  reset(): void {
    if (this.#ended) return
    this.#close('reset', 0)
    this.#deps.res.socket?.resetAndDestroy()
  }

  /** The client has gone: nothing more is written. */
  abandon(): void {
    if (!this.#ended) this.#close('aborted', this.#started ? 200 : 499)
  }

  #stamp(): void {
    const nowMs = this.#deps.clock.nowMs()
    this.#deps.record.firstTokenMs ??= nowMs
    this.#deps.record.lastTokenMs = nowMs
  }

  #frame(text: string, channel: Channel): Buffer {
    const cache = this.#deps.frames
    const createdAt = this.#deps.createdAt()
    if (cache.frame !== undefined && cache.text === text && cache.channel === channel && cache.createdAt === createdAt) return cache.frame
    const frame = this.#encode(this.#deps.format.token(text, channel, createdAt))
    cache.text = text
    cache.channel = channel
    cache.createdAt = createdAt
    cache.frame = frame
    return frame
  }

  /** In HTTP's chunked coding: length in hex, text. */
  #encode(text: string): Buffer {
    const length = Buffer.byteLength(text)
    return Buffer.from(`${length.toString(16)}\r\n${text}\r\n`)
  }

  #hold(text: string): void {
    if (text === '') return
    const { chunksPerWrite, bufferMs } = this.#deps.delivery
    this.#held.push(text)
    if (bufferMs > 0 && this.#held.length === 1) this.#stopHolding = this.#deps.clock.after(bufferMs, () => this.#flush())
    const isFull = chunksPerWrite > 1 || bufferMs === 0
    if (isFull && this.#held.length >= chunksPerWrite) this.#flush()
  }

  #flush(): void {
    this.#stopHolding()
    if (this.#held.length === 0) return
    const text = this.#held.join('')
    this.#held = []
    this.#write(this.#encode(text))
  }

  #write(frame: Buffer): void {
    const { res } = this.#deps
    const socket = res.socket
    if (this.#started) {
      socket?.write(frame)
      return
    }
    socket?.cork()
    this.#start()
    socket?.write(frame)
    socket?.uncork()
  }

  #start(): void {
    this.#started = true
    this.#deps.record.status = 200
    this.#deps.res.writeHead(200, { 'content-type': this.#deps.format.streamType, 'transfer-encoding': 'chunked' })
    this.#deps.res.flushHeaders()
    if (this.#deps.format.opening !== '') this.#deps.res.socket?.write(this.#encode(this.#deps.format.opening))
  }

  #finish(last: string): void {
    const { res } = this.#deps
    const socket: Socket | null = res.socket
    socket?.cork()
    if (!this.#started) this.#start()
    if (last !== '') this.#held.push(last)
    this.#flush()
    res.end()
    socket?.uncork()
  }

  #body(status: number, body: string): void {
    this.#deps.res.writeHead(status, { 'content-type': this.#deps.format.jsonType, 'content-length': Buffer.byteLength(body) })
    this.#deps.res.end(body)
  }

  #close(outcome: RequestOutcome, status: number): void {
    const { record, log, clock } = this.#deps
    this.#ended = true
    this.#stopPings()
    this.#stopHolding()
    record.endMs = clock.nowMs()
    record.outcome = outcome
    record.status = status
    if (record.slotAcquiredMs !== null) record.queuedMs = Math.max(0, record.slotAcquiredMs - record.arrivalMs - (record.loadMs ?? 0))
    log.close(record)
    this.#onEnd()
  }

  #ping(): void {
    this.#stopPings = this.#deps.clock.after(this.#deps.delivery.pingEveryMs, () => {
      this.#flush()
      this.#write(this.#encode(encodeSseComment('ping')))
      this.#ping()
    })
  }
}

/**
 * HTTP to model servers over node:http, without limits: no pool limit, no header or body time-out, keep-alive, no delay.
 * A request whose reused socket turns out to be closed before any byte came is sent once more on a fresh one (research/field-reports.md R18).
 * Knows nothing of Ollama; what comes is handed on as it comes, in the read in which it came.
 */
import http from 'node:http'
import https from 'node:https'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import type { ServerFailure } from '../../core/session/server-problems.ts'

export interface HttpOrigin {
  readonly protocol: 'http:' | 'https:'
  /** A literal address where the name was `localhost` (R19). */
  readonly host: string
  readonly port: number
  /** Path before the API's own, without a slash at the end; mostly empty. */
  readonly basePath: string
}

export interface HttpSend {
  readonly origin: HttpOrigin
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** Exactly one of `onEnd` and `onFailure` comes last, unless the exchange was aborted: then nothing comes any more. */
export interface HttpHandlers {
  /** The request has a connection of its own now and goes out on it; again when it is resent. Where a pool is full, that is later than `send`. */
  onSocket?(): void
  /** @param retryAfterS what the server asks to wait, where it says so in seconds */
  onHead(status: number, contentType: string, retryAfterS: number | undefined): void
  onData(bytes: Buffer): void
  onEnd(): void
  onFailure(failure: ServerFailure): void
}

export interface HttpExchange {
  /** True once the request went out a second time on a fresh socket. */
  readonly resent: boolean
  /** Closes the connection at once. */
  abort(): void
}

export interface HttpClient {
  send(request: HttpSend, handlers: HttpHandlers): HttpExchange
  /** So many connections per server at most; further requests wait for one. Null = no limit, as it is from the start. */
  limitPool(limit: number | null): void
  /** Closes idle and busy connections alike. */
  close(): void
}

/** Idle sockets kept per server; Node's default of 256 would close connections of a large level between two waves. */
const MAX_IDLE_SOCKETS = 4096

export function createHttpClient(): HttpClient {
  const options = { keepAlive: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: MAX_IDLE_SOCKETS, scheduling: 'lifo' } as const
  const agents = { 'http:': new http.Agent(options), 'https:': new https.Agent(options) }
  return {
    send: (request, handlers) => new Exchange(agents[request.origin.protocol], request, handlers),
    limitPool(limit) {
      for (const agent of Object.values(agents)) agent.maxSockets = limit ?? Number.POSITIVE_INFINITY
    },
    close() {
      agents['http:'].destroy()
      agents['https:'].destroy()
    },
  }
}

class Exchange implements HttpExchange {
  resent = false
  #over = false
  /** Some of the body has come. */
  #begun = false
  #request: http.ClientRequest
  readonly #agent: http.Agent | https.Agent
  readonly #send: HttpSend
  readonly #handlers: HttpHandlers

  constructor(agent: http.Agent | https.Agent, send: HttpSend, handlers: HttpHandlers) {
    this.#agent = agent
    this.#send = send
    this.#handlers = handlers
    this.#request = this.#attempt()
  }

  abort(): void {
    if (this.#over) return
    this.#over = true
    this.#request.destroy()
  }

  #attempt(): http.ClientRequest {
    const { origin, method, path, headers, body } = this.#send
    const options = { host: origin.host, port: origin.port, method, path: origin.basePath + path, agent: this.#agent, headers: { ...headers } }
    if (body !== undefined) Object.assign(options.headers, { 'Content-Length': Buffer.byteLength(body) })
    const request = origin.protocol === 'https:' ? https.request(options) : http.request(options)
    let headSeen = false
    const { onSocket } = this.#handlers
    if (onSocket !== undefined) request.once('socket', () => onSocket())
    request.on('response', (response) => {
      headSeen = true
      if (!this.#over) this.#read(response)
      else response.destroy()
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      // After the head, the response tells of the same break; its partial data come first.
      if (this.#over || headSeen) return
      if (request.reusedSocket && !this.resent && isReset(error)) return this.#resend(request)
      this.#fail(error)
    })
    request.end(body)
    return request
  }

  #read(response: http.IncomingMessage): void {
    const retryAfterS = Number(response.headers['retry-after'] ?? Number.NaN)
    this.#handlers.onHead(response.statusCode ?? 0, response.headers['content-type'] ?? '', Number.isFinite(retryAfterS) ? retryAfterS : undefined)
    response.on('data', (bytes: Buffer) => {
      if (this.#over) return
      this.#begun = true
      this.#handlers.onData(bytes)
    })
    response.on('end', () => {
      if (this.#over) return
      this.#over = true
      this.#handlers.onEnd()
    })
    response.on('error', (error: NodeJS.ErrnoException) => this.#fail(error))
  }

  /** The idle sockets of that server are as old as the one that was closed: none of them is trusted any more. */
  #resend(stale: http.ClientRequest): void {
    this.resent = true
    const { host, port } = this.#send.origin
    for (const sockets of Object.values(this.#agent.freeSockets)) {
      for (const socket of sockets ?? []) {
        if (socket !== stale.socket && socket.remotePort === port && (socket.remoteAddress === host || !isLiteral(host))) socket.destroy()
      }
    }
    this.#request = this.#attempt()
  }

  #fail(error: NodeJS.ErrnoException): void {
    if (this.#over) return
    this.#over = true
    this.#handlers.onFailure(failureOf(error, this.#send.origin.host, this.#begun))
  }
}

function failureOf(error: NodeJS.ErrnoException, host: string, begun: boolean): ServerFailure {
  const code = error.code ?? error.message
  if (code === 'ECONNREFUSED') return { kind: 'refused' }
  if (isReset(error)) return { kind: 'reset', begun }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return { kind: 'lookup', host }
  return { kind: 'network', code }
}

const isReset = (error: NodeJS.ErrnoException) => error.code === 'ECONNRESET' || error.code === 'EPIPE'
const isLiteral = (host: string) => /^[\d.]+$|:/.test(host)

/** Port of Ollama, meant where an address without a scheme names none. */
const OLLAMA_PORT = 11434

/** Reads an address as people write it: with or without `http://`, with or without a port. */
export function parseOrigin(address: string): Result<HttpOrigin, Problem> {
  const trimmed = address.trim()
  // OLLAMA_HOST may be a port alone.
  const text = /^:\d+$/.test(trimmed) ? `127.0.0.1${trimmed}` : trimmed
  const bare = !text.includes('://')
  const url = readUrl(bare ? `http://${text}` : text)
  if (text === '' || url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    return err(
      problem(
        'address-invalid',
        `${JSON.stringify(address)} is not the address of a model server.`,
        'An address such as http://127.0.0.1:11434 was expected.',
        'Correct the address and try again.',
      ),
    )
  }
  const port = url.port !== '' ? Number(url.port) : bare ? OLLAMA_PORT : url.protocol === 'https:' ? 443 : 80
  const name = url.hostname.replace(/^\[|\]$/g, '')
  const host = name === 'localhost' || name === '0.0.0.0' ? '127.0.0.1' : name
  return ok({ protocol: url.protocol, host, port, basePath: url.pathname.replace(/\/+$/, '') })
}

function readUrl(text: string): URL | null {
  try {
    return new URL(text)
  } catch {
    return null
  }
}

/** The address as it is shown and stored: `http://127.0.0.1:11434`. */
export function originText(origin: HttpOrigin): string {
  const host = origin.host.includes(':') ? `[${origin.host}]` : origin.host
  return `${origin.protocol}//${host}:${origin.port}${origin.basePath}`
}

/**
 * HTTP requests whose connection stands before the clock starts (M1, M1b): made ahead, sent at their moment with one write.
 * No pool limit, no time-outs. A reused socket that the server has closed meanwhile is replaced, and the request sent once more, as long as no byte of an
 * answer came (research/field-reports.md R18).
 */
import http from 'node:http'
import https from 'node:https'

export type Connections = { readonly http: http.Agent; readonly https: https.Agent; close(): void }

/** Idle sockets kept per server; fewer would close connections of a large level between two waves. */
const MAX_IDLE_SOCKETS = 8_192

export function openConnections(): Connections {
  const options = { keepAlive: true, noDelay: true, maxSockets: Number.POSITIVE_INFINITY, maxFreeSockets: MAX_IDLE_SOCKETS }
  const agents = { http: new http.Agent(options), https: new https.Agent(options) }
  return {
    ...agents,
    close() {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}

export type RequestSpec = {
  readonly url: string
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** `onEnd` or `onFailure` comes last, once; nothing comes after `abort`. */
export type ResponseHandlers = {
  onHead(status: number): void
  onData(bytes: Buffer): void
  onEnd(): void
  /** @param code Node's: ECONNREFUSED, ECONNRESET … */
  onFailure(code: string): void
}

export class PreparedRequest {
  /** Sent a second time, on a fresh socket. */
  resent = false
  /** Resolves when the connection stands or has failed; never rejects. */
  readonly connected: Promise<void>
  #resolveConnected: () => void = () => {}
  #request: http.ClientRequest
  #sent = false
  #over = false
  /** What went wrong before the moment of sending; told then. */
  #earlyFailure: string | null = null
  readonly #connections: Connections
  readonly #spec: RequestSpec
  readonly #handlers: ResponseHandlers

  constructor(connections: Connections, spec: RequestSpec, handlers: ResponseHandlers) {
    this.#connections = connections
    this.#spec = spec
    this.#handlers = handlers
    this.connected = new Promise((resolve) => {
      this.#resolveConnected = resolve
    })
    this.#request = this.#open()
  }

  /** One write, at most once. */
  send(): void {
    this.#sent = true
    if (this.#earlyFailure === null) this.#request.end(this.#spec.body)
    else this.#fail(this.#earlyFailure)
  }

  /** Closes the connection at once; safe at any time. */
  abort(): void {
    this.#over = true
    this.#resolveConnected()
    this.#request.destroy()
  }

  #open(): http.ClientRequest {
    const { url, method, headers, body } = this.#spec
    const address = new URL(url)
    // M1: a literal address; looking `localhost` up can cost seconds.
    if (address.hostname === 'localhost') address.hostname = '127.0.0.1'
    const length = body === undefined ? {} : { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) }
    const options = { method, headers: { ...headers, ...length } }
    const request =
      address.protocol === 'https:'
        ? https.request(address, { ...options, agent: this.#connections.https })
        : http.request(address, { ...options, agent: this.#connections.http })
    let headSeen = false
    request.once('socket', (socket) => {
      if (!socket.connecting) return this.#resolveConnected()
      socket.once('connect', this.#resolveConnected)
    })
    request.on('response', (response) => {
      headSeen = true
      if (this.#over) response.destroy()
      else this.#read(response)
    })
    request.on('error', (error: NodeJS.ErrnoException) => {
      if (this.#over || headSeen || request !== this.#request) return
      if (request.reusedSocket && !this.resent && (error.code === 'ECONNRESET' || error.code === 'EPIPE')) return this.#reopen()
      this.#fail(error.code ?? error.message)
    })
    return request
  }

  #reopen(): void {
    this.resent = this.#sent
    this.#request = this.#open()
    if (this.#sent) this.#request.end(this.#spec.body)
  }

  #read(response: http.IncomingMessage): void {
    const handlers = this.#handlers
    handlers.onHead(response.statusCode ?? 0)
    response.on('data', (bytes: Buffer) => {
      if (!this.#over) handlers.onData(bytes)
    })
    response.on('end', () => {
      if (this.#over) return
      this.#over = true
      handlers.onEnd()
    })
    response.on('error', (error: NodeJS.ErrnoException) => this.#fail(error.code ?? error.message))
  }

  #fail(code: string): void {
    this.#resolveConnected()
    if (this.#over) return
    if (!this.#sent) {
      this.#earlyFailure = code
      return
    }
    this.#over = true
    this.#handlers.onFailure(code)
  }
}

/** A small request off the clock, answered as text. Resolves in any case. */
export function exchange(
  connections: Connections,
  spec: RequestSpec,
): Promise<{ readonly ok: true; readonly status: number; readonly text: string } | { readonly ok: false; readonly code: string }> {
  return new Promise((resolve) => {
    let status = 0
    const pieces: Buffer[] = []
    const request = new PreparedRequest(connections, spec, {
      onHead: (code) => {
        status = code
      },
      onData: (bytes) => pieces.push(bytes),
      onEnd: () => resolve({ ok: true, status, text: Buffer.concat(pieces).toString('utf8') }),
      onFailure: (code) => resolve({ ok: false, code }),
    })
    request.send()
  })
}

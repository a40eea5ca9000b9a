/** For tests of model servers: one request by Node's own client, answered with everything that can be seen of it: status, headers, pieces as they came, lines, end. */
import { type Agent, type IncomingMessage, request } from 'node:http'
import { StringDecoder } from 'node:string_decoder'
import { createLineSplitter } from '../src/core/stream/line-splitter.ts'

export interface ReadAnswer {
  readonly status: number
  readonly headers: IncomingMessage['headers']
  /** Reads of the socket. */
  readonly pieces: string[]
  readonly text: string
  readonly lines: string[]
  readonly sentMs: number
  readonly headersMs: number
  /** First read with anything in it. */
  readonly firstMs: number
  readonly endMs: number
  /** False: the connection broke before HTTP's own end. */
  readonly complete: boolean
}

export interface AskOptions {
  readonly method?: string
  readonly headers?: Record<string, string>
  readonly agent?: Agent
  /** Called at each read, with a way to hang up. */
  readonly onPiece?: (piece: string, hangUp: () => void) => void
  /** Handed out at once, to hang up while nothing has come. */
  readonly onSent?: (hangUp: () => void) => void
}

/** Rejects when no answer comes at all. @param body text is sent as it is, anything else as JSON; undefined: none, by GET */
export function ask(url: string, body?: unknown, options: AskOptions = {}): Promise<ReadAnswer> {
  const text = body === undefined ? undefined : typeof body === 'string' ? body : JSON.stringify(body)
  const sentMs = performance.now()
  return new Promise((resolve, reject) => {
    const req = request(
      url,
      { method: options.method ?? (text === undefined ? 'GET' : 'POST'), headers: options.headers, agent: options.agent },
      (res) => {
        const headersMs = performance.now()
        const decoder = new StringDecoder('utf8')
        const pieces: string[] = []
        let firstMs = Number.NaN
        res.on('data', (bytes: Buffer) => {
          if (pieces.length === 0) firstMs = performance.now()
          const piece = decoder.write(bytes)
          pieces.push(piece)
          options.onPiece?.(piece, () => req.destroy())
        })
        const finish = () => {
          const splitter = createLineSplitter()
          const lines = [...pieces.flatMap((piece) => splitter.push(piece)), ...splitter.end()]
          const whole = pieces.join('')
          resolve({
            status: res.statusCode ?? 0,
            headers: res.headers,
            pieces,
            text: whole,
            lines,
            sentMs,
            headersMs,
            firstMs,
            endMs: performance.now(),
            complete: res.complete,
          })
        }
        res.on('error', () => {})
        res.once('close', finish)
      },
    )
    req.on('error', reject)
    req.end(text)
    options.onSent?.(() => req.destroy())
  })
}

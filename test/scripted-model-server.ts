/** For tests: a model server that does what the test says, on a free port of loopback, and keeps what it was asked. */
import http from 'node:http'
import type { AddressInfo } from 'node:net'

export interface Asked {
  readonly path: string
  readonly headers: http.IncomingHttpHeaders
  readonly body: Record<string, unknown>
  readonly aborted: Promise<void>
}

export interface ScriptedServer {
  readonly url: string
  readonly asked: Asked[]
  /** Connections that were ever opened. */
  connections(): number
  close(): Promise<void>
}

export type Script = (asked: Asked, response: http.ServerResponse) => void

export async function startScriptedServer(script: Script): Promise<ScriptedServer> {
  const asked: Asked[] = []
  let connections = 0
  const server = http.createServer({ keepAliveTimeout: 600_000 }, (request, response) => {
    const parts: Buffer[] = []
    const aborted = new Promise<void>((resolve) => {
      response.on('close', () => {
        if (!response.writableFinished) resolve()
      })
    })
    request.on('data', (bytes: Buffer) => parts.push(bytes))
    request.on('end', () => {
      const text = Buffer.concat(parts).toString()
      const one = {
        path: request.url ?? '',
        headers: request.headers,
        body: text === '' ? {} : (JSON.parse(text) as Record<string, unknown>),
        aborted,
      }
      asked.push(one)
      script(one, response)
    })
  })
  server.on('connection', () => {
    connections += 1
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    asked,
    connections: () => connections,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export function chatLine(message: object, rest: object = {}): string {
  return `${JSON.stringify({ model: 'm', created_at: 'T', message: { role: 'assistant', content: '', ...message }, done: false, ...rest })}\n`
}

const DURATIONS = {
  total_duration: 9_000_000,
  load_duration: 1_000_000,
  prompt_eval_count: 12,
  prompt_eval_duration: 3_000_000,
  eval_count: 2,
  eval_duration: 4_000_000,
}

export function doneLine(message: object = {}, rest: object = {}): string {
  return chatLine(message, { done: true, done_reason: 'stop', ...DURATIONS, ...rest })
}

/** A whole answer at once. */
export function answer(response: http.ServerResponse, text: string): void {
  response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
  response.end(chatLine({ content: text }) + doneLine())
}

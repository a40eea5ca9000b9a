/** While developing: the page comes from Vite's server, through the web host, so that cookie and WebSocket stay on one origin. */
import { type IncomingMessage, request, type ServerResponse } from 'node:http'
import { connect } from 'node:net'
import type { Duplex } from 'node:stream'

export function proxyPage(devUrl: string, incoming: IncomingMessage, outgoing: ServerResponse): void {
  const target = new URL(incoming.url ?? '/', devUrl)
  const headers = { ...incoming.headers, host: target.host, cookie: '' }
  const onward = request(target, { method: incoming.method, headers }, (answer) => {
    outgoing.writeHead(answer.statusCode ?? 502, answer.headers)
    answer.pipe(outgoing)
  })
  onward.on('error', () => {
    if (!outgoing.headersSent) outgoing.writeHead(502, { 'content-type': 'text/plain; charset=utf-8' })
    outgoing.end(`The development server at ${devUrl} does not answer. Start it with npm run dev.`)
  })
  incoming.pipe(onward)
}

/** Vite's own WebSocket, by which it tells the page of changes. */
export const isHotReload = (incoming: IncomingMessage) => (incoming.headers['sec-websocket-protocol'] ?? '').startsWith('vite-')

export function proxyHotReload(devUrl: string, incoming: IncomingMessage, socket: Duplex, head: Buffer): void {
  const target = new URL(devUrl)
  const onward = connect(Number(target.port), target.hostname, () => {
    const lines = Object.entries(incoming.headers)
      .filter(([name]) => name !== 'cookie')
      .map(([name, value]) => `${name}: ${name === 'host' ? target.host : name === 'origin' ? target.origin : value}`)
    onward.write(`GET ${incoming.url} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`)
    onward.write(head)
    onward.pipe(socket).pipe(onward)
  })
  onward.on('error', () => socket.destroy())
  socket.on('error', () => onward.destroy())
  socket.on('close', () => onward.destroy())
}

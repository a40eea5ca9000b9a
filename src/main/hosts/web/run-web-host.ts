/**
 * The web host: serves the page over HTTP and the contract over one WebSocket per page, on loopback unless told otherwise.
 * Owns the server and its sockets. What is answered is the api's business, who may ask is the gate's.
 */
import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { hostname } from 'node:os'
import type { Duplex } from 'node:stream'
import { type WebSocket, WebSocketServer } from 'ws'
import { contract, type PlimsollContract } from '../../../contract/endpoints/index.ts'
import type { Api } from '../../../contract/wire/endpoint-types.ts'
import { serve } from '../../../contract/wire/serve.ts'
import { webSocketTransport } from '../../../contract/wire/transports/web-socket.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Log } from '../../platform/log.ts'
import { readPageFile, SAFETY_HEADERS } from '../page-files.ts'
import { reportBugTo } from '../report-bug.ts'
import { linkUsed, notSignedIn, refuse, refuseUpgrade } from './answers.ts'
import { isHotReload, proxyHotReload, proxyPage } from './dev-page.ts'
import { createGate, type Gate, isLoopback } from './gate.ts'

export const DEFAULT_PORT = 7433

export interface WebHostOptions {
  api: Api<PlimsollContract>
  log: Log
  version: string
  /** Folder of the built page (out/renderer). */
  rendererDir: string
  /** Default 127.0.0.1: this machine only. */
  host?: string
  /** 0 = any free one. */
  port?: number
  /** Vite's address while developing; the page comes from there. */
  devUrl?: string | undefined
  /** Told a fresh link when a browser without a key asks for the page; at most one every 5 s. */
  announce?(url: string): void
}

export interface WebHost {
  /** Works once; `freshUrl` makes another. */
  readonly url: string
  readonly port: number
  /** False: it can be reached from other machines, and over plain HTTP. */
  readonly loopbackOnly: boolean
  freshUrl(): string
  close(): Promise<void>
}

/** Above the largest input of the contract (a paste of a million characters, escaped). */
const MAX_FRAME_BYTES = 8 * 1024 * 1024
const MAX_PAGES = 64
const HEARTBEAT_MS = 30_000
const ANNOUNCE_EVERY_MS = 5_000

export async function runWebHost(options: WebHostOptions): Promise<Result<WebHost, Problem>> {
  const host = options.host ?? '127.0.0.1'
  const server = createServer({ keepAliveTimeout: 30_000 })
  const listening = await listen(server, host, options.port ?? DEFAULT_PORT)
  if (!listening.ok) return listening
  const port = listening.value
  const gate = createGate({
    host,
    port,
    machineNames: [hostname().toLowerCase(), `${hostname().toLowerCase()}.local`],
    randomToken: () => randomBytes(32).toString('base64url'),
  })
  const shownHost = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host
  const freshUrl = () => `http://${shownHost}:${port}/?token=${gate.issue()}`
  const announce = limited(() => options.announce?.(freshUrl()))

  server.on('request', (request, response) => {
    answer(request, response, gate, options, announce).catch((cause: unknown) => {
      options.log.error('A request to the web host failed', cause)
      response.destroy()
    })
  })
  const closeSockets = serveSockets(server, gate, options)
  return ok({
    url: freshUrl(),
    port,
    loopbackOnly: isLoopback(host),
    freshUrl,
    close: () =>
      new Promise<void>((resolve) => {
        closeSockets()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

function limited(action: () => void): () => void {
  let lastMs = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - lastMs < ANNOUNCE_EVERY_MS) return
    lastMs = performance.now()
    action()
  }
}

async function answer(request: IncomingMessage, response: ServerResponse, gate: Gate, options: WebHostOptions, announce: () => void): Promise<void> {
  const hostCheck = gate.checkHost(request.headers.host)
  if (!hostCheck.ok) return refuse(request, response, 403, hostCheck.error)
  const url = new URL(`http://page${request.url?.startsWith('/') ? request.url : '/'}`)
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    return refuse(request, response, 405, problem('method-not-allowed', `${request.method} is not answered here.`, 'Only GET is.', ''))
  }
  if (url.pathname === '/health') {
    response.writeHead(200, { ...SAFETY_HEADERS, 'content-type': 'application/json', 'cache-control': 'no-store' })
    response.end(JSON.stringify({ ok: true, version: options.version }))
    return
  }
  if (url.pathname === '/favicon.ico') {
    // The page names its icon itself; a browser asks for this one all the same.
    response.writeHead(204, { ...SAFETY_HEADERS, 'cache-control': 'max-age=86400' })
    response.end()
    return
  }
  const token = url.searchParams.get('token')
  const signedIn = gate.isSignedIn(request.headers.cookie)
  if (url.pathname === '/' && token !== null) {
    const cookie = gate.redeem(token)
    if (cookie === undefined && !signedIn) {
      announce()
      return refuse(request, response, 403, linkUsed)
    }
    response.writeHead(303, {
      ...SAFETY_HEADERS,
      location: '/',
      'cache-control': 'no-store',
      ...(cookie === undefined ? {} : { 'set-cookie': cookie }),
    })
    response.end()
    return
  }
  if (!signedIn) {
    if (url.pathname === '/') announce()
    return refuse(request, response, 401, notSignedIn)
  }
  if (url.pathname === '/session') {
    response.writeHead(204, SAFETY_HEADERS)
    response.end()
    return
  }
  if (options.devUrl !== undefined) return proxyPage(options.devUrl, request, response)
  return servePage(request, response, options.rendererDir, url.pathname)
}

async function servePage(request: IncomingMessage, response: ServerResponse, rendererDir: string, pathname: string): Promise<void> {
  const file = await readPageFile(rendererDir, pathname)
  if (file === undefined) {
    return refuse(request, response, 404, problem('not-found', `There is nothing at ${pathname.slice(0, 100)}.`, '', 'Open / instead.'))
  }
  response.writeHead(200, {
    ...SAFETY_HEADERS,
    'content-type': file.mediaType,
    'content-length': file.content.length,
    'cache-control': file.cacheControl,
  })
  response.end(request.method === 'HEAD' ? undefined : file.content)
}

/** @returns what ends them all */
function serveSockets(server: Server, gate: Gate, options: WebHostOptions): () => void {
  const sockets = new WebSocketServer({ noServer: true, perMessageDeflate: false, maxPayload: MAX_FRAME_BYTES })
  const alive = new WeakSet<WebSocket>()

  server.on('upgrade', (request: IncomingMessage, socket: Duplex, head: Buffer) => {
    socket.on('error', () => socket.destroy())
    const hostCheck = gate.checkHost(request.headers.host)
    if (!hostCheck.ok) return refuseUpgrade(socket, 403, hostCheck.error)
    const originCheck = gate.checkOrigin(request.headers.origin, request.headers.host)
    if (!originCheck.ok) return refuseUpgrade(socket, 403, originCheck.error)
    if (!gate.isSignedIn(request.headers.cookie)) return refuseUpgrade(socket, 401, notSignedIn)
    if (options.devUrl !== undefined && isHotReload(request)) return proxyHotReload(options.devUrl, request, socket, head)
    if (request.url !== '/wire')
      return refuseUpgrade(socket, 404, problem('not-found', 'There is no WebSocket at this path.', 'The one there is at /wire.', ''))
    if (sockets.clients.size >= MAX_PAGES) {
      return refuseUpgrade(socket, 503, problem('too-many-pages', `${MAX_PAGES} pages are open already.`, '', 'Close some.'))
    }
    sockets.handleUpgrade(request, socket, head, (page) => {
      alive.add(page)
      page.on('pong', () => alive.add(page))
      page.on('error', () => page.terminate())
      serve(contract, options.api, webSocketTransport(page), { reportBug: reportBugTo(options.log) })
    })
  })
  const heartbeat = setInterval(() => {
    for (const page of sockets.clients) {
      if (!alive.delete(page)) page.terminate()
      else page.ping()
    }
  }, HEARTBEAT_MS)
  heartbeat.unref()
  return () => {
    clearInterval(heartbeat)
    for (const page of sockets.clients) page.terminate()
    sockets.close()
  }
}

const LISTEN_PROBLEMS: Readonly<Record<string, (host: string, port: number) => Problem>> = {
  EADDRINUSE: (host, port) =>
    problem(
      'port-in-use',
      `Port ${port} on ${host} is in use by another program.`,
      'A free port was expected.',
      'Close that program, or choose another port with --port N (0 = any free one).',
    ),
  EACCES: (host, port) =>
    problem(
      'port-not-allowed',
      `This account may not listen on port ${port} of ${host}.`,
      'A port from 1024 up was expected.',
      'Choose one with --port N.',
    ),
  EADDRNOTAVAIL: (host) =>
    problem(
      'host-not-here',
      `${host} is no address of this machine.`,
      'An address of one of its network interfaces was expected.',
      'Leave --host out to listen on 127.0.0.1.',
    ),
  ENOTFOUND: (host) =>
    problem(
      'host-not-here',
      `The name ${host} can't be resolved.`,
      'A name or address of this machine was expected.',
      'Leave --host out to listen on 127.0.0.1.',
    ),
}

function listen(server: Server, host: string, port: number): Promise<Result<number, Problem>> {
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => {
      const known = LISTEN_PROBLEMS[cause.code ?? '']
      resolve(err(known?.(host, port) ?? problem('cannot-listen', `Plimsoll can't listen on ${host}:${port}: ${cause.message}.`, '', '')))
    })
    server.listen(port, host, () => resolve(ok((server.address() as AddressInfo).port)))
  })
}

/**
 * The runner's HTTP API on loopback (core/session/runner-api): who may ask, which path means what. Every refusal is a Problem as JSON.
 * Connections stay open between requests, so that a load's sockets are warm before its clock starts.
 */
import { randomBytes } from 'node:crypto'
import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { SessionId, TurnId } from '../../../core/result/ids.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { createSessionBodySchema } from '../../../core/session/runner-api.ts'
import { type RunnerCounts, runnerMetricsText } from '../../../core/session/runner-counts.ts'
import type { SessionSettings } from '../../../core/session/session-event.ts'
import type { Log } from '../../platform/log.ts'
import { openEventFeed } from './event-feed.ts'
import { readJsonBody } from './json-body.ts'
import { createGate, type Gate } from './request-gate.ts'
import { brokenRequest, eventIdInvalid, noSession, portProblem, turnWithoutText, unknownPath, wrongMethod } from './runner-problems.ts'
import type { SessionListener } from './session.ts'

export interface RunnerAddress {
  readonly url: string
  readonly token: string
}

export interface RunnerServer extends RunnerAddress {
  close(): Promise<void>
}

/** What the API needs of the runner. */
export interface ServedRunner {
  createSession(settings: SessionSettings): Result<{ sessionId: SessionId }, Problem>
  postTurn(sessionId: SessionId, text: string): Result<{ turnId: TurnId; seq: number }, Problem>
  cancel(sessionId: SessionId): boolean
  hasSession(sessionId: SessionId): boolean
  closeSession(sessionId: SessionId): boolean
  events(sessionId: SessionId, afterSeq: number, listener: SessionListener): (() => void) | undefined
  gauges(): { readonly inFlight: number; readonly queued: number; readonly limit: number }
  counts(): RunnerCounts
  sessionCount(): number
}

interface Desk {
  readonly runner: ServedRunner
  readonly log: Log
  readonly version: string
  readonly gate: Gate
  readonly loopDelay: ReturnType<typeof monitorEventLoopDelay>
}

/** Longer than any pause between two waves of a sweep. */
const KEEP_ALIVE_MS = 3_600_000

export async function listenRunner(
  deps: { runner: ServedRunner; log: Log; version: string },
  address: { host: string; port: number },
): Promise<Result<RunnerServer, Problem>> {
  const token = randomBytes(24).toString('base64url')
  const loopDelay = monitorEventLoopDelay({ resolution: 20 })
  let desk: Desk | undefined
  const server = http.createServer({ keepAliveTimeout: KEEP_ALIVE_MS, requestTimeout: 0, headersTimeout: 0 }, (request, response) => {
    const at = desk
    if (at !== undefined) safely(at, request, response, () => answer(at, request, response))
  })
  server.maxRequestsPerSocket = 0
  const failed = await new Promise<NodeJS.ErrnoException | undefined>((resolve) => {
    server.once('error', resolve)
    server.listen({ host: address.host, port: address.port, backlog: 4096 }, () => {
      server.off('error', resolve)
      resolve(undefined)
    })
  })
  if (failed !== undefined) return err(portProblem(address, failed))
  const { port } = server.address() as AddressInfo
  desk = { ...deps, gate: createGate(token, port), loopDelay }
  server.on('error', (error) => deps.log.error('The runner API broke', error))
  loopDelay.enable()
  return ok({
    url: `http://${address.host}:${port}`,
    token,
    close: () =>
      new Promise<void>((resolve) => {
        loopDelay.disable()
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  })
}

type Handler = (desk: Desk, request: http.IncomingMessage, response: http.ServerResponse, id: SessionId) => void
interface Route {
  readonly method: 'GET' | 'POST' | 'DELETE'
  readonly run: Handler
}

const HEALTH: Route = { method: 'GET', run: (desk, _request, response) => sendJson(response, 200, { ok: true, version: desk.version }) }
const METRICS: Route = { method: 'GET', run: (desk, _request, response) => sendMetrics(desk, response) }
const SESSIONS: Route = { method: 'POST', run: createSession }
const SESSION: Route = { method: 'DELETE', run: deleteSession }
const OF_SESSION: ReadonlyMap<string, Route> = new Map([
  ['turns', { method: 'POST', run: postTurn }],
  ['events', { method: 'GET', run: openEvents }],
  ['cancel', { method: 'POST', run: cancel }],
])

function findRoute(path: string, parts: readonly string[]): Route | undefined {
  if (path === '/health') return HEALTH
  if (path === '/metrics') return METRICS
  if (parts[1] !== 'v1' || parts[2] !== 'sessions') return undefined
  if (parts.length === 3) return SESSIONS
  if (parts.length === 4) return SESSION
  return parts.length === 5 ? OF_SESSION.get(parts[4] ?? '') : undefined
}

/** The edge at which a mistake of ours ends: logged, told without its details. */
function safely(desk: Desk, request: http.IncomingMessage, response: http.ServerResponse, work: () => void): void {
  try {
    work()
  } catch (error) {
    desk.log.error(`The runner API broke at ${request.method} ${request.url}`, error)
    if (response.headersSent) response.destroy()
    else sendProblem(response, 500, brokenRequest())
  }
}

function answer(desk: Desk, request: http.IncomingMessage, response: http.ServerResponse): void {
  const url = request.url ?? '/'
  const query = url.indexOf('?')
  const path = query === -1 ? url : url.slice(0, query)
  const refusal = desk.gate(request, path)
  const parts = path.split('/')
  const route = findRoute(path, parts)
  if (refusal !== undefined) sendProblem(response, refusal.status, refusal.problem)
  else if (route === undefined) sendProblem(response, 404, unknownPath(path))
  else if (route.method !== request.method) {
    response.setHeader('Allow', route.method)
    sendProblem(response, 405, wrongMethod(request.method ?? '', path, route.method))
  } else route.run(desk, request, response, (parts[3] ?? '') as SessionId)
}

function createSession(desk: Desk, request: http.IncomingMessage, response: http.ServerResponse): void {
  withBody(desk, request, response, (body) => {
    const settings = readSettings(body)
    const created = settings.ok ? desk.runner.createSession(settings.value) : settings
    if (created.ok) sendJson(response, 201, created.value)
    else sendProblem(response, 400, created.error)
  })
}

function withBody(desk: Desk, request: http.IncomingMessage, response: http.ServerResponse, then: (body: unknown) => void): void {
  readJsonBody(request, (body) => {
    if (body.ok) safely(desk, request, response, () => then(body.value))
    else sendProblem(response, body.error.status, body.error.problem)
  })
}

function readSettings(body: unknown): Result<SessionSettings, Problem> {
  const parsed = createSessionBodySchema.safeParse(body)
  if (parsed.success) return ok(parsed.data.settings)
  const faults = parsed.error.issues.map((issue) => `${issue.path.join('.') || 'the body'}: ${issue.message}`).join('; ')
  return err(
    problem(
      'settings-invalid',
      `The session's settings don't fit: ${faults}.`,
      '{"settings": {"serverUrl", "model", …}} was expected.',
      'Correct what is named and send it again.',
    ),
  )
}

/** The hot path of a burst: no schema, one check. */
function postTurn(desk: Desk, request: http.IncomingMessage, response: http.ServerResponse, id: SessionId): void {
  withBody(desk, request, response, (body) => {
    const text = typeof body === 'object' && body !== null && 'text' in body ? body.text : undefined
    if (typeof text !== 'string' || text === '') sendProblem(response, 400, turnWithoutText())
    else {
      const posted = desk.runner.postTurn(id, text)
      if (posted.ok) sendJson(response, 202, posted.value)
      else sendProblem(response, posted.error.code === 'session-missing' ? 404 : 409, posted.error)
    }
  })
}

function openEvents(desk: Desk, request: http.IncomingMessage, response: http.ServerResponse, id: SessionId): void {
  const said = String(request.headers['last-event-id'] ?? '0')
  if (!/^\d{1,15}$/.test(said)) sendProblem(response, 400, eventIdInvalid(said))
  else if (!desk.runner.hasSession(id)) sendProblem(response, 404, noSession(id))
  else openEventFeed(response, (listener) => desk.runner.events(id, Number(said), listener))
}

function cancel(desk: Desk, _request: http.IncomingMessage, response: http.ServerResponse, id: SessionId): void {
  if (desk.runner.hasSession(id)) sendJson(response, 202, { cancelled: desk.runner.cancel(id) })
  else sendProblem(response, 404, noSession(id))
}

function deleteSession(desk: Desk, _request: http.IncomingMessage, response: http.ServerResponse, id: SessionId): void {
  if (desk.runner.closeSession(id)) response.writeHead(204).end()
  else sendProblem(response, 404, noSession(id))
}

function sendMetrics(desk: Desk, response: http.ServerResponse): void {
  const loop = performance.eventLoopUtilization()
  const { loopDelay } = desk
  // A histogram without a sample says NaN or its largest number.
  const seconds = (ns: number) => (loopDelay.count === 0 ? 0 : ns / 1e9)
  const text = runnerMetricsText(desk.runner.counts(), {
    ...desk.runner.gauges(),
    sessions: desk.runner.sessionCount(),
    loopActiveSeconds: loop.active / 1e3,
    loopIdleSeconds: loop.idle / 1e3,
    loopDelaySeconds: { p50: seconds(loopDelay.percentile(50)), p99: seconds(loopDelay.percentile(99)), max: seconds(loopDelay.max) },
  })
  loopDelay.reset()
  response.writeHead(200, { 'Content-Type': 'text/plain; version=0.0.4; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text)
}

function sendJson(response: http.ServerResponse, status: number, body: unknown): void {
  const text = JSON.stringify(body)
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text)
}

function sendProblem(response: http.ServerResponse, status: number, problem: Problem): void {
  sendJson(response, status, { problem })
}

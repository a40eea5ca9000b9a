/** Answers the HTTP requests of a model server: Ollama's paths, OpenAI's, and Plimsoll's own `/plimsoll/info` and `/plimsoll/log`. */
import { once } from 'node:events'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { showRequestSchema } from '../../../core/ollama/requests.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Engine } from '../engine.ts'
import { AnswerStream, emptyFrameCache, type FrameCache } from './answer-stream.ts'
import { createCreatedAt } from './created-at.ts'
import { findCard, openAiModels, psDocument, showDocument, tagsDocument } from './model-documents.ts'
import { CALL_PATHS, type CallPath, readCall } from './read-call.ts'
import type { RequestLog, RequestOutcome } from './request-log.ts'
import { openAiErrorBody } from './wire-format.ts'

export interface RequestHandlerDeps {
  readonly engine: Engine
  readonly clock: Clock
  readonly log: RequestLog
  readonly version: string
  readonly info: () => Readonly<Record<string, unknown>>
  /** Hosts that requests may name; undefined: any (the server listens beyond loopback). */
  readonly allowedHosts: ReadonlySet<string> | undefined
}

/** A body beyond this is refused. A context of a million tokens fits. */
const BODY_LIMIT_BYTES = 64 * 1024 * 1024

export function createRequestHandler(deps: RequestHandlerDeps): (req: IncomingMessage, res: ServerResponse) => void {
  const { engine, clock, log } = deps
  const startedEpochMs = clock.epochMs()
  const createdAt = createCreatedAt(clock, engine.delivery.createdAtStepMs)
  const frameCaches = new Map<string, FrameCache>()
  const used = new WeakSet<Socket>()

  const frameCacheOf = (path: string, model: string): FrameCache => {
    const key = `${path} ${model}`
    const there = frameCaches.get(key)
    if (there !== undefined) return there
    // Names come from requests: a client that makes them up must not fill the memory.
    if (frameCaches.size > 64) frameCaches.clear()
    const fresh = emptyFrameCache()
    frameCaches.set(key, fresh)
    return fresh
  }

  const answerCall = async (path: CallPath, req: IncomingMessage, res: ServerResponse, arrivalMs: number) => {
    const header = req.headers['x-plimsoll-call']
    const record = log.open({ path, callId: typeof header === 'string' ? header.slice(0, 200) : null, arrivalMs })
    const close = (outcome: RequestOutcome, status: number) => {
      record.endMs = clock.nowMs()
      record.outcome = outcome
      record.status = status
      log.close(record)
    }
    const refused = (status: number, body: string) => {
      close('refused', status)
      sendJson(res, status, body)
    }
    const reusedSocket = used.has(req.socket)
    used.add(req.socket)
    const body = await readBody(req).catch(() => null)
    if (body === null) return close('aborted', 499)
    if (body === undefined) return refused(413, JSON.stringify({ error: `request body is larger than ${BODY_LIMIT_BYTES} bytes` }))
    const asked = readCall(path, body, {
      cards: engine.cards(),
      callId: record.id,
      epochMs: clock.epochMs(),
      llamaServerStyle: engine.delivery.llamaServerStyle,
      fingerprint: `fp_plimsoll_${engine.kind}`,
    })
    if (!asked.ok) {
      const { status, message } = asked.error
      return refused(status, path === '/v1/chat/completions' ? openAiErrorBody(status, message) : JSON.stringify({ error: message }))
    }
    const { card, format, model, stream, loadOnly, call } = asked.value
    record.model = card.name
    const frames = path === '/v1/chat/completions' ? emptyFrameCache() : frameCacheOf(path, model)
    const answer = new AnswerStream({ res, format, frames, stream, delivery: engine.delivery, clock, log, record, createdAt })
    const modelCall = { id: record.id, arrivalMs, card, reusedSocket, ...call }
    const abort = loadOnly ? engine.load(modelCall, answer) : engine.submit(modelCall, answer)
    const leave = () => {
      if (answer.ended) return
      answer.abandon()
      abort()
    }
    if (res.closed || req.socket.destroyed) leave()
    else res.once('close', leave)
  }

  const answerShow = async (req: IncomingMessage, res: ServerResponse) => {
    const parsed = showRequestSchema.safeParse(parseJson((await readBody(req)) ?? ''))
    const name = parsed.success ? (parsed.data.model ?? parsed.data.name) : undefined
    if (name === undefined) return sendJson(res, 400, JSON.stringify({ error: 'model is required' }))
    const card = findCard(engine.cards(), name)
    if (card === undefined) return sendJson(res, 404, JSON.stringify({ error: `model '${name}' not found` }))
    sendJson(res, 200, JSON.stringify(showDocument(card)))
  }

  const documents: Record<string, (query: URLSearchParams) => unknown> = {
    '/api/version': () => ({ version: deps.version }),
    '/api/tags': () => tagsDocument(engine.cards(), startedEpochMs),
    '/api/ps': () => psDocument(engine.loaded()),
    '/v1/models': () => openAiModels(engine.cards(), startedEpochMs),
    '/plimsoll/info': deps.info,
    '/plimsoll/log': (query) => ({ requests: log.records(Number(query.get('after') ?? 0) || 0) }),
  }

  const route = async (req: IncomingMessage, res: ServerResponse) => {
    const arrivalMs = clock.nowMs()
    // A pipelined request must wait until the answers before it are out: frames go straight to the socket.
    if (res.socket === null) await once(res, 'socket')
    if (!mayAsk(req, deps.allowedHosts)) return sendText(res, 403, '')
    const target = req.url ?? '/'
    const queryAt = target.indexOf('?')
    const path = queryAt === -1 ? target : target.slice(0, queryAt)
    const callPath = CALL_PATHS.find((known) => known === path)
    const document = documents[path]
    if (callPath !== undefined || path === '/api/show') {
      if (req.method !== 'POST') return notAllowed(res, 'POST')
      return callPath !== undefined ? answerCall(callPath, req, res, arrivalMs) : answerShow(req, res)
    }
    if (document === undefined && path !== '/') return sendText(res, 404, '404 page not found')
    if (req.method !== 'GET' && req.method !== 'HEAD') return notAllowed(res, 'GET, HEAD')
    if (document !== undefined) return sendJson(res, 200, JSON.stringify(document(new URLSearchParams(target.slice(path.length)))))
    sendText(res, 200, `Plimsoll's model server (${engine.kind}${engine.simulated ? ', simulated' : ''}) is running`)
  }

  return (req, res) => {
    res.on('error', () => {})
    route(req, res).catch(() => {
      // The client went away while its body came in, or a bug: either way this request is over, and no other is touched.
      if (!res.headersSent) sendJson(res, 500, JSON.stringify({ error: 'internal error' }))
      else res.destroy()
    })
  }
}

function notAllowed(res: ServerResponse, allow: string): void {
  res.setHeader('allow', allow)
  sendText(res, 405, '405 method not allowed')
}

function sendJson(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { 'content-type': 'application/json; charset=utf-8', 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

function sendText(res: ServerResponse, status: number, body: string): void {
  res.writeHead(status, { 'content-type': 'text/plain; charset=utf-8', 'content-length': Buffer.byteLength(body) })
  res.end(body)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** @returns undefined when it is too large */
function readBody(req: IncomingMessage): Promise<string | undefined> {
  return new Promise((resolve, reject) => {
    const parts: Buffer[] = []
    let size = 0
    // Listeners, since iterating a stream costs as much as all the rest of a request.
    req.on('data', (part: Buffer) => {
      size += part.length
      if (size > BODY_LIMIT_BYTES) resolve(undefined)
      else parts.push(part)
    })
    req.once('end', () => resolve((parts.length === 1 ? (parts[0] ?? Buffer.alloc(0)) : Buffer.concat(parts)).toString('utf8')))
    req.once('error', reject)
    req.once('close', () => {
      if (!req.complete) reject(new Error('The request was broken off.'))
    })
  })
}

/** Pages of other origins and names that only resolve to loopback (DNS rebinding) are refused, as Ollama does. */
function mayAsk(req: IncomingMessage, allowedHosts: ReadonlySet<string> | undefined): boolean {
  if (allowedHosts !== undefined && !allowedHosts.has(hostName(req.headers.host ?? ''))) return false
  const origin = req.headers.origin
  if (origin === undefined) return true
  if (!URL.canParse(origin)) return false
  return LOOPBACK_NAMES.has(new URL(origin).hostname)
}

export const LOOPBACK_NAMES: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]', '::1', '0.0.0.0'])

function hostName(host: string): string {
  return host.replace(/:\d+$/, '').toLowerCase()
}

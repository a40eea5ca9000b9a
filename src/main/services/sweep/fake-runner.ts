/** For tests: the runner's HTTP API over a model server that is only a queue with slots. Answers take a fixed time; everything else is as the real one does it. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { problem } from '../../../core/result/problem.ts'
import type { ModelCall, TurnTimeline } from '../../../core/session/timeline.ts'
import { encodeSse } from '../../../core/stream/encode-sse.ts'
import { systemClock } from '../../platform/clock.ts'

export type FakeRunner = {
  readonly url: string
  readonly token: string
  /** Changes how the next turns go. */
  behave(change: Partial<Behaviour>): void
  /** Sessions that were made, and those that are still there. */
  counts(): { made: number; open: number; prompts: readonly string[] }
  close(): Promise<void>
}

export type Behaviour = {
  readonly slots: number
  readonly prefillMs: number
  readonly answerMs: number
  /** Every turn fails with this status of the model server. */
  readonly failWith: number | null
  /** The next turns' calls say that they loaded the model this long; one entry a turn. */
  readonly loadsMs: readonly number[]
}

type Session = { readonly id: string; seq: number; readonly log: string[]; streams: Set<ServerResponse>; cancel: () => void }

const TOKENS = 8

export async function startFakeRunner(initial: Partial<Behaviour> = {}): Promise<FakeRunner> {
  let behaviour: Behaviour = { slots: 1, prefillMs: 5, answerMs: 20, failWith: null, loadsMs: [], ...initial }
  const token = 'fake-token'
  const sessions = new Map<string, Session>()
  const prompts: string[] = []
  const waiting: (() => void)[] = []
  let busy = 0
  let made = 0

  const acquire = () =>
    new Promise<void>((resolve) => {
      const enter = () => {
        busy += 1
        resolve()
      }
      if (busy < behaviour.slots) enter()
      else waiting.push(enter)
    })
  const release = () => {
    busy -= 1
    if (busy < behaviour.slots) waiting.shift()?.()
  }

  const say = (session: Session, type: string, more: Record<string, unknown> = {}) => {
    session.seq += 1
    const event = { seq: session.seq, atMs: systemClock.nowMs(), turnId: 't1', type, ...more }
    const frame = encodeSse(JSON.stringify(event), { event: type, id: String(session.seq) })
    session.log.push(frame)
    for (const stream of session.streams) stream.write(frame)
  }

  const playTurn = async (session: Session) => {
    const acceptedAtMs = systemClock.nowMs()
    let cut = false
    const cancelled = new Promise<void>((resolve) => {
      session.cancel = () => {
        cut = true
        resolve()
      }
    })
    say(session, 'turn-accepted', { text: '' })
    say(session, 'turn-started')
    say(session, 'call-sent', { call: 0, purpose: 'answer', model: 'fake' })
    const call = newCall(systemClock.nowMs())
    const { failWith, prefillMs, answerMs, loadsMs } = behaviour
    const [loadMs = 0] = loadsMs
    behaviour = { ...behaviour, loadsMs: loadsMs.slice(1) }
    if (failWith === null) {
      await acquire()
      await Promise.race([sleep(prefillMs), cancelled])
      for (let token = 0; token < TOKENS && !cut; token++) {
        call.firstDeltaAtMs ??= systemClock.nowMs()
        call.lastDeltaAtMs = systemClock.nowMs()
        say(session, 'delta', { call: 0, channel: 'text', text: 'wörd ' })
        await Promise.race([sleep(answerMs / TOKENS), cancelled])
      }
      release()
    }
    const outcome = cut ? 'cut' : failWith === null ? 'completed' : 'failed'
    const reason = outcome === 'failed' ? problem('server-refused', `The model server answered with status ${failWith}.`, '', '') : null
    const endAtMs = systemClock.nowMs()
    const ended = {
      ...call,
      endAtMs,
      outcome,
      problem: reason,
      httpStatus: failWith ?? 200,
      endMarker: outcome === 'completed',
      server: durations(loadMs),
    } as const
    if (outcome === 'completed') say(session, 'turn-done')
    const timeline: TurnTimeline = {
      acceptedAtMs,
      runnerStartAtMs: acceptedAtMs,
      firstModelRequestAtMs: call.sentAtMs,
      firstActivityAtMs: call.firstDeltaAtMs,
      doneAtMs: outcome === 'completed' ? endAtMs : null,
      backgroundEndAtMs: endAtMs,
      outcome,
      problem: reason,
      calls: [ended],
      tools: [],
    }
    say(session, 'turn-ended', { timeline })
  }

  const answer = async (req: IncomingMessage, res: ServerResponse) => {
    if (req.headers.authorization !== `Bearer ${token}`) return void res.writeHead(401).end()
    const [, , , id, verb] = (req.url ?? '').split('/')
    const body = await textOf(req)
    if (req.method === 'POST' && id === undefined) {
      made += 1
      const session: Session = { id: `s${made}`, seq: 0, log: [], streams: new Set(), cancel: () => {} }
      sessions.set(session.id, session)
      return void res.writeHead(201).end(JSON.stringify({ sessionId: session.id }))
    }
    const session = sessions.get(id ?? '')
    if (session === undefined) return void res.writeHead(404).end('{}')
    if (req.method === 'DELETE') {
      sessions.delete(session.id)
      session.cancel()
      for (const stream of session.streams) stream.end()
      return void res.writeHead(204).end()
    }
    if (verb === 'events') {
      res.writeHead(200, { 'Content-Type': 'text/event-stream' })
      res.flushHeaders()
      for (const frame of session.log.slice(Number(req.headers['last-event-id'] ?? 0))) res.write(frame)
      session.streams.add(res)
      return void res.once('close', () => session.streams.delete(res))
    }
    if (verb === 'cancel') {
      session.cancel()
      return void res.writeHead(202).end(JSON.stringify({ cancelled: true }))
    }
    prompts.push((JSON.parse(body) as { text: string }).text)
    res.writeHead(202).end(JSON.stringify({ turnId: 't1', seq: session.seq + 1 }))
    await playTurn(session)
  }

  const server = createServer((req, res) => void answer(req, res))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    token,
    behave: (change) => {
      behaviour = { ...behaviour, ...change }
    },
    counts: () => ({ made, open: sessions.size, prompts }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

const sleep = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

const durations = (loadMs: number) => ({ totalNs: 30e6 + loadMs * 1e6, loadNs: loadMs * 1e6, promptEvalNs: 5e6, evalNs: 20e6 })

function newCall(sentAtMs: number): { -readonly [K in keyof ModelCall]: ModelCall[K] } {
  return {
    index: 0,
    purpose: 'answer',
    model: 'fake',
    sentAtMs,
    headersAtMs: null,
    firstByteAtMs: null,
    firstDeltaAtMs: null,
    firstTextAtMs: null,
    lastDeltaAtMs: null,
    endAtMs: sentAtMs,
    endMarker: false,
    outcome: 'failed',
    httpStatus: null,
    problem: null,
    promptTokens: 60,
    outputTokens: TOKENS,
    tokensEstimated: false,
    server: null,
    maxChunksPerRead: 1,
    resent: false,
  }
}

async function textOf(req: IncomingMessage): Promise<string> {
  const pieces: Buffer[] = []
  for await (const piece of req) pieces.push(piece as Buffer)
  return Buffer.concat(pieces).toString('utf8')
}

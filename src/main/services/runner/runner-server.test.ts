import http from 'node:http'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { answer, chatLine, doneLine, type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { createSessionAnswerSchema, errorAnswerSchema, postTurnAnswerSchema } from '../../../core/session/runner-api.ts'
import { type SessionEvent, sessionEventSchema } from '../../../core/session/session-event.ts'
import { createSseParser } from '../../../core/stream/sse-parser.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { createRunner, type Runner } from './runner.ts'

let runner: Runner
let server: ScriptedServer
let api: { url: string; token: string }
const agent = new http.Agent({ keepAlive: true })

beforeEach(async () => {
  runner = createRunner({ clock: systemClock, log: silentLog, limit: 4, version: '1.2.3' })
  server = await startScriptedServer((asked, response) => {
    if (JSON.stringify(asked.body).includes('hold')) response.writeHead(200).write(chatLine({ content: 'a' }))
    else if (JSON.stringify(asked.body).includes('long')) {
      response.writeHead(200)
      for (let i = 0; i < 20; i += 1) response.write(chatLine({ content: `word ${i}\n` }))
      response.end(doneLine())
    } else answer(response, 'Hello')
  })
  const listening = await runner.listen({ host: '127.0.0.1', port: 0 })
  if (!listening.ok) throw new Error(listening.error.happened)
  api = listening.value
})

afterEach(async () => {
  await runner.close()
  await server.close()
})

interface Answer {
  status: number
  headers: http.IncomingHttpHeaders
  text: string
}

function ask(
  method: string,
  path: string,
  options: { body?: unknown; headers?: http.OutgoingHttpHeaders; token?: string | null } = {},
): Promise<Answer> {
  const token = options.token === undefined ? api.token : options.token
  const headers = { ...(token === null ? {} : { Authorization: `Bearer ${token}` }), ...options.headers }
  return new Promise((resolve, reject) => {
    const request = http.request(`${api.url}${path}`, { method, headers, agent }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (piece: string) => {
        text += piece
      })
      response.on('end', () => resolve({ status: response.statusCode ?? 0, headers: response.headers, text }))
    })
    request.on('error', reject)
    request.end(options.body === undefined ? undefined : typeof options.body === 'string' ? options.body : JSON.stringify(options.body))
  })
}

const problemOf = (answer: Answer) => errorAnswerSchema.parse(JSON.parse(answer.text)).problem

async function createSession(settings: object = {}): Promise<string> {
  const created = await ask('POST', '/v1/sessions', { body: { settings: { serverUrl: server.url, model: 'm', origin: 'sweep', ...settings } } })
  expect(created.status).toBe(201)
  return createSessionAnswerSchema.parse(JSON.parse(created.text)).sessionId
}

/** Reads events until one fits, or until the stream ends; then closes the connection. */
function readEvents(
  sessionId: string,
  afterSeq: number | undefined,
  fits: (event: SessionEvent) => boolean,
): Promise<{ events: SessionEvent[]; ids: string[]; over: boolean }> {
  return new Promise((resolve, reject) => {
    const headers = { Authorization: `Bearer ${api.token}`, ...(afterSeq === undefined ? {} : { 'Last-Event-ID': String(afterSeq) }) }
    const events: SessionEvent[] = []
    const ids: string[] = []
    const request = http.get(`${api.url}/v1/sessions/${sessionId}/events`, { headers, agent: false }, (response) => {
      expect(response.headers['content-type']).toContain('text/event-stream')
      const parser = createSseParser()
      response.setEncoding('utf8').on('data', (piece: string) => {
        for (const item of parser.push(piece)) {
          if (item.kind !== 'event') continue
          const event = sessionEventSchema.parse(JSON.parse(item.data))
          expect(item.event).toBe(event.type)
          events.push(event)
          ids.push(item.id ?? '')
          if (fits(event)) {
            request.destroy()
            resolve({ events, ids, over: false })
            return
          }
        }
      })
      response.on('end', () => resolve({ events, ids, over: true }))
      response.on('error', () => {})
    })
    request.on('error', (error) => (events.length === 0 ? reject(error) : undefined))
  })
}

const isEnd = (event: SessionEvent) => event.type === 'turn-ended'

describe('the runner API', () => {
  test('takes a turn at once and streams its events', async () => {
    const id = await createSession()
    const posted = await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'Hi' } })
    expect(posted.status).toBe(202)
    const { turnId, seq } = postTurnAnswerSchema.parse(JSON.parse(posted.text))
    const { events, ids } = await readEvents(id, seq - 1, isEnd)
    expect(events.map((event) => event.type)).toEqual(['turn-accepted', 'turn-started', 'call-sent', 'delta', 'turn-done', 'turn-ended'])
    expect(ids).toEqual(['1', '2', '3', '4', '5', '6'])
    expect(events.every((event) => event.turnId === turnId)).toBe(true)
  })

  test('resumes exactly after the last event id, during the turn and after it', async () => {
    const id = await createSession()
    const whole = readEvents(id, undefined, isEnd)
    await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'long' } })
    const { events } = await whole
    expect(events.length).toBeGreaterThan(24)
    for (const after of [0, 1, 7, events.length - 1]) {
      expect((await readEvents(id, after, isEnd)).events).toEqual(events.slice(after))
    }
    const resumed: SessionEvent[] = []
    for (let last = 0; last < events.length; ) {
      const part = await readEvents(id, last, (event) => event.seq === Math.min(last + 5, events.length))
      resumed.push(...part.events)
      last = part.events.at(-1)?.seq ?? events.length
    }
    expect(resumed).toEqual(events)
  })

  test('cancels what streams, and says when nothing ran', async () => {
    const id = await createSession()
    const streaming = readEvents(id, 0, (event) => event.type === 'delta')
    await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'hold' } })
    await streaming
    expect(await ask('POST', `/v1/sessions/${id}/cancel`)).toMatchObject({ status: 202, text: '{"cancelled":true}' })
    const { events } = await readEvents(id, 0, isEnd)
    expect(events.at(-1)).toMatchObject({ timeline: { outcome: 'cut', calls: [{ outputTokens: 1 }] } })
    expect(await ask('POST', `/v1/sessions/${id}/cancel`)).toMatchObject({ status: 202, text: '{"cancelled":false}' })
  })

  test('a deleted session ends its streams and is gone', async () => {
    const id = await createSession()
    const stream = readEvents(id, 0, () => false)
    await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'Hi' } })
    await readEvents(id, 0, isEnd)
    expect((await ask('DELETE', `/v1/sessions/${id}`)).status).toBe(204)
    expect(await stream).toMatchObject({ over: true })
    const gone = await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'Hi' } })
    expect(gone.status).toBe(404)
    expect(problemOf(gone).code).toBe('session-missing')
  })

  test('a hundred turns posted at once are all accepted while the model server has not answered one', async () => {
    const ids = await Promise.all(Array.from({ length: 100 }, () => createSession()))
    const acceptedMs = await Promise.all(
      ids.map(async (id) => {
        const startMs = systemClock.nowMs()
        expect((await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'hold' } })).status).toBe(202)
        return systemClock.nowMs() - startMs
      }),
    )
    await Promise.all(ids.map((id) => readEvents(id, 0, (event) => event.type === 'delta')))
    expect(runner.gauges()).toMatchObject({ inFlight: 100, queued: 0 })
    // This process plays all three parts; a queue behind the limit of 4 would never end, since no answer does.
    expect(acceptedMs.sort((a, b) => a - b)[98]).toBeLessThan(1_500)
  })

  test('health needs no token, metrics tell in Prometheus text what was done', async () => {
    const id = await createSession()
    await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'Hi' } })
    await readEvents(id, 0, isEnd)
    expect(await ask('GET', '/health', { token: null })).toMatchObject({ status: 200, text: '{"ok":true,"version":"1.2.3"}' })
    const metrics = await ask('GET', '/metrics')
    expect(metrics.headers['content-type']).toContain('text/plain; version=0.0.4')
    expect(metrics.text).toContain('plimsoll_turns_total{outcome="completed"} 1\n')
    expect(metrics.text).toContain('plimsoll_model_calls_total{outcome="completed"} 1\n')
    expect(metrics.text).toContain('plimsoll_turns_in_flight 0\n')
    expect(metrics.text).toMatch(/plimsoll_turn_ttfa_seconds_bucket\{le="\+Inf"\} 1\n/)
    for (const line of metrics.text.trimEnd().split('\n')) {
      expect(line).toMatch(/^(# (HELP|TYPE) plimsoll_\w+ .+|plimsoll_\w+(\{\w+="[^"]*"\})? [\d.e+-]+)$/)
    }
  })
})

describe('the runner API refuses', () => {
  test('a wrong token and a missing one', async () => {
    for (const token of ['wrong', `${api.token}x`, null]) {
      const refused = await ask('POST', '/v1/sessions', { body: {}, token })
      expect(refused.status).toBe(401)
      expect(problemOf(refused)).toMatchObject({ code: 'token-wrong' })
      expect(problemOf(refused).todo).not.toBe('')
      expect(refused.text).not.toContain(api.token)
    }
  })

  test('a page of another origin, even with the token, and a foreign host', async () => {
    const page = await ask('GET', '/metrics', { headers: { Origin: 'https://evil.example' } })
    expect([page.status, problemOf(page).code]).toEqual([403, 'origin-foreign'])
    expect((await ask('GET', '/health', { token: null, headers: { Origin: 'null' } })).status).toBe(403)
    expect((await ask('GET', '/metrics', { headers: { Origin: 'http://127.0.0.1:1' } })).status).toBe(403)
    const rebound = await ask('GET', '/health', { headers: { Host: 'evil.example' } })
    expect([rebound.status, problemOf(rebound).code]).toEqual([403, 'host-foreign'])
    expect((await ask('GET', '/metrics', { headers: { Origin: api.url } })).status).toBe(200)
  })

  test('bodies that are no JSON, do not fit or are too large, and names every fault', async () => {
    const broken = await ask('POST', '/v1/sessions', { body: '{' })
    expect([broken.status, problemOf(broken).code]).toEqual([400, 'body-invalid'])
    const unfit = await ask('POST', '/v1/sessions', { body: { settings: { serverUrl: 1, maxSteps: -1 } } })
    expect([unfit.status, problemOf(unfit).code]).toEqual([400, 'settings-invalid'])
    for (const fault of ['settings.serverUrl', 'settings.model', 'settings.maxSteps']) expect(problemOf(unfit).happened).toContain(fault)
    const address = await ask('POST', '/v1/sessions', { body: { settings: { serverUrl: 'not an address', model: 'm' } } })
    expect([address.status, problemOf(address).code]).toEqual([400, 'address-invalid'])
    const id = await createSession()
    expect((await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: '' } })).status).toBe(400)
    const large = await ask('POST', `/v1/sessions/${id}/turns`, { body: { text: 'x'.repeat(2_000_000) } })
    expect([large.status, problemOf(large).code]).toEqual([413, 'body-too-large'])
  })

  test('unknown paths, wrong methods and odd event ids', async () => {
    expect((await ask('GET', '/v2')).status).toBe(404)
    expect((await ask('GET', '/v1/sessions/x/toString')).status).toBe(404)
    const method = await ask('GET', '/v1/sessions')
    expect([method.status, method.headers.allow]).toEqual([405, 'POST'])
    const id = await createSession()
    expect((await ask('GET', `/v1/sessions/${id}/events`, { headers: { 'Last-Event-ID': 'abc' } })).status).toBe(400)
    expect((await ask('GET', '/v1/sessions/none/events')).status).toBe(404)
  })

  test('a port in use is a sentence', async () => {
    const again = await runner.listen({ host: '127.0.0.1', port: Number(new URL(api.url).port) })
    expect(again).toMatchObject({ ok: false, error: { code: 'port-in-use' } })
  })
})

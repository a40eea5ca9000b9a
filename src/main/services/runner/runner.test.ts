import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Asked, answer, chatLine, doneLine, type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { type SessionId, turnIdSchema } from '../../../core/result/ids.ts'
import { type SessionEvent, type SessionSettingsInput, sessionEventSchema, sessionSettingsSchema } from '../../../core/session/session-event.ts'
import type { TurnTimeline } from '../../../core/session/timeline.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { createRunner, type Runner } from './runner.ts'

let runner: Runner
let server: ScriptedServer
/** Answers that the test lets go by hand, in the order in which the server was asked. */
let held: { asked: Asked; finish: () => void }[]
let onHeld: () => void = () => {}

beforeEach(async () => {
  held = []
  runner = createRunner({ clock: systemClock, log: silentLog, limit: 2, version: '1.2.3' })
  server = await startScriptedServer((asked, response) => {
    const text = JSON.stringify(asked.body.messages ?? '')
    if (text.includes('hold')) {
      response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
      response.write(chatLine({ content: 'well' }))
      held.push({ asked, finish: () => response.end(doneLine()) })
      onHeld()
    } else if (text.includes('title')) answer(response, '"Small talk"\n')
    else if (text.includes('remembering')) answer(response, 'They talked.')
    else if (text.includes('fail')) response.writeHead(500, { 'Content-Type': 'application/json' }).end('{"error":"out of memory"}')
    else answer(response, 'Hello')
  })
})

afterEach(async () => {
  await runner.close()
  await server.close()
})

function open(settings: Partial<SessionSettingsInput> = {}): SessionId {
  const created = runner.createSession(sessionSettingsSchema.parse({ serverUrl: server.url, model: 'm', ...settings }))
  if (!created.ok) throw new Error(created.error.happened)
  return created.value.sessionId
}

function post(id: SessionId, text: string): string {
  const posted = runner.postTurn(id, text)
  if (!posted.ok) throw new Error(posted.error.happened)
  return posted.value.turnId
}

/** The session's events up to the first that fits. */
function until(id: SessionId, fits: (event: SessionEvent) => boolean): Promise<SessionEvent[]> {
  return new Promise((resolve) => {
    const events: SessionEvent[] = []
    let found = false
    runner.events(id, 0, (event) => {
      if (found) return
      events.push(event)
      found = fits(event)
      if (found) resolve(events)
    })
  })
}

async function ended(id: SessionId, turnId?: string): Promise<{ events: SessionEvent[]; timeline: TurnTimeline }> {
  const events = await until(id, (event) => event.type === 'turn-ended' && (turnId === undefined || event.turnId === turnId))
  const last = events.at(-1)
  if (last?.type !== 'turn-ended') throw new Error('no end')
  return { events: events.filter((event) => event.turnId === last.turnId), timeline: last.timeline }
}

async function heldCount(n: number): Promise<void> {
  while (held.length < n) {
    await new Promise<void>((resolve) => {
      onHeld = resolve
    })
  }
}

const kinds = (events: readonly SessionEvent[]) => events.map((event) => event.type)

describe('a turn', () => {
  test('says each step in order, ends with its time line, and fits the schema', async () => {
    const id = open()
    const turnId = post(id, 'Hi')
    const { events, timeline } = await ended(id)
    expect(kinds(events)).toEqual(['turn-accepted', 'turn-started', 'call-sent', 'delta', 'turn-done', 'turn-ended'])
    expect(events.map((event) => event.seq)).toEqual([1, 2, 3, 4, 5, 6])
    expect(events.every((event) => event.turnId === turnId)).toBe(true)
    for (const event of events) expect(sessionEventSchema.parse(event)).toEqual(event)
    const stamps = [timeline.acceptedAtMs, timeline.runnerStartAtMs, timeline.firstModelRequestAtMs, timeline.firstActivityAtMs, timeline.doneAtMs]
    expect(stamps).not.toContain(null)
    expect([...stamps].sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(stamps)
    expect(timeline).toMatchObject({ outcome: 'completed', problem: null, backgroundEndAtMs: timeline.doneAtMs, tools: [] })
    expect(timeline.calls).toHaveLength(1)
  })

  test('background work comes after the answer, the title once per session', async () => {
    const id = open({ background: { title: true, memory: true } })
    post(id, 'Hi')
    const first = await ended(id)
    expect(first.events.filter((event) => event.type === 'title' || event.type === 'memory')).toMatchObject([
      { title: 'Small talk' },
      { note: 'They talked.' },
    ])
    expect(kinds(first.events).indexOf('turn-done')).toBeLessThan(kinds(first.events).indexOf('title'))
    expect(first.timeline.calls.map((call) => call.purpose)).toEqual(['answer', 'title', 'memory'])
    expect(first.timeline.backgroundEndAtMs).toBeGreaterThan(first.timeline.doneAtMs ?? 0)
    const second = await ended(id, post(id, 'More'))
    expect(second.timeline.calls.map((call) => call.purpose)).toEqual(['answer', 'memory'])
  })

  test('M3: background prompts begin with words of the session', async () => {
    const id = open({ background: { title: true, memory: true } })
    post(id, 'Unlike any other')
    await ended(id)
    const prompts = server.asked
      .filter((one) => one.path === '/api/chat')
      .map((one) => (one.body.messages as { content: string }[])[0]?.content ?? '')
    expect(prompts).toHaveLength(3)
    for (const prompt of prompts) expect(prompt.startsWith('Unlike any other')).toBe(true)
  })

  test('the conversation so far is sent along; of a turn without an answer nothing', async () => {
    const id = open({ systemPrompt: 'Be brief.' })
    await ended(id, post(id, 'One'))
    await ended(id, post(id, 'fail'))
    await ended(id, post(id, 'Two'))
    expect(server.asked.at(-1)?.body.messages).toEqual([
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Hello' },
      { role: 'user', content: 'Two' },
    ])
  })

  test('a session that was opened again tells the model the same', async () => {
    const id = open()
    await ended(id, post(id, 'One'))
    const stored = (await ended(id, post(id, 'Two'))).events
    const all = await until(id, (event) => event.seq === stored.at(-1)?.seq)
    runner.closeSession(id)
    runner.restoreSession(id, sessionSettingsSchema.parse({ serverUrl: server.url, model: 'm' }), all)
    const { events } = await ended(id, post(id, 'Three'))
    expect(events[0]?.seq).toBe(all.length + 1)
    expect((server.asked.at(-1)?.body.messages as { content: string }[] | undefined)?.map((message) => message.content)).toEqual([
      'One',
      'Hello',
      'Two',
      'Hello',
      'Three',
    ])
  })

  test('a turn that was under way when Plimsoll ended is cut on return', () => {
    const id = open()
    runner.closeSession(id)
    const turnId = turnIdSchema.parse('t')
    runner.restoreSession(id, sessionSettingsSchema.parse({ serverUrl: server.url, model: 'm' }), [
      { seq: 1, atMs: 5, turnId, type: 'turn-accepted', text: 'Hi' },
      { seq: 2, atMs: 9, turnId, type: 'turn-started' },
    ])
    const seen: SessionEvent[] = []
    runner.events(id, 2, (event) => seen.push(event))
    expect(seen).toMatchObject([
      { seq: 3, type: 'turn-ended', timeline: { outcome: 'cut', acceptedAtMs: 5, backgroundEndAtMs: 9, problem: { code: 'interrupted' } } },
    ])
  })

  test('a failed call fails the turn, with the sentence of the server, and no background work is done', async () => {
    const id = open({ background: { title: true, memory: true } })
    post(id, 'fail')
    const { timeline } = await ended(id)
    expect(timeline).toMatchObject({ outcome: 'failed', doneAtMs: null, problem: { code: 'server-error' } })
    expect(timeline.problem?.happened).toContain('out of memory')
    expect(timeline.firstModelRequestAtMs).not.toBeNull()
    expect(timeline.calls).toHaveLength(1)
  })

  test('a deadline ends the turn as failed, with what had come', async () => {
    const id = open({ turnDeadlineMs: 100 })
    post(id, 'hold')
    const { timeline } = await ended(id)
    expect(timeline).toMatchObject({ outcome: 'failed', problem: { code: 'turn-deadline' }, calls: [{ outcome: 'cut', outputTokens: 1 }] })
    await held[0]?.asked.aborted
  })

  test('the output cap and the options go to the server; background work has a cap of its own', async () => {
    const id = open({ maxOutputTokens: 48, maxBackgroundTokens: 9, options: { seed: 7 }, background: { title: false, memory: true } })
    post(id, 'Hi')
    await ended(id)
    const calls = server.asked.filter((one) => one.path === '/api/chat')
    expect(calls.map((one) => one.body.options)).toEqual([
      { seed: 7, num_predict: 48 },
      { seed: 7, num_predict: 9 },
    ])
  })

  test('a bad server address is refused when the session is made', () => {
    const created = runner.createSession(sessionSettingsSchema.parse({ serverUrl: 'ftp://x', model: 'm' }))
    expect(created).toMatchObject({ ok: false, error: { code: 'address-invalid' } })
  })
})

describe('admission', () => {
  test('chats beyond the limit wait in order of arrival and see their place change', async () => {
    const ids = [open(), open(), open(), open()] as const
    for (const id of ids) post(id, 'hold')
    await heldCount(2)
    expect(runner.gauges()).toEqual({ inFlight: 2, queued: 2, limit: 2 })
    held[0]?.finish()
    await heldCount(3)
    expect(runner.gauges()).toEqual({ inFlight: 2, queued: 1, limit: 2 })
    held[1]?.finish()
    await heldCount(4)
    held[2]?.finish()
    held[3]?.finish()
    const third = await ended(ids[2])
    const fourth = await ended(ids[3])
    const places = (events: readonly SessionEvent[]) => events.flatMap((event) => (event.type === 'turn-queued' ? [event.place] : []))
    expect(places(third.events)).toEqual([1])
    expect(places(fourth.events)).toEqual([2, 1])
    expect(fourth.timeline.runnerStartAtMs ?? 0).toBeGreaterThanOrEqual(third.timeline.runnerStartAtMs ?? Number.POSITIVE_INFINITY)
    expect(runner.gauges()).toEqual({ inFlight: 0, queued: 0, limit: 2 })
  })

  test('turns of a sweep are not held by the limit', async () => {
    for (let i = 0; i < 5; i += 1) post(open({ origin: 'sweep' }), 'hold')
    await heldCount(5)
    expect(runner.gauges()).toEqual({ inFlight: 5, queued: 0, limit: 2 })
    for (const one of held) one.finish()
  })

  test('a higher limit lets the next ones in', async () => {
    for (let i = 0; i < 4; i += 1) post(open(), 'hold')
    await heldCount(2)
    runner.setLimit(4)
    await heldCount(4)
    expect(runner.gauges()).toEqual({ inFlight: 4, queued: 0, limit: 4 })
  })

  test('a second turn of a session waits for the first, and knows its answer', async () => {
    const id = open()
    const first = post(id, 'hold')
    const second = post(id, 'Two')
    await heldCount(1)
    held[0]?.finish()
    // Its conversation holds the word too.
    await heldCount(2)
    held[1]?.finish()
    const one = await ended(id, first)
    const two = await ended(id, second)
    expect(two.timeline.runnerStartAtMs ?? 0).toBeGreaterThanOrEqual(one.timeline.backgroundEndAtMs)
    expect(server.asked.at(-1)?.body.messages).toMatchObject([{ content: 'hold' }, { content: 'well' }, { content: 'Two' }])
  })
})

describe('cancel', () => {
  test('of a turn that waits ends it at once and moves the others up', async () => {
    const ids = [open(), open(), open(), open()] as const
    for (const id of ids) post(id, 'hold')
    await heldCount(2)
    expect(runner.cancel(ids[2])).toBe(true)
    const { timeline } = await ended(ids[2])
    expect(timeline).toMatchObject({ outcome: 'cut', problem: null, runnerStartAtMs: null, firstModelRequestAtMs: null, calls: [] })
    const fourth = await until(ids[3], (event) => event.type === 'turn-queued' && event.place === 1)
    expect(kinds(fourth)).toEqual(['turn-accepted', 'turn-queued', 'turn-queued'])
    expect(runner.gauges().queued).toBe(1)
  })

  test('of a turn that streams keeps what came and frees its place', async () => {
    const id = open()
    post(id, 'hold')
    await until(id, (event) => event.type === 'delta')
    expect(runner.cancel(id)).toBe(true)
    const { timeline } = await ended(id)
    expect(timeline).toMatchObject({ outcome: 'cut', doneAtMs: null, calls: [{ outcome: 'cut', outputTokens: 1 }] })
    expect(timeline.firstActivityAtMs).not.toBeNull()
    expect(runner.gauges().inFlight).toBe(0)
    await held[0]?.asked.aborted
  })

  test('right after posting, before anything was sent, sends nothing', async () => {
    const id = open()
    post(id, 'Hi')
    runner.cancel(id)
    const { events } = await ended(id)
    expect(kinds(events)).toEqual(['turn-accepted', 'turn-ended'])
    expect(server.asked).toEqual([])
  })

  test('during background work keeps the answer', async () => {
    const id = open({ background: { title: false, memory: true }, maxBackgroundTokens: 5 })
    const stop = runner.onEvent((_, event) => {
      if (event.type === 'call-sent' && event.purpose === 'memory') runner.cancel(id)
    })
    post(id, 'Hi')
    const { timeline } = await ended(id)
    stop()
    expect(timeline.outcome).toBe('cut')
    expect(timeline.doneAtMs).not.toBeNull()
    expect(timeline.calls.map((call) => call.outcome)).toEqual(['completed', 'cut'])
  })

  test('where nothing runs says so', () => {
    expect(runner.cancel(open())).toBe(false)
  })

  test('closing a session cuts its turns and forgets it', async () => {
    const id = open()
    post(id, 'hold')
    await heldCount(1)
    const over = ended(id)
    expect(runner.closeSession(id)).toBe(true)
    expect((await over).timeline.outcome).toBe('cut')
    expect(runner.postTurn(id, 'Hi')).toMatchObject({ ok: false, error: { code: 'session-missing' } })
    expect(runner.events(id, 0, () => {})).toBeUndefined()
  })
})

test('the fault switch holds the loop at each start, and the time line lays it on the runner', async () => {
  runner.setFault({ blockMs: 60 })
  const ids = [open({ origin: 'sweep' }), open({ origin: 'sweep' })] as const
  for (const id of ids) post(id, 'Hi')
  const second = (await ended(ids[1])).timeline
  expect((second.firstModelRequestAtMs ?? 0) - (second.runnerStartAtMs ?? 0)).toBeGreaterThan(115)
  expect((second.runnerStartAtMs ?? 0) - second.acceptedAtMs).toBeLessThan(50)
})

test('the fault switch holds the loop at each piece of text', async () => {
  runner.setFault({ deltaMs: 40 })
  const id = open({ origin: 'sweep' })
  const postedMs = systemClock.nowMs()
  post(id, 'Hi')
  await ended(id)
  const tookMs = systemClock.nowMs() - postedMs
  runner.setFault({})
  expect(tookMs).toBeGreaterThanOrEqual(40)
})

test('a pool of one connection lets the calls go out one by one, and the wait for it is before the call, not in it', async () => {
  runner.setFault({ poolLimit: 1 })
  const ids = [open({ origin: 'sweep' }), open({ origin: 'sweep' })] as const
  const over = Promise.all(ids.map((id) => ended(id)))
  post(ids[0], 'hold')
  await heldCount(1)
  post(ids[1], 'Hi')
  await new Promise((resolve) => setTimeout(resolve, 60))
  runner.cancel(ids[0])
  const [, second] = (await over).map(({ timeline }) => timeline)
  runner.setFault({})
  expect((second?.firstModelRequestAtMs ?? 0) - (second?.runnerStartAtMs ?? 0)).toBeGreaterThan(50)
})

test('a built-in server is started with its session, so that its start is in no turn; a start that fails breaks nothing', async () => {
  const asked: string[] = []
  const own = createRunner({
    clock: systemClock,
    log: silentLog,
    limit: 2,
    version: '1.2.3',
    builtInServer(engine, model) {
      asked.push(`${engine} ${model}`)
      return Promise.reject(new Error('no room'))
    },
  })
  expect(own.createSession(sessionSettingsSchema.parse({ serverUrl: 'built-in:llama', model: 'tiny' })).ok).toBe(true)
  expect(asked).toEqual(['llama tiny'])
  await own.close()
})

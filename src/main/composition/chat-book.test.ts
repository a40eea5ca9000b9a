import { expect, test } from 'vitest'
import { type SessionId, sessionIdSchema, type TurnId, turnIdSchema } from '../../core/result/ids.ts'
import { ok } from '../../core/result/result.ts'
import { type SessionEvent, sessionSettingsSchema } from '../../core/session/session-event.ts'
import type { StoredChat } from '../../core/session/stored-chat.ts'
import type { TurnTimeline } from '../../core/session/timeline.ts'
import type { TurnLatency } from '../../core/session/turn-latency.ts'
import { ManualClock } from '../platform/clock.ts'
import { silentLog } from '../platform/log.ts'
import { type ChatKeeper, type ChatRunner, createChatBook, titleFromText } from './chat-book.ts'

const settings = sessionSettingsSchema.parse({ serverUrl: 'http://127.0.0.1:11434', model: 'm' })
const turnId = turnIdSchema.parse('t1')
const idOf = (text: string) => sessionIdSchema.parse(text)

const timeline: TurnTimeline = {
  acceptedAtMs: 100,
  runnerStartAtMs: 101,
  firstModelRequestAtMs: 102,
  firstActivityAtMs: 150,
  doneAtMs: 300,
  backgroundEndAtMs: 340,
  outcome: 'completed',
  problem: null,
  calls: [],
  tools: [],
}

type WithoutStamps<E> = E extends SessionEvent ? Omit<E, 'seq' | 'atMs' | 'turnId'> : never

function setUp(kept: { chats?: StoredChat[]; events?: SessionEvent[] } = {}) {
  let listener: (id: SessionId, event: SessionEvent, origin: 'chat' | 'sweep') => void = () => {}
  let seq = kept.events?.length ?? 0
  const restored: SessionId[] = []
  const chats = new Map((kept.chats ?? []).map((chat) => [chat.sessionId, chat]))
  const events: SessionEvent[] = [...(kept.events ?? [])]
  const latencies: TurnLatency[] = []
  const say = (id: SessionId, body: WithoutStamps<SessionEvent>, origin: 'chat' | 'sweep' = 'chat') =>
    listener(id, { seq: ++seq, atMs: seq, turnId, ...body } as SessionEvent, origin)
  const runner: ChatRunner = {
    createSession: () => ok({ sessionId: idOf(`s${chats.size}`) }),
    restoreSession: (sessionId, _settings, history) => {
      restored.push(sessionId)
      if (history.length > 0 && history.at(-1)?.type !== 'turn-ended')
        say(sessionId, { type: 'turn-ended', timeline: { ...timeline, outcome: 'cut' } })
      return ok({ sessionId })
    },
    postTurn: () => ok({ turnId: turnId as TurnId }),
    cancel: () => true,
    closeSession: () => true,
    events: () => () => {},
    onEvent: (told) => {
      listener = told
      return () => {}
    },
  }
  const store: ChatKeeper = {
    saveChat: (chat) => void chats.set(chat.sessionId, chat),
    appendSessionEvents: (_id, news) => void events.push(...news),
    readSessionEvents: () => [...events],
    listChats: () => [...chats.values()],
    removeChat: (id) => void chats.delete(id),
    addLatency: (latency) => void latencies.push(latency),
    readLatencies: () => [],
  }
  const clock = new ManualClock()
  const book = createChatBook({ runner, store, clock, log: silentLog })
  return { book, say, chats, events, latencies, clock, restored }
}

test('a turn’s way shows in the list: queued with its place, working, idle', () => {
  const { book, say } = setUp()
  const created = book.create(settings)
  if (!created.ok) throw new Error('no session')
  const { sessionId } = created.value
  const shown = () => book.list().map(({ title, status, place }) => [title, status, place])
  expect(shown()).toEqual([['', 'idle', null]])
  say(sessionId, { type: 'turn-accepted', text: 'Why is the sky blue?\nPlease.' })
  say(sessionId, { type: 'turn-queued', place: 2, inFlight: 4, limit: 4 })
  expect(shown()).toEqual([['Why is the sky blue?', 'queued', 2]])
  say(sessionId, { type: 'turn-started' })
  expect(shown()).toEqual([['Why is the sky blue?', 'working', null]])
  say(sessionId, { type: 'title', title: 'Rayleigh' })
  say(sessionId, { type: 'turn-ended', timeline })
  expect(shown()).toEqual([['Rayleigh', 'idle', null]])
})

test('events and latencies of chats are kept; a sweep’s turns are charted but not kept', () => {
  const { book, say, events, latencies } = setUp()
  const created = book.create(settings)
  if (!created.ok) throw new Error('no session')
  const heard: TurnLatency[] = []
  book.onLatency((latency) => heard.push(latency))
  say(created.value.sessionId, { type: 'turn-ended', timeline })
  say(idOf('of-a-sweep'), { type: 'turn-ended', timeline }, 'sweep')
  expect(events).toHaveLength(1)
  expect(latencies).toMatchObject([{ origin: 'chat', ttfaMs: 50, firstModelRequestMs: 2, doneMs: 200, wallMs: 240, outcome: 'completed' }])
  expect(heard.map(({ origin }) => origin)).toEqual(['chat', 'sweep'])
  expect(book.latencies()).toHaveLength(2)
})

test('after a start the chats are back; one that was cut off in a turn reads as interrupted until it is used again', () => {
  const chat: StoredChat = { sessionId: idOf('old'), title: 'Old', createdEpochMs: 1, lastActivityEpochMs: 2, settings }
  const { book, restored, say } = setUp({ chats: [chat], events: [{ seq: 1, atMs: 1, turnId, type: 'turn-accepted', text: 'x' }] })
  expect(restored).toEqual(['old'])
  expect(book.list()).toMatchObject([{ title: 'Old', status: 'interrupted', lastActivityEpochMs: 2 }])
  expect(book.latencies()).toEqual([])
  say(idOf('old'), { type: 'turn-started' })
  expect(book.list()).toMatchObject([{ status: 'working' }])
})

test('a removed chat is gone from list and store, and asked for again it is a Problem', () => {
  const { book, chats } = setUp()
  const created = book.create(settings)
  if (!created.ok) throw new Error('no session')
  let changes = 0
  book.onChange(() => {
    changes += 1
  })
  book.remove(created.value.sessionId)
  expect(book.list()).toEqual([])
  expect(chats.size).toBe(0)
  expect(changes).toBe(1)
  expect(book.post(created.value.sessionId, 'x')).toMatchObject({ ok: false, error: { code: 'session-missing' } })
  expect(book.events(created.value.sessionId, { onEvent: () => {}, onClosed: () => {} })).toBeUndefined()
})

test('a title from a text is its first line, cut at sixty characters', () => {
  expect(titleFromText('  Hello\nworld')).toBe('Hello')
  expect(titleFromText('x'.repeat(100))).toHaveLength(60)
})

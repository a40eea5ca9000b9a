/**
 * Joins runner and store for chat sessions: what lives in the runner is kept in the store, what the store holds lives again after a start.
 * Owns the list with each session's status, and the latencies of ended turns.
 */
import type { SessionId, TurnId } from '../../core/result/ids.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, type Result } from '../../core/result/result.ts'
import { latencyOf } from '../../core/session/latency-of.ts'
import type { SessionEvent, SessionSettings } from '../../core/session/session-event.ts'
import type { StoredChat } from '../../core/session/stored-chat.ts'
import type { TurnLatency } from '../../core/session/turn-latency.ts'
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import { createListeners } from './listeners.ts'

export type ChatEntry = StoredChat & {
  readonly status: 'idle' | 'queued' | 'working' | 'interrupted'
  readonly place: number | null
}

/** What is used of the runner. */
export interface ChatRunner {
  createSession(settings: SessionSettings): Result<{ sessionId: SessionId }, Problem>
  restoreSession(id: SessionId, settings: SessionSettings, events: readonly SessionEvent[]): Result<{ sessionId: SessionId }, Problem>
  postTurn(sessionId: SessionId, text: string): Result<{ turnId: TurnId }, Problem>
  cancel(sessionId: SessionId): boolean
  closeSession(sessionId: SessionId): boolean
  events(sessionId: SessionId, afterSeq: number, listener: { onEvent(event: SessionEvent): void; onClosed(): void }): (() => void) | undefined
  onEvent(listener: (sessionId: SessionId, event: SessionEvent, origin: SessionSettings['origin']) => void): () => void
}

/** What is used of the store. */
export interface ChatKeeper {
  saveChat(chat: StoredChat): void
  appendSessionEvents(sessionId: SessionId, events: readonly SessionEvent[]): void
  readSessionEvents(sessionId: SessionId): SessionEvent[]
  listChats(): StoredChat[]
  removeChat(sessionId: SessionId): void
  addLatency(latency: TurnLatency): void
  readLatencies(limit: number): TurnLatency[]
}

export interface ChatBook {
  /** Oldest first. */
  list(): ChatEntry[]
  /** Something in the list is another now. */
  onChange(listener: () => void): () => void
  create(settings: SessionSettings): Result<{ sessionId: SessionId }, Problem>
  post(sessionId: SessionId, text: string): Result<{ turnId: TurnId }, Problem>
  cancel(sessionId: SessionId): boolean
  /** Ends what runs in it and forgets it for good. */
  remove(sessionId: SessionId): void
  /** The whole history at once, then each new event; undefined when there is no such session. */
  events(sessionId: SessionId, listener: { onEvent(event: SessionEvent): void; onClosed(): void }): (() => void) | undefined
  /** The newest of all ended turns, chats and sweeps, oldest of them first. */
  latencies(): readonly TurnLatency[]
  onLatency(listener: (latency: TurnLatency) => void): () => void
  close(): void
}

const LATENCIES_SHOWN = 2_000
const TITLE_CHARS = 60

/** A session's name until the model gives it one. */
export function titleFromText(text: string): string {
  const line = text.trim().split('\n', 1)[0] ?? ''
  return line.length <= TITLE_CHARS ? line : `${line.slice(0, TITLE_CHARS - 1).trimEnd()}…`
}

/** What an event changes in the list; undefined when nothing. */
function changedBy(entry: ChatEntry, event: SessionEvent, nowEpochMs: number): ChatEntry | undefined {
  const active = { ...entry, lastActivityEpochMs: nowEpochMs }
  switch (event.type) {
    case 'turn-accepted':
      return { ...active, title: entry.title === '' ? titleFromText(event.text) : entry.title }
    case 'turn-queued':
      return { ...active, status: 'queued', place: event.place }
    case 'turn-started':
      return { ...active, status: 'working', place: null }
    case 'title':
      return { ...active, title: event.title }
    case 'turn-ended':
      return { ...active, status: 'idle', place: null }
    default:
      return undefined
  }
}

export function createChatBook(deps: { runner: ChatRunner; store: ChatKeeper; clock: Clock; log: Log }): ChatBook {
  const { runner, store, clock, log } = deps
  const entries = new Map<SessionId, ChatEntry>()
  const changes = createListeners<undefined>()
  const newLatencies = createListeners<TurnLatency>()
  const latencies = store.readLatencies(LATENCIES_SHOWN)

  const put = (entry: ChatEntry) => {
    entries.set(entry.sessionId, entry)
    const { status: _status, place: _place, ...stored } = entry
    store.saveChat(stored)
    changes.tell(undefined)
  }

  const keepLatency = (latency: TurnLatency) => {
    latencies.push(latency)
    if (latencies.length > LATENCIES_SHOWN) latencies.splice(0, latencies.length - LATENCIES_SHOWN)
    // A sweep's turns are in its events already, and must cost main nothing while it measures.
    if (latency.origin === 'chat') store.addLatency(latency)
    newLatencies.tell(latency)
  }

  let restoring = true
  const stopEvents = runner.onEvent((sessionId, event, origin) => {
    // A turn that Plimsoll's end cut off gets its own end when it is restored; that is no latency of today.
    if (event.type === 'turn-ended' && !restoring) keepLatency(latencyOf(event.timeline, origin, clock.epochMs()))
    const entry = entries.get(sessionId)
    if (origin !== 'chat' || entry === undefined) return
    store.appendSessionEvents(sessionId, [event])
    const changed = changedBy(entry, event, clock.epochMs())
    if (changed !== undefined) put(changed)
  })

  const restore = (chat: StoredChat) => {
    entries.set(chat.sessionId, { ...chat, status: 'idle', place: null })
    const history = store.readSessionEvents(chat.sessionId)
    const restored = runner.restoreSession(chat.sessionId, chat.settings, history)
    if (!restored.ok) log.error(`Chat ${chat.sessionId} can't be opened again: ${restored.error.happened}`)
    const entry = entries.get(chat.sessionId)
    const wasCutOff = history.length > 0 && history.at(-1)?.type !== 'turn-ended'
    if (entry !== undefined && wasCutOff)
      entries.set(chat.sessionId, { ...entry, status: 'interrupted', lastActivityEpochMs: chat.lastActivityEpochMs })
  }
  for (const chat of store.listChats()) restore(chat)
  restoring = false

  return {
    list: () => [...entries.values()],
    onChange: changes.add,
    create(settings) {
      const created = runner.createSession({ ...settings, origin: 'chat' })
      if (!created.ok) return created
      const nowEpochMs = clock.epochMs()
      put({
        sessionId: created.value.sessionId,
        title: '',
        createdEpochMs: nowEpochMs,
        lastActivityEpochMs: nowEpochMs,
        settings: { ...settings, origin: 'chat' },
        status: 'idle',
        place: null,
      })
      return created
    },
    post(sessionId, text) {
      if (!entries.has(sessionId)) return err(noChat(sessionId))
      return runner.postTurn(sessionId, text)
    },
    cancel: (sessionId) => entries.has(sessionId) && runner.cancel(sessionId),
    remove(sessionId) {
      if (!entries.delete(sessionId)) return
      runner.closeSession(sessionId)
      store.removeChat(sessionId)
      changes.tell(undefined)
    },
    events: (sessionId, listener) => (entries.has(sessionId) ? runner.events(sessionId, 0, listener) : undefined),
    latencies: () => latencies,
    onLatency: newLatencies.add,
    close: stopEvents,
  }
}

export function noChat(sessionId: string): Problem {
  return problem('session-missing', `There is no chat session ${sessionId} any more.`, '', 'Open a new one.')
}

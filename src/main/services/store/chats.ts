/** Chat sessions with their events, and the latencies of all ended turns. */
import type { SessionId } from '../../../core/result/ids.ts'
import { type SessionEvent, sessionEventSchema, sessionSettingsSchema } from '../../../core/session/session-event.ts'
import type { StoredChat } from '../../../core/session/stored-chat.ts'
import { type TurnLatency, turnLatencySchema } from '../../../core/session/turn-latency.ts'
import type { Log } from '../../platform/log.ts'
import type { Db } from './database.ts'
import { parseJson } from './sweeps.ts'
import type { WriteBehind } from './write-behind.ts'

/** Latencies kept for the dock; older ones go at the next start. */
const LATENCIES_KEPT = 10_000

export interface ChatStore {
  /** Writes it anew or over what was there. */
  saveChat(chat: StoredChat): void
  appendSessionEvents(sessionId: SessionId, events: readonly SessionEvent[]): void
  readSessionEvents(sessionId: SessionId): SessionEvent[]
  /** Oldest first. */
  listChats(): StoredChat[]
  removeChat(sessionId: SessionId): void
  addLatency(latency: TurnLatency): void
  /** The newest `limit`, oldest of them first. */
  readLatencies(limit: number): TurnLatency[]
}

export function createChatStore({ db, behind, log }: { db: Db; behind: WriteBehind; log: Log }): ChatStore {
  return {
    saveChat({ sessionId, title, createdEpochMs, lastActivityEpochMs, settings }) {
      behind.add(() =>
        db.run(
          'INSERT OR REPLACE INTO chat (session_id, title, created_epoch_ms, last_activity_epoch_ms, settings) VALUES (?, ?, ?, ?, ?)',
          ...[sessionId, title, createdEpochMs, lastActivityEpochMs, JSON.stringify(settings)],
        ),
      )
    },
    appendSessionEvents(sessionId, events) {
      for (const event of events)
        behind.add(() => db.run('INSERT INTO session_event (session_id, json) VALUES (?, ?)', sessionId, JSON.stringify(event)))
    },
    readSessionEvents(sessionId) {
      behind.flush()
      return db.rows('SELECT json FROM session_event WHERE session_id = ? ORDER BY id', sessionId).flatMap(([json]) => {
        const event = sessionEventSchema.safeParse(parseJson(json))
        if (!event.success) log.error(`An event of chat ${sessionId} can't be read and is left out`, event.error)
        return event.data ?? []
      })
    },
    listChats() {
      behind.flush()
      return db
        .rows('SELECT session_id, title, created_epoch_ms, last_activity_epoch_ms, settings FROM chat ORDER BY created_epoch_ms, session_id')
        .flatMap(([id, title, created, lastActivity, json]) => {
          const settings = sessionSettingsSchema.safeParse(parseJson(json))
          if (!settings.success) {
            log.error(`Chat ${String(id)} can't be read and is left out`, settings.error)
            return []
          }
          const times = { createdEpochMs: Number(created), lastActivityEpochMs: Number(lastActivity) }
          return [{ sessionId: String(id) as SessionId, title: String(title), ...times, settings: settings.data }]
        })
    },
    removeChat(sessionId) {
      behind.add(() => {
        db.run('DELETE FROM session_event WHERE session_id = ?', sessionId)
        db.run('DELETE FROM chat WHERE session_id = ?', sessionId)
      })
    },
    addLatency(latency) {
      behind.add(() => db.run('INSERT INTO turn_latency (json) VALUES (?)', JSON.stringify(latency)))
    },
    readLatencies(limit) {
      behind.flush()
      return db
        .rows('SELECT json FROM turn_latency ORDER BY id DESC LIMIT ?', limit)
        .flatMap(([json]) => turnLatencySchema.safeParse(parseJson(json)).data ?? [])
        .reverse()
    },
  }
}

export function trimLatencies(db: Db): void {
  db.run('DELETE FROM turn_latency WHERE id <= (SELECT max(id) FROM turn_latency) - ?', LATENCIES_KEPT)
}

/**
 * One chat session: its settings, its events in order, who listens to them, and its turns that have not ended.
 * Decides nothing: the runner does.
 */
import type { SessionId, TurnId } from '../../../core/result/ids.ts'
import { Conversation, isTitled } from '../../../core/session/conversation.ts'
import type { SessionEvent, SessionSettings } from '../../../core/session/session-event.ts'
import type { Clock } from '../../platform/clock.ts'
import type { HttpOrigin } from '../../platform/http-client.ts'

type WithoutStamps<E> = E extends SessionEvent ? Omit<E, 'seq' | 'atMs' | 'turnId'> : never
export type EventBody = WithoutStamps<SessionEvent>

export interface SessionListener {
  onEvent(event: SessionEvent): void
  /** The session was closed; nothing comes any more. */
  onClosed(): void
}

export class Session {
  readonly id: SessionId
  readonly settings: SessionSettings
  /** Null until a turn has reached it: a built-in server has no address before it is started. */
  server: HttpOrigin | null
  readonly conversation = new Conversation()
  /** Those that have not ended: the first one runs or is next to run, the others wait for it. */
  readonly turns: TurnId[] = []
  titled = false
  closing = false

  readonly #clock: Clock
  readonly #announce: (session: Session, event: SessionEvent) => void
  readonly #events: SessionEvent[] = []
  /** Replaced, never changed, so that a listener may leave while it is told. */
  #listeners: readonly SessionListener[] = []

  constructor(
    deps: { clock: Clock; announce: (session: Session, event: SessionEvent) => void },
    id: SessionId,
    settings: SessionSettings,
    server: HttpOrigin | null,
    history: readonly SessionEvent[],
  ) {
    this.#clock = deps.clock
    this.#announce = deps.announce
    this.id = id
    this.settings = settings
    this.server = server
    this.titled = isTitled(history)
    for (const event of history) {
      this.#events.push(event)
      this.conversation.take(event)
    }
  }

  get lastSeq(): number {
    return this.#events.at(-1)?.seq ?? 0
  }

  emit(turnId: TurnId, body: EventBody, atMs = this.#clock.nowMs()): void {
    this.add({ seq: this.lastSeq + 1, atMs, turnId, ...body } as SessionEvent)
  }

  /** @param event with the next seq */
  add(event: SessionEvent): void {
    this.#events.push(event)
    this.conversation.take(event)
    for (const listener of this.#listeners) listener.onEvent(event)
    this.#announce(this, event)
  }

  /** Gives the events after `afterSeq` at once, then each new one. */
  listen(afterSeq: number, listener: SessionListener): () => void {
    // Seq counts from 1 without gaps, so the index of the next event is `afterSeq` less what a restored history may have begun with.
    const from = Math.max(0, afterSeq - ((this.#events[0]?.seq ?? 1) - 1))
    for (let i = from; i < this.#events.length; i += 1) listener.onEvent(this.#events[i] as SessionEvent)
    this.#listeners = [...this.#listeners, listener]
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener)
    }
  }

  close(): void {
    const listeners = this.#listeners
    this.#listeners = []
    for (const listener of listeners) listener.onClosed()
  }
}

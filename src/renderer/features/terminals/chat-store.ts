/** One chat's transcript, kept up to date from the session's event stream; React hears of it once a frame, however many tokens come. */
import type { SessionId } from '../../../core/result/ids.ts'
import type { NoticeStore } from '../../stores/notice-store.ts'
import type { PageConnection } from '../../stores/page-connection.ts'
import { createStore, type ReadableStore } from '../../stores/store.ts'
import { applyEvents, emptyTranscript, type Transcript } from './chat-transcript.ts'

export type ChatStore = ReadableStore<Transcript> & {
  /** @returns whether it was taken; what was typed is kept when not */
  post(text: string): Promise<boolean>
  stop(): Promise<void>
  close(): void
}

export function createChatStore(connection: PageConnection, notices: NoticeStore, id: string): ChatStore {
  const sessionId = id as SessionId
  const store = createStore<Transcript>(emptyTranscript)
  const stopEvents = connection.live((client) =>
    client.chats.events(
      { sessionId },
      { next: (events) => store.update((now) => applyEvents(now, events)), error: (problem) => notices.fail(problem) },
    ),
  )
  return {
    get: store.get,
    subscribe: store.subscribe,
    async post(text) {
      const answer = await connection.client.chats.post({ sessionId, text })
      if (!answer.ok) notices.fail(answer.error)
      return answer.ok
    },
    async stop() {
      const answer = await connection.client.chats.cancel({ sessionId })
      if (!answer.ok) notices.fail(answer.error)
    },
    close: stopEvents,
  }
}

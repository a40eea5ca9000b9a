/** Chat sessions of the runner, and the latencies of all turns. */
import type { PlimsollContract } from '../../contract/endpoints/index.ts'
import type { Api } from '../../contract/wire/endpoint-types.ts'
import { ok } from '../../core/result/result.ts'
import type { SessionEvent } from '../../core/session/session-event.ts'
import type { App } from '../compose.ts'
import { noChat } from '../composition/chat-book.ts'
import { sendBatches } from './batches.ts'

export function createChatsApi({ chats }: App): Api<PlimsollContract>['chats'] {
  return {
    list(_input, out) {
      void out.next(chats.list())
      return chats.onChange(() => void out.next(chats.list()))
    },
    create: ({ settings }) => chats.create(settings),
    post({ sessionId, text }) {
      const posted = chats.post(sessionId, text)
      return posted.ok ? ok({ turnId: posted.value.turnId }) : posted
    },
    cancel: ({ sessionId }) => ok({ cancelled: chats.cancel(sessionId) }),
    close({ sessionId }) {
      chats.remove(sessionId)
      return ok({})
    },
    events({ sessionId }, out) {
      // The history comes at once and is gathered; what comes later is sent as it comes.
      const history: SessionEvent[] = []
      let live = false
      const stop = chats.events(sessionId, {
        onEvent(event) {
          if (live) void out.next([event])
          else history.push(event)
        },
        onClosed: () => out.end(),
      })
      live = true
      if (stop === undefined) out.fail(noChat(sessionId))
      else sendBatches(out, history)
      return stop ?? (() => {})
    },
    latencies(_input, out) {
      void out.next([...chats.latencies()])
      return chats.onLatency((latency) => void out.next([latency]))
    },
  }
}

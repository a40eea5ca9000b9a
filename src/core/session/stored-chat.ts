/** What is kept of a chat session beside its events. Whether it waits or works is not kept: only the runner knows that. */
import type { SessionId } from '../result/ids.ts'
import type { SessionSettings } from './session-event.ts'

export type StoredChat = {
  readonly sessionId: SessionId
  readonly title: string
  readonly createdEpochMs: number
  readonly lastActivityEpochMs: number
  readonly settings: SessionSettings
}

/** What a call to a model server takes and gives, whichever wire it travels on. */
import type { Message, Tool, ToolCall } from 'ollama'
import type { CallPurpose, ModelCall } from '../../../core/session/timeline.ts'
import type { HttpOrigin } from '../../platform/http-client.ts'

export type DeltaChannel = 'thinking' | 'text' | 'tool-call'

export interface ModelCallRequest {
  readonly index: number
  readonly purpose: CallPurpose
  readonly origin: HttpOrigin
  readonly model: string
  readonly messages: Message[]
  /** Empty = none offered. */
  readonly tools: Tool[]
  /** False is sent to models that could think; undefined leaves it to the model. */
  readonly think: boolean | undefined
  readonly options: Readonly<Record<string, number | string | boolean>>
}

export interface ModelCallListener {
  onSent(atMs: number): void
  /** Never with an empty text; `atMs` is the moment of the read that brought it. */
  onDelta(channel: DeltaChannel, text: string, atMs: number): void
}

export interface ModelCallResult {
  readonly call: ModelCall
  readonly text: string
  readonly thinking: string
  readonly toolCalls: readonly ToolCall[]
}

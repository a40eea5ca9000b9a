/** For tests of engines: submits a call and writes down what comes back, with the moments of the clock. */
import type { ToolCall } from '../src/core/ollama/requests.ts'
import type { CallEnd, CallFailure, CallSink, Channel, Engine, ModelCall } from '../src/main/model-host/engine.ts'
import type { Clock } from '../src/main/platform/clock.ts'

export interface RecordedCall {
  slotAtMs: number | undefined
  readonly tokensAtMs: number[]
  readonly texts: { text: string; channel: Channel }[]
  readonly toolCalls: ToolCall[]
  readonly ends: CallEnd[]
  readonly failures: CallFailure[]
  endedAtMs: number | undefined
  cut: boolean
  reset: boolean
  /** Tells the engine that the client has gone. */
  abort(): void
}

let lastId = 0

export function recordedCall(engine: Engine, clock: Clock, part: Partial<ModelCall> = {}, how: 'submit' | 'load' = 'submit'): RecordedCall {
  const card = part.card ?? engine.cards()[0]
  if (card === undefined) throw new Error('The engine has no model.')
  lastId += 1
  const recorded: RecordedCall = {
    slotAtMs: undefined,
    tokensAtMs: [],
    texts: [],
    toolCalls: [],
    ends: [],
    failures: [],
    endedAtMs: undefined,
    cut: false,
    reset: false,
    abort: () => {},
  }
  const over = () => {
    recorded.endedAtMs = clock.nowMs()
  }
  const sink: CallSink = {
    slotAcquired: (atMs) => {
      recorded.slotAtMs = atMs
    },
    token(text, channel) {
      recorded.tokensAtMs.push(clock.nowMs())
      recorded.texts.push({ text, channel })
    },
    toolCalls: (calls) => recorded.toolCalls.push(...calls),
    end(end) {
      recorded.ends.push(end)
      over()
    },
    fail(failure) {
      recorded.failures.push(failure)
      over()
    },
    cut() {
      recorded.cut = true
      over()
    },
    reset() {
      recorded.reset = true
      over()
    },
  }
  const call: ModelCall = {
    id: lastId,
    arrivalMs: clock.nowMs(),
    card,
    messages: [{ role: 'user', content: `question ${lastId}`, toolCalls: [] }],
    tools: [],
    think: card.capabilities.includes('thinking'),
    embed: false,
    format: undefined,
    options: {},
    keepAliveMs: undefined,
    reusedSocket: false,
    ...part,
  }
  recorded.abort = engine[how](call, sink)
  return recorded
}

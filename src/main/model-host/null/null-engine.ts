/**
 * The control: no model, no thought, tokens at a fixed pace whatever the load, so that what a client sees beyond it is the client's own doing.
 * All streams share one alarm; first tokens are met within some hundredths of a millisecond, later ones to the nearest millisecond without drift.
 */
import type { Clock } from '../../platform/clock.ts'
import { createAlarm } from '../alarm.ts'
import { type CallSink, type Engine, type ModelCall, type ModelCard, PLAIN_DELIVERY } from '../engine.ts'
import { estimateTokens } from '../estimate-tokens.ts'
import { DueQueue } from './due-queue.ts'
import type { NullSettings } from './null-settings.ts'

interface Stream {
  readonly call: ModelCall
  readonly sink: CallSink
  readonly tokens: number
  readonly promptTokens: number
  startMs: number
  firstMs: number
  sent: number
  dueMs: number
}

/** Tokens after the first may be this early, so that the coarse timer errs to both sides alike. */
const EARLY_MS = 0.5

export interface NullEngineDeps {
  readonly settings: NullSettings
  /** null: no limit. */
  readonly slots: number | null
  readonly clock: Clock
  readonly nextTurn?: (callback: () => void) => void
}

export function createNullEngine({ settings, slots, clock, nextTurn }: NullEngineDeps): Engine {
  const cards = settings.models.map(nullCard)
  const intervalMs = settings.tokensPerSec === 0 ? 0 : 1000 / settings.tokensPerSec
  const waiting: Stream[] = []
  /** Kept apart: only first tokens are worth the cost of precise waiting. */
  const firsts = new DueQueue<Stream>()
  const nexts = new DueQueue<Stream>()
  let active = 0

  const admit = (stream: Stream, nowMs: number) => {
    active += 1
    stream.startMs = nowMs
    stream.sink.slotAcquired(nowMs)
    stream.dueMs = nowMs + settings.prefillMs
    firsts.add(stream)
  }
  const release = () => {
    active -= 1
    const next = waiting.shift()
    if (next !== undefined) admit(next, clock.nowMs())
  }
  const send = (stream: Stream) => {
    stream.sent += 1
    stream.sink.token(settings.text, 'content')
  }
  const finish = (stream: Stream, nowMs: number) => {
    const { call, sink, startMs, firstMs, tokens, promptTokens } = stream
    sink.end({
      reason: call.options.num_predict === tokens ? 'length' : 'stop',
      totalMs: nowMs - call.arrivalMs,
      loadMs: 0,
      promptTokens,
      promptEvalMs: firstMs - startMs,
      answerTokens: tokens,
      evalMs: nowMs - firstMs,
    })
    release()
  }

  const sendFirsts = (nowMs: number) => {
    for (let stream = firsts.peek(); stream !== undefined && stream.dueMs <= nowMs; stream = firsts.peek()) {
      firsts.take()
      // The pace counts from the planned moment, so that a late turn of the loop is made up for.
      stream.firstMs = stream.dueMs
      send(stream)
      while (intervalMs === 0 && stream.sent < stream.tokens) send(stream)
      if (stream.sent >= stream.tokens) {
        finish(stream, nowMs)
      } else {
        stream.dueMs = stream.firstMs + intervalMs
        nexts.add(stream)
      }
    }
  }
  const sendNexts = (nowMs: number) => {
    for (let stream = nexts.peek(); stream !== undefined && stream.dueMs <= nowMs + EARLY_MS; stream = nexts.peek()) {
      send(stream)
      if (stream.sent >= stream.tokens) {
        nexts.take()
        finish(stream, stream.firstMs + (stream.tokens - 1) * intervalMs)
      } else {
        stream.dueMs = stream.firstMs + stream.sent * intervalMs
        nexts.firstMoved()
      }
      if (firsts.peek() !== undefined && clock.nowMs() >= (firsts.peek()?.dueMs ?? 0)) sendFirsts(clock.nowMs())
    }
  }
  const alarm = createAlarm({ clock, nextTurn }, (nowMs) => {
    sendFirsts(nowMs)
    sendNexts(nowMs)
    rearm()
  })
  const rearm = () => {
    const firstDueMs = firsts.peek()?.dueMs ?? Number.POSITIVE_INFINITY
    const nextDueMs = nexts.peek()?.dueMs ?? Number.POSITIVE_INFINITY
    if (firstDueMs <= nextDueMs) alarm.set(firstDueMs, true)
    else alarm.set(nextDueMs, false)
  }

  return {
    kind: 'null',
    simulated: true,
    slots,
    settings,
    delivery: { ...PLAIN_DELIVERY, createdAtStepMs: 1_000 },
    cards: () => cards,
    loaded: () => cards.map((card) => ({ card, contextTokens: card.contextTokens, sizeBytes: 0, expiresEpochMs: Number.POSITIVE_INFINITY })),
    submit(call, sink) {
      const limit = call.options.num_predict
      const tokens = limit !== undefined && limit > 0 ? Math.min(limit, settings.answerTokens) : settings.answerTokens
      const promptTokens = estimateTokens(call.messages)
      const stream: Stream = { call, sink, tokens, promptTokens, startMs: 0, firstMs: 0, sent: 0, dueMs: 0 }
      if (slots !== null && active >= slots) waiting.push(stream)
      else admit(stream, call.arrivalMs)
      if (settings.prefillMs === 0) sendFirsts(clock.nowMs())
      rearm()
      return () => {
        const queuedAt = waiting.indexOf(stream)
        if (queuedAt !== -1) {
          waiting.splice(queuedAt, 1)
          return
        }
        firsts.remove(stream)
        nexts.remove(stream)
        release()
        rearm()
      }
    },
    load(call, sink) {
      const reason = call.keepAliveMs === 0 ? 'unload' : 'load'
      sink.end({ reason, totalMs: 0, loadMs: 0, promptTokens: 0, promptEvalMs: 0, answerTokens: 0, evalMs: 0 })
      return () => {}
    },
    stop: async () => alarm.stop(),
  }
}

function nullCard(name: string): ModelCard {
  return {
    name,
    sizeBytes: 0,
    details: {
      parent_model: '',
      format: 'none',
      family: 'plimsoll-null',
      families: ['plimsoll-null'],
      parameter_size: '0 (simulated)',
      quantization_level: 'none',
    },
    capabilities: ['completion'],
    template: '',
    modelInfo: { 'general.architecture': 'plimsoll-null', 'plimsoll.simulated': true },
    contextTokens: 4096,
    embeds: false,
  }
}

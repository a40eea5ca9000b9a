/** Plays the simulation in real time: calls in, events out through their sinks, one alarm for the next event. */
import { SERVER_BUSY_TEXT } from '../../../core/ollama/documents.ts'
import type { Clock } from '../../platform/clock.ts'
import { createAlarm } from '../alarm.ts'
import type { CallSink, Engine, ModelCall, ModelCard } from '../engine.ts'
import { type CallFate, drawFate, promptPrefix, promptText } from './call-fate.ts'
import { createRefusals } from './refusals.ts'
import { Simulation, type SimulationEvent } from './simulation.ts'
import { placementOf, type SimulationSettings } from './simulation-settings.ts'

interface Call {
  readonly call: ModelCall
  readonly sink: CallSink
  /** undefined: the call only loads. */
  readonly fate: CallFate | undefined
}

export interface SimulatedEngineDeps {
  readonly settings: SimulationSettings
  readonly slots: number
  readonly clock: Clock
  readonly nextTurn?: (callback: () => void) => void
}

/** As llama-server says it. */
const POOL_FULL_TEXT = 'Context size has been exceeded.'

/** Prompts remembered for lots and caches. */
const REMEMBER_PROMPTS = 10_000

export function createSimulatedEngine({ settings, slots, clock, nextTurn }: SimulatedEngineDeps): Engine {
  const cards = settings.models.map((name) => simulatedCard(name, settings))
  const calls = new Map<number, Call>()
  const occurrences = new Map<string, number>()
  const prefixes = new Set<string>()
  const rules = {
    slots,
    pendingCap: settings.pendingCap,
    maxLoadedModels: settings.maxLoadedModels,
    warmBypass: settings.warmBypass,
  }
  const refusals = createRefusals(settings)
  const simulation = new Simulation(settings, rules, clock.nowMs(), (event) => tell(event))

  const tell = (event: SimulationEvent) => {
    const known = calls.get(event.id)
    if (known === undefined) return
    const { call, sink, fate } = known
    switch (event.kind) {
      case 'granted':
        sink.slotAcquired(event.atMs)
        break
      case 'token':
        // A tool call arrives whole: its tokens take time, but are not seen.
        if (fate !== undefined && (fate.toolCalls.length === 0 || event.index < fate.thinkingTokens)) {
          const { text, channel } = fate.word(event.index)
          sink.token(text, channel)
        }
        break
      case 'refused':
        calls.delete(event.id)
        sink.fail({ status: 503, message: SERVER_BUSY_TEXT })
        break
      case 'overflowed':
        calls.delete(event.id)
        sink.fail({ status: 500, message: POOL_FULL_TEXT })
        break
      case 'ended':
        calls.delete(event.id)
        endCall(call, sink, fate, event)
        break
    }
  }
  const endCall = (call: ModelCall, sink: CallSink, fate: CallFate | undefined, { durations }: Extract<SimulationEvent, { kind: 'ended' }>) => {
    if (fate === undefined) {
      const reason = call.keepAliveMs === 0 ? 'unload' : 'load'
      sink.end({ reason, ...durations, promptTokens: 0, answerTokens: 0 })
    } else if (fate.ends === 'error') {
      sink.fail({ status: 500, message: settings.errorText })
    } else {
      if (fate.toolCalls.length > 0) sink.toolCalls(fate.toolCalls, { inFinalLine: settings.toolCallInDoneLine })
      if (fate.ends === 'cut') sink.cut()
      else sink.end({ reason: fate.ends, ...durations, promptTokens: fate.promptTokens, answerTokens: fate.tokens })
    }
  }

  const firstCard = cards[0]
  if (settings.startLoaded && firstCard !== undefined) simulation.preload(firstCard.name, settings.contextTokens, settings.keepAliveMs)

  const alarm = createAlarm({ clock, nextTurn }, (nowMs) => {
    simulation.advanceTo(nowMs)
    rearm()
  })
  const rearm = () => alarm.set(simulation.nextMs(), false)

  /** What the evaluation of this prompt costs, after the prefix cache. */
  const evaluatedTokens = (call: ModelCall, promptTokens: number): number => {
    if (settings.prefixCachedRatio === 0) return promptTokens
    const prefix = promptPrefix(call)
    const known = prefixes.has(prefix)
    if (prefixes.size > REMEMBER_PROMPTS) prefixes.clear()
    prefixes.add(prefix)
    return known ? promptTokens * (1 - settings.prefixCachedRatio) : promptTokens
  }
  const nextOccurrence = (call: ModelCall): number => {
    const text = promptText(call)
    const seen = occurrences.get(text) ?? 0
    if (occurrences.size > REMEMBER_PROMPTS) occurrences.clear()
    occurrences.set(text, seen + 1)
    return seen
  }
  const enter = (call: ModelCall, sink: CallSink, fate: CallFate | undefined) => {
    calls.set(call.id, { call, sink, fate })
    simulation.submit(
      {
        id: call.id,
        model: call.card.name,
        contextTokens: call.options.num_ctx ?? settings.contextTokens,
        keepAliveMs: call.keepAliveMs ?? settings.keepAliveMs,
        slotless: fate === undefined,
        promptTokens: fate === undefined ? 0 : evaluatedTokens(call, fate.promptTokens),
        contextUse: fate?.promptTokens ?? 0,
        tokens: fate?.tokens ?? 0,
      },
      call.arrivalMs,
      clock.nowMs(),
    )
    rearm()
    return () => {
      calls.delete(call.id)
      simulation.abort(call.id, clock.nowMs())
      rearm()
    }
  }

  return {
    kind: 'simulated',
    simulated: true,
    slots,
    settings,
    delivery: {
      chunksPerWrite: settings.chunksPerWrite,
      bufferMs: settings.bufferMs,
      headersAtOnce: settings.headersAtOnce,
      pingEveryMs: settings.pingEveryMs,
      createdAtStepMs: 1,
      llamaServerStyle: settings.llamaServerStyle,
    },
    cards: () => cards,
    loaded: () =>
      simulation.loadedRunners(clock.nowMs()).flatMap(({ model, contextTokens, expiresMs }) => {
        const card = cards.find((known) => known.name === model)
        const expiresEpochMs = clock.epochMs() + expiresMs - clock.nowMs()
        if (card === undefined) return []
        const { sizeBytes, vramBytes } = placementOf(settings, contextTokens, slots)
        return [{ card, contextTokens, sizeBytes, vramBytes, expiresEpochMs }]
      }),
    submit(call, sink) {
      const fate = drawFate(call, settings, nextOccurrence(call))
      if (fate.reset) {
        sink.reset()
        return () => {}
      }
      const refusal = refusals.refusalOf({ atMs: call.arrivalMs, epochMs: clock.epochMs(), inHouse: calls.size, overloaded: fate.overloaded })
      if (refusal !== undefined) {
        sink.fail(refusal)
      } else if (fate.busy) {
        sink.fail({ status: 503, message: SERVER_BUSY_TEXT })
      } else {
        return enter(call, sink, fate)
      }
      return () => {}
    },
    load(call, sink) {
      if (call.keepAliveMs !== 0) return enter(call, sink, undefined)
      simulation.unload(call.card.name, clock.nowMs())
      rearm()
      sink.end({ reason: 'unload', totalMs: 0, loadMs: 0, promptTokens: 0, promptEvalMs: 0, answerTokens: 0, evalMs: 0 })
      return () => {}
    },
    stop: async () => alarm.stop(),
  }
}

function simulatedCard(name: string, settings: SimulationSettings): ModelCard {
  return {
    name,
    sizeBytes: settings.modelBytes,
    details: {
      parent_model: '',
      format: 'simulated',
      family: 'plimsoll-simulated',
      families: ['plimsoll-simulated'],
      parameter_size: 'simulated',
      quantization_level: 'simulated',
    },
    capabilities: ['completion', ...(settings.tools ? ['tools'] : []), ...(settings.thinkingTokens > 0 ? ['thinking'] : [])],
    template: settings.tools ? 'simulated {{ .Tools }}' : 'simulated',
    modelInfo: {
      'general.architecture': 'plimsoll-simulated',
      'general.parameter_count': 0,
      'plimsoll-simulated.context_length': 131_072,
      'plimsoll.simulated': true,
    },
    contextTokens: settings.contextTokens,
    embeds: true,
  }
}

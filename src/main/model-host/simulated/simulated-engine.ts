/** Plays the simulation in real time: calls in, events out through their sinks, one alarm for the next event. */
import { SERVER_BUSY_TEXT } from '../../../core/ollama/documents.ts'
import type { Clock } from '../../platform/clock.ts'
import { createAlarm } from '../alarm.ts'
import type { CallSink, Engine, ModelCall, ModelCard } from '../engine.ts'
import { type CallFate, drawFate, promptPrefix, promptText } from './call-fate.ts'
import { CONTEXT_EXCEEDED, createRefusals } from './refusals.ts'
import { Simulation, type SimulationEvent } from './simulation.ts'
import type { SimulationSettings } from './simulation-settings.ts'

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
  const simulation = new Simulation(settings, rules, clock.nowMs(), (event) => tell(event))

  const tell = (event: SimulationEvent) => {
    const known = calls.get(event.id)
    if (known === undefined) return
    const { call, sink, fate } = known
    switch (event.kind) {
      case 'granted':
        sink.slotAcquired(event.atMs)
        takeContext(event.id)
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
      case 'ended':
        calls.delete(event.id)
        held.delete(event.id)
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

  /** Tokens of context that each call in a slot has taken out of the common pool. */
  const held = new Map<number, number>()
  const takeContext = (id: number) => {
    const known = calls.get(id)
    if (settings.contextPoolTokens === 0 || known?.fate === undefined) return
    const wanted = known.fate.promptTokens + known.fate.tokens
    let taken = 0
    for (const tokens of held.values()) taken += tokens
    if (taken + wanted <= settings.contextPoolTokens) {
      held.set(id, wanted)
      return
    }
    calls.delete(id)
    // Not within the step that granted it: the simulation is in the middle of it.
    setImmediate(() => {
      simulation.abort(id, clock.nowMs())
      rearm()
    })
    known.sink.fail({ status: 500, message: CONTEXT_EXCEEDED })
  }
  const refusals = createRefusals(settings)

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
        tokens: fate?.tokens ?? 0,
      },
      call.arrivalMs,
      clock.nowMs(),
    )
    rearm()
    return () => {
      calls.delete(call.id)
      held.delete(call.id)
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
        return card === undefined
          ? []
          : [
              {
                card,
                contextTokens,
                sizeBytes: card.sizeBytes,
                vramBytes: Math.round(card.sizeBytes * settings.vramRatio),
                expiresEpochMs,
              },
            ]
      }),
    submit(call, sink) {
      const fate = drawFate(call, settings, nextOccurrence(call))
      if (fate.reset) {
        sink.reset()
      } else if (refusals.refuses(calls.size, call.arrivalMs)) {
        sink.fail(refusals.failure)
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
    sizeBytes: 1_000_000_000,
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

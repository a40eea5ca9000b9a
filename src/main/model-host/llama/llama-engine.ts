/**
 * Real inference by llama.cpp: one context, `slots` sequences evaluated in common batches (continuous batching), first come first served.
 * Loads, swaps of context size and keep-alive follow the same admission as the simulated server, only that here they take what they take.
 */
import type { Token } from 'node-llama-cpp'
import { SERVER_BUSY_TEXT } from '../../../core/ollama/documents.ts'
import type { Clock } from '../../platform/clock.ts'
import { Admission } from '../admission.ts'
import { createAlarm } from '../alarm.ts'
import { type CallSink, type Engine, type ModelCall, PLAIN_DELIVERY } from '../engine.ts'
import { forcedToolCalls } from '../forced-tool-call.ts'
import { hashText, seededRandom } from '../seeded-random.ts'
import type { LlamaContextHandle, LlamaFile, LlamaSlot } from './llama-model.ts'
import type { LlamaSettings } from './llama-settings.ts'

interface Running {
  readonly call: ModelCall
  readonly sink: CallSink
  readonly slotless: boolean
  loadMs: number
  aborted: boolean
}

export interface LlamaEngineDeps {
  readonly file: LlamaFile
  readonly settings: LlamaSettings
  readonly slots: number
  readonly clock: Clock
}

/** Ollama's default sampling. */
const DEFAULTS = { temperature: 0.8, topK: 40, topP: 0.9 }
/** Pieces of one character that are still missing are waited for, up to so many tokens. */
const PARTIAL_TOKENS = 4
/** Tokens before that the spelling of the next may depend on. */
const SPELLING_TOKENS = 4

export function createLlamaEngine({ file, settings, slots, clock }: LlamaEngineDeps): Engine {
  const { card } = file
  const calls = new Map<number, Running>()
  let context: LlamaContextHandle | undefined
  let free: LlamaSlot[] = []
  /** Loads and unloads one after the other: a context goes before the next one comes. */
  let loading: Promise<void> = Promise.resolve()
  let stopped = false

  const admission = new Admission(
    { slots, pendingCap: settings.pendingCap, maxLoadedModels: 1, warmBypass: settings.warmBypass },
    {
      load: (model, contextTokens) => {
        loading = loading.then(() => load(model, contextTokens))
      },
      unload: () => {
        const gone = context
        context = undefined
        free = []
        loading = loading.then(() => gone?.dispose())
      },
      handOver: (id) => {
        const running = calls.get(id)
        if (running === undefined) return
        running.loadMs = clock.nowMs() - running.call.arrivalMs
        if (running.slotless) finishLoad(running)
      },
      grant: (id) => {
        const running = calls.get(id)
        const slot = free.pop()
        if (running !== undefined && slot !== undefined) void run(running, slot)
      },
      refuse: (id) => failCall(id, 503, SERVER_BUSY_TEXT),
      fail: (id, reason) => failCall(id, 500, reason),
    },
  )
  const load = async (model: string, contextTokens: number) => {
    if (stopped) return
    try {
      context = await file.createContext(contextTokens, slots)
      free = [...context.slots]
      admission.loaded(model, clock.nowMs())
    } catch (cause) {
      admission.loadFailed(
        model,
        `llama.cpp could not make a context of ${contextTokens} tokens: ${cause instanceof Error ? cause.message : cause}`,
        clock.nowMs(),
      )
    }
    rearm()
  }
  const alarm = createAlarm({ clock }, (nowMs) => {
    admission.expire(nowMs)
    rearm()
  })
  const rearm = () => alarm.set(admission.nextExpiryMs(), false)

  const failCall = (id: number, status: number, message: string) => {
    const running = calls.get(id)
    calls.delete(id)
    running?.sink.fail({ status, message })
  }
  const finishLoad = ({ call, sink, loadMs }: Running) => {
    calls.delete(call.id)
    sink.end({ reason: 'load', totalMs: loadMs, loadMs, promptTokens: 0, promptEvalMs: 0, answerTokens: 0, evalMs: 0 })
  }

  const run = async (running: Running, slot: LlamaSlot) => {
    const { call, sink } = running
    sink.slotAcquired(clock.nowMs())
    try {
      await answer(running, slot)
    } catch (cause) {
      if (!running.aborted)
        sink.fail({ status: 500, message: `an error was encountered while running the model: ${cause instanceof Error ? cause.message : cause}` })
    }
    calls.delete(call.id)
    if (stopped) return
    free.push(slot)
    admission.release(call.id, clock.nowMs())
    rearm()
  }

  const answer = async (running: Running, slot: LlamaSlot) => {
    const { call, sink, loadMs } = running
    const startMs = clock.nowMs()
    const contextTokens = context?.contextTokens ?? settings.contextTokens
    const random = seededRandom(call.options.seed ?? settings.seed ^ hashText(call.messages.at(-1)?.content ?? ''))
    const toolCalls = forcedToolCalls(call, settings, random)
    const prompt = fitPrompt(file.tokenizeChat(call.messages), contextTokens)
    const asked = call.options.num_predict ?? settings.answerTokens
    const wanted = toolCalls.length > 0 ? settings.toolCallTokens : asked > 0 ? asked : settings.answerTokens
    const limit = Math.max(1, Math.min(wanted, contextTokens - prompt.length))
    const speller = createSpeller(file)
    let tokens = 0
    let firstMs = startMs
    const options = {
      temperature: call.options.temperature ?? DEFAULTS.temperature,
      topK: call.options.top_k ?? DEFAULTS.topK,
      topP: call.options.top_p ?? DEFAULTS.topP,
      seed: Math.floor(random.next() * 2 ** 31),
    }
    for await (const token of slot.generate(prompt, options)) {
      if (running.aborted || stopped) return
      if (tokens === 0) firstMs = clock.nowMs()
      tokens += 1
      const text = toolCalls.length > 0 ? '' : speller.add(token, tokens >= limit)
      if (text !== '') sink.token(text, 'content')
      if (tokens >= limit) break
    }
    if (running.aborted || stopped) return
    if (toolCalls.length > 0) sink.toolCalls(toolCalls)
    const endMs = clock.nowMs()
    sink.end({
      reason: tokens >= limit && toolCalls.length === 0 ? 'length' : 'stop',
      totalMs: endMs - call.arrivalMs,
      loadMs,
      promptTokens: prompt.length,
      promptEvalMs: firstMs - startMs,
      answerTokens: tokens,
      evalMs: endMs - firstMs,
    })
  }

  const enter = (call: ModelCall, sink: CallSink, slotless: boolean) => {
    const running: Running = { call, sink, slotless, loadMs: 0, aborted: false }
    calls.set(call.id, running)
    const contextTokens = Math.min(
      call.options.num_ctx ?? card.contextTokens,
      Number(card.modelInfo[`${card.details.family}.context_length`] ?? card.contextTokens),
    )
    const keepAliveMs = call.keepAliveMs ?? settings.keepAliveMs
    admission.submit({ id: call.id, model: card.name, contextTokens, keepAliveMs, slotless }, clock.nowMs())
    rearm()
    return () => {
      running.aborted = true
      // A running one leaves its slot when the current step is done.
      if (admission.withdraw(call.id, clock.nowMs())) calls.delete(call.id)
    }
  }

  return {
    kind: 'llama',
    simulated: false,
    slots,
    settings,
    delivery: PLAIN_DELIVERY,
    cards: () => [card],
    loaded: () =>
      admission.loadedRunners(clock.nowMs()).map(({ contextTokens, expiresMs }) => ({
        card,
        contextTokens,
        sizeBytes: card.sizeBytes,
        expiresEpochMs: clock.epochMs() + expiresMs - clock.nowMs(),
      })),
    submit: (call, sink) => enter(call, sink, false),
    load(call, sink) {
      if (call.keepAliveMs !== 0) return enter(call, sink, true)
      admission.unloadWhenIdle(call.card.name, clock.nowMs())
      sink.end({ reason: 'unload', totalMs: 0, loadMs: 0, promptTokens: 0, promptEvalMs: 0, answerTokens: 0, evalMs: 0 })
      return () => {}
    },
    async stop() {
      stopped = true
      alarm.stop()
      await loading
      await file.dispose()
    },
  }
}

/** A prompt longer than the context loses its beginning, as with Ollama; a quarter of the context is left for the answer. */
function fitPrompt(prompt: Token[], contextTokens: number): Token[] {
  const room = contextTokens - Math.floor(contextTokens / 4)
  return prompt.length <= room ? prompt : prompt.slice(prompt.length - room)
}

/** Tokens to text, holding back a character until all its tokens are there. */
function createSpeller(file: LlamaFile) {
  let before: Token[] = []
  let held: Token[] = []
  return {
    add(token: Token, isLast: boolean): string {
      held.push(token)
      const text = file.text(held, before)
      if (text.endsWith('\ufffd') && held.length < PARTIAL_TOKENS && !isLast) return ''
      before = [...before, ...held].slice(-SPELLING_TOKENS)
      held = []
      return text
    },
  }
}

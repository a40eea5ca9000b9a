/**
 * The simulated server's truth: slots, prompts, tokens and loads as events in time. Pure: it is told the moment and says what happened up to then,
 * so a test turns its hours in milliseconds, and in the server it needs one timer. Times are exact, whenever it is asked.
 *
 * A granted call: prefill → (silence) → token … (gap) … token → ended; an abort: → held → slot free. At a gap it may have to queue again.
 */
import { Admission, type AdmissionRules, type LoadedRunner } from '../admission.ts'
import { driftFactor, placementOf, type SimulationSettings, tokenMs } from './simulation-settings.ts'

export interface SimulatedCall {
  readonly id: number
  readonly model: string
  readonly contextTokens: number
  readonly keepAliveMs: number
  readonly slotless: boolean
  /** To be evaluated: what a cache holds is already taken off. */
  readonly promptTokens: number
  /** The whole prompt, as it lies in the pool of context. */
  readonly contextUse: number
  /** Of any channel; 0: ends when the prompt is done. */
  readonly tokens: number
}

export interface SimulatedDurations {
  readonly totalMs: number
  readonly loadMs: number
  readonly promptEvalMs: number
  readonly evalMs: number
}

export type SimulationEvent =
  | { readonly kind: 'refused'; readonly id: number; readonly atMs: number }
  | { readonly kind: 'granted'; readonly id: number; readonly atMs: number }
  /** No room in the pool of context beside the others. */
  | { readonly kind: 'overflowed'; readonly id: number; readonly atMs: number }
  /** `index` counts from 0. */
  | { readonly kind: 'token'; readonly id: number; readonly atMs: number; readonly index: number }
  | { readonly kind: 'ended'; readonly id: number; readonly atMs: number; readonly durations: SimulatedDurations }

type Phase = 'prefill' | 'silence' | 'decode' | 'gap' | 'held' | 'overflow'

interface Running {
  readonly call: SimulatedCall
  readonly arrivalMs: number
  loadMs: number
  phase: Phase
  /** What the phase still takes at rate 1: milliseconds, in decode tokens. */
  left: number
  rate: number
  emitted: number
  /** Time in which this prompt, and not a neighbour's, was evaluated. */
  promptMs: number
  firstTokenMs: number
}

/** Rounding: what is nearer than this to done is done. Wider than a step of a double that counts the milliseconds of a month since the start. */
const DONE = 1e-6

export class Simulation {
  readonly #settings: SimulationSettings
  readonly #slots: number
  readonly #emit: (event: SimulationEvent) => void
  readonly #admission: Admission
  /** Everyone in the house, waiting or not. */
  readonly #calls = new Map<number, Running>()
  /** In slots, in the order of their grants. */
  readonly #running: Running[] = []
  /** Moments in here count from this one, so that rounding stays small on a machine that has been up for years. */
  readonly #startMs: number
  #nowMs = 0
  #firstCallMs: number | undefined
  #loading: { readonly model: string; readonly doneMs: number } | undefined

  constructor(settings: SimulationSettings, rules: AdmissionRules, startMs: number, emit: (event: SimulationEvent) => void) {
    this.#settings = settings
    this.#slots = rules.slots
    this.#startMs = startMs
    this.#emit = emit
    this.#admission = new Admission(rules, {
      load: (model) => this.#load(model),
      unload: () => {},
      handOver: (id) => this.#handOver(id),
      grant: (id) => this.#grant(id),
      refuse: (id) => this.#leave(id, { kind: 'refused', id, atMs: this.#at() }),
      fail: () => {},
    })
  }

  get inHouse(): number {
    return this.#calls.size
  }

  loadedRunners(nowMs: number): LoadedRunner[] {
    this.advanceTo(nowMs)
    return this.#admission.loadedRunners(this.#nowMs).map((runner) => ({ ...runner, expiresMs: this.#startMs + runner.expiresMs }))
  }

  /** Puts a model in place without a load. */
  preload(model: string, contextTokens: number, keepAliveMs: number): void {
    const id = -1
    this.#calls.set(
      id,
      this.#newCall({ id, model, contextTokens, keepAliveMs, slotless: true, promptTokens: 0, contextUse: 0, tokens: 0 }, this.#nowMs),
    )
    this.#admission.submit({ id, model, contextTokens, keepAliveMs, slotless: true }, this.#nowMs)
    this.#finishLoad()
  }

  /** @param arrivalMs when the request came in, not after `nowMs` */
  submit(call: SimulatedCall, arrivalMs: number, nowMs: number): void {
    this.advanceTo(nowMs)
    this.#firstCallMs ??= this.#nowMs
    this.#calls.set(call.id, this.#newCall(call, arrivalMs - this.#startMs))
    this.#admission.submit(call, this.#nowMs)
    this.#setRates()
  }

  /** Harmless for a call that is over. */
  abort(id: number, nowMs: number): void {
    this.advanceTo(nowMs)
    const running = this.#calls.get(id)
    if (running === undefined) return
    this.#calls.delete(id)
    if (this.#admission.withdraw(id, this.#nowMs)) return
    if (this.#settings.holdAfterAbortMs > 0) {
      running.phase = 'held'
      running.left = this.#settings.holdAfterAbortMs
    } else {
      this.#freeSlot(running)
    }
    this.#setRates()
  }

  unload(model: string, nowMs: number): void {
    this.advanceTo(nowMs)
    this.#admission.unloadWhenIdle(model, this.#nowMs)
  }

  /** Infinity: nothing will happen by itself. */
  nextMs(): number {
    return this.#startMs + this.#next()
  }

  advanceTo(nowMs: number): void {
    const toMs = nowMs - this.#startMs
    for (let next = this.#next(); next <= toMs + DONE; next = this.#next()) this.#step(next)
    this.#elapse(toMs)
  }

  #at(): number {
    return this.#startMs + this.#nowMs
  }

  #next(): number {
    let next = Math.min(this.#loading?.doneMs ?? Number.POSITIVE_INFINITY, this.#admission.nextExpiryMs())
    for (const { left, rate } of this.#running) if (rate > 0) next = Math.min(next, this.#nowMs + Math.max(0, left / rate))
    return next
  }

  #newCall(call: SimulatedCall, arrivalMs: number): Running {
    return { call, arrivalMs, loadMs: 0, phase: 'prefill', left: 0, rate: 0, emitted: 0, promptMs: 0, firstTokenMs: 0 }
  }

  #step(atMs: number): void {
    this.#elapse(atMs)
    if (this.#loading !== undefined && this.#loading.doneMs <= atMs) this.#finishLoad()
    this.#admission.expire(atMs)
    for (const running of [...this.#running]) if (running.rate > 0 && running.left <= DONE) this.#endPhase(running)
    this.#setRates()
  }

  #elapse(toMs: number): void {
    const passedMs = toMs - this.#nowMs
    if (passedMs <= 0) return
    for (const running of this.#running) {
      running.left -= running.rate * passedMs
      if (running.phase === 'prefill' && running.rate > 0) running.promptMs += passedMs
    }
    this.#nowMs = toMs
  }

  #endPhase(running: Running): void {
    switch (running.phase) {
      case 'prefill':
        if (this.#settings.silentMs > 0) this.#enter(running, 'silence', this.#settings.silentMs)
        else this.#speak(running)
        break
      case 'silence':
      case 'decode':
        this.#speak(running)
        break
      case 'gap':
        this.#enter(running, 'decode', 1)
        break
      case 'held':
        this.#freeSlot(running)
        break
      case 'overflow':
        this.#leave(running.call.id, { kind: 'overflowed', id: running.call.id, atMs: this.#at() })
        this.#freeSlot(running)
        break
    }
  }

  #enter(running: Running, phase: Phase, left: number): void {
    running.phase = phase
    running.left = left
  }

  #speak(running: Running): void {
    const { call } = running
    if (running.emitted === 0) running.firstTokenMs = this.#nowMs
    if (call.tokens > 0) {
      running.emitted += 1
      this.#emit({ kind: 'token', id: call.id, atMs: this.#at(), index: running.emitted - 1 })
    }
    if (running.emitted >= call.tokens) {
      this.#end(running)
    } else if (this.#isPoolFull()) {
      this.#enter(running, 'overflow', 0)
    } else if (running.emitted === this.#settings.gapAtToken) {
      this.#enter(running, 'gap', this.#settings.gapMs)
      if (this.#settings.gapRequeues) this.#queueAgain(running)
    } else {
      this.#enter(running, 'decode', 1)
    }
  }

  #queueAgain(running: Running): void {
    this.#freeSlot(running)
    this.#admission.submit(running.call, this.#nowMs)
  }

  #end(running: Running): void {
    const durations = {
      totalMs: this.#nowMs - running.arrivalMs,
      loadMs: running.loadMs,
      promptEvalMs: running.promptMs,
      evalMs: this.#nowMs - running.firstTokenMs,
    }
    this.#leave(running.call.id, { kind: 'ended', id: running.call.id, atMs: this.#at(), durations })
    this.#freeSlot(running)
  }

  #leave(id: number, event: SimulationEvent): void {
    this.#calls.delete(id)
    this.#emit(event)
  }

  #freeSlot(running: Running): void {
    const at = this.#running.indexOf(running)
    if (at === -1) return
    this.#running.splice(at, 1)
    this.#admission.release(running.call.id, this.#nowMs)
  }

  #load(model: string): void {
    this.#loading = { model, doneMs: this.#nowMs + this.#settings.loadMs * this.#drift() }
  }

  #finishLoad(): void {
    const loading = this.#loading
    if (loading === undefined) return
    this.#loading = undefined
    this.#admission.loaded(loading.model, this.#nowMs)
  }

  #handOver(id: number): void {
    const running = this.#calls.get(id)
    // A call that queues again in the middle of its answer keeps the load it had.
    if (running === undefined || running.emitted > 0) return
    running.loadMs = this.#nowMs - running.arrivalMs
    if (!running.call.slotless) return
    const durations = { totalMs: running.loadMs, loadMs: running.loadMs, promptEvalMs: 0, evalMs: 0 }
    this.#leave(id, { kind: 'ended', id, atMs: this.#at(), durations })
  }

  #grant(id: number): void {
    const running = this.#calls.get(id)
    if (running === undefined) return
    const { prefillMs, prefillTokensPerSec } = this.#settings
    this.#running.push(running)
    if (running.emitted > 0) return
    if (this.#isPoolFull()) {
      this.#enter(running, 'overflow', 0)
      return
    }
    this.#enter(running, 'prefill', prefillMs ?? (running.call.promptTokens / prefillTokensPerSec) * 1000)
    this.#emit({ kind: 'granted', id, atMs: this.#at() })
  }

  /** Those that fail already have left the pool. */
  #isPoolFull(): boolean {
    const { contextPoolTokens } = this.#settings
    if (contextPoolTokens === 0) return false
    const used = this.#running.reduce((sum, { phase, call, emitted }) => sum + (phase === 'overflow' ? 0 : call.contextUse + emitted), 0)
    return used > contextPoolTokens
  }

  #drift(): number {
    return driftFactor(this.#settings, (this.#nowMs - (this.#firstCallMs ?? this.#nowMs)) / 60_000)
  }

  #spillTimes(): number {
    const { contextTokens, spillFactor } = this.#settings
    const largest = Math.max(contextTokens, ...this.#running.map(({ call }) => call.contextTokens))
    return this.#settings.vramBytes > 0 && placementOf(this.#settings, largest, this.#slots).spills ? spillFactor : 1
  }

  /** Who works how fast until the next event. */
  #setRates(): void {
    const { neighbourPrefill, prefillStallsDecode } = this.#settings
    const speed = 1 / this.#drift()
    let prompts = 0
    let streams = 0
    for (const { phase } of this.#running) {
      if (phase === 'prefill') prompts += 1
      else if (phase === 'decode' || phase === 'held') streams += 1
    }
    const decodeRate = prefillStallsDecode && prompts > 0 ? 0 : speed / (tokenMs(this.#settings, streams) * this.#spillTimes())
    let firstPrompt = true
    for (const running of this.#running) {
      if (running.phase === 'prefill') {
        running.rate = neighbourPrefill === 'shared' ? speed / prompts : neighbourPrefill === 'serial' && !firstPrompt ? 0 : speed
        firstPrompt = false
      } else {
        running.rate = running.phase === 'decode' ? decodeRate : 1
      }
    }
  }
}

/**
 * Who may run when, after Ollama's scheduler: calls for a model that isn't loaded wait in one bounded line for the loader, calls for a loaded
 * one in that model's own line for a slot, without bound, first come first served. Pure: moments come in, decisions go out through the ports.
 *
 *   submit ─ loaded, same context ────────────→ slot line ─ slot free → granted
 *      └──── else, while the line has room ───→ loader line ─ (swap out, load) → handed over → slot line
 *      └──── line full ───────────────────────→ refused
 */

export interface AdmissionCall {
  readonly id: number
  readonly model: string
  readonly contextTokens: number
  /** How long the model stays after this call; Infinity: for ever. */
  readonly keepAliveMs: number
  /** Only wants the model loaded. */
  readonly slotless: boolean
}

export interface AdmissionRules {
  readonly slots: number
  /** Calls that may wait for the loader, besides the one it has in hand. */
  readonly pendingCap: number
  readonly maxLoadedModels: number
  /** Calls for a loaded model pass those that wait for the loader (Ollama from 0.11.5 on); false: all go through the one line. */
  readonly warmBypass: boolean
}

export interface AdmissionPorts {
  /** The owner loads and then calls `loaded` or `loadFailed`. */
  load(model: string, contextTokens: number): void
  unload(model: string): void
  /** The model is there; for a slotless call that is all. */
  handOver(id: number): void
  grant(id: number): void
  refuse(id: number): void
  fail(id: number, reason: string): void
}

interface Runner {
  readonly model: string
  readonly contextTokens: number
  ready: boolean
  readonly active: Set<number>
  readonly line: AdmissionCall[]
  keepAliveMs: number
  idleSinceMs: number | undefined
}

export interface LoadedRunner {
  readonly model: string
  readonly contextTokens: number
  /** When it goes if nobody asks for it from now on; Infinity: never. */
  readonly expiresMs: number
}

export class Admission {
  readonly #rules: AdmissionRules
  readonly #ports: AdmissionPorts
  readonly #runners = new Map<string, Runner>()
  #pending: AdmissionCall[] = []

  constructor(rules: AdmissionRules, ports: AdmissionPorts) {
    this.#rules = rules
    this.#ports = ports
  }

  submit(call: AdmissionCall, nowMs: number): void {
    const runner = this.#readyFor(call)
    if (runner !== undefined && (this.#rules.warmBypass || this.#pending.length === 0)) {
      this.#handOver(runner, call)
      return
    }
    if (this.#pending.length > this.#rules.pendingCap) {
      this.#ports.refuse(call.id)
      return
    }
    this.#pending.push(call)
    this.#serveLoaderLine(nowMs)
  }

  loaded(model: string, nowMs: number): void {
    const runner = this.#runners.get(model)
    if (runner === undefined) return
    runner.ready = true
    runner.idleSinceMs = nowMs
    this.#serveLoaderLine(nowMs)
  }

  /** The call that asked for the model fails; those behind it try again. */
  loadFailed(model: string, reason: string, nowMs: number): void {
    this.#runners.delete(model)
    const first = this.#pending[0]
    if (first?.model === model) {
      this.#pending.shift()
      this.#ports.fail(first.id, reason)
    }
    this.#serveLoaderLine(nowMs)
  }

  /** A granted call has left its slot. */
  release(id: number, nowMs: number): void {
    for (const runner of this.#runners.values()) {
      if (!runner.active.delete(id)) continue
      this.#fillSlots(runner)
      this.#noteIdle(runner, nowMs)
      this.#serveLoaderLine(nowMs)
      return
    }
  }

  /** @returns true when the call was still waiting, and now isn't */
  withdraw(id: number, nowMs: number): boolean {
    const before = this.#pending.length
    this.#pending = this.#pending.filter((call) => call.id !== id)
    if (this.#pending.length < before) {
      this.#serveLoaderLine(nowMs)
      return true
    }
    for (const runner of this.#runners.values()) {
      const at = runner.line.findIndex((call) => call.id === id)
      if (at === -1) continue
      runner.line.splice(at, 1)
      return true
    }
    return false
  }

  /** Unloads the model when its last call is done. @returns false when it isn't loaded */
  unloadWhenIdle(model: string, nowMs: number): boolean {
    const runner = this.#runners.get(model)
    if (runner === undefined) return false
    runner.keepAliveMs = 0
    this.expire(nowMs)
    return true
  }

  /** Unloads what was idle for its keep-alive. */
  expire(nowMs: number): void {
    for (const runner of [...this.#runners.values()]) {
      if (expiresMs(runner) <= nowMs) this.#unload(runner)
    }
  }

  /** Infinity: nothing will expire by itself. */
  nextExpiryMs(): number {
    let next = Number.POSITIVE_INFINITY
    for (const runner of this.#runners.values()) next = Math.min(next, expiresMs(runner))
    return next
  }

  loadedRunners(nowMs: number): LoadedRunner[] {
    return [...this.#runners.values()]
      .filter((runner) => runner.ready)
      .map((runner) => ({
        model: runner.model,
        contextTokens: runner.contextTokens,
        expiresMs: (isIdle(runner) ? (runner.idleSinceMs ?? nowMs) : nowMs) + runner.keepAliveMs,
      }))
  }

  #readyFor(call: AdmissionCall): Runner | undefined {
    const runner = this.#runners.get(call.model)
    return runner?.ready === true && runner.contextTokens === call.contextTokens ? runner : undefined
  }

  #handOver(runner: Runner, call: AdmissionCall): void {
    runner.keepAliveMs = call.keepAliveMs
    this.#ports.handOver(call.id)
    if (call.slotless) return
    runner.line.push(call)
    this.#fillSlots(runner)
  }

  #fillSlots(runner: Runner): void {
    while (runner.active.size < this.#rules.slots) {
      const next = runner.line.shift()
      if (next === undefined) return
      runner.idleSinceMs = undefined
      runner.active.add(next.id)
      this.#ports.grant(next.id)
    }
  }

  #noteIdle(runner: Runner, nowMs: number): void {
    if (runner.active.size > 0 || runner.line.length > 0) return
    runner.idleSinceMs = nowMs
    if (runner.keepAliveMs <= 0) this.#unload(runner)
  }

  #unload(runner: Runner): void {
    this.#runners.delete(runner.model)
    this.#ports.unload(runner.model)
  }

  /** The loader takes one call at a time; whoever stands behind waits, though its own model be loaded. */
  #serveLoaderLine(nowMs: number): void {
    for (let first = this.#pending[0]; first !== undefined; first = this.#pending[0]) {
      const ready = this.#readyFor(first)
      if (ready !== undefined) {
        this.#pending.shift()
        this.#handOver(ready, first)
        continue
      }
      if (!this.#makeRoom(first)) return
      this.#runners.set(first.model, {
        model: first.model,
        contextTokens: first.contextTokens,
        ready: false,
        active: new Set(),
        line: [],
        keepAliveMs: first.keepAliveMs,
        idleSinceMs: nowMs,
      })
      // A port may answer `loaded` at once, and then serves the line itself.
      this.#ports.load(first.model, first.contextTokens)
      return
    }
  }

  /** @returns whether the model may be loaded now; false: something loads, or what must go is still in use */
  #makeRoom(call: AdmissionCall): boolean {
    const runners = [...this.#runners.values()]
    if (runners.some((runner) => !runner.ready)) return false
    const same = this.#runners.get(call.model)
    if (same !== undefined) {
      if (!isIdle(same)) return false
      this.#unload(same)
      return true
    }
    if (runners.length < this.#rules.maxLoadedModels) return true
    const victim = runners.filter(isIdle).sort((a, b) => a.keepAliveMs - b.keepAliveMs)[0]
    if (victim === undefined) return false
    this.#unload(victim)
    return true
  }
}

function isIdle(runner: Runner): boolean {
  return runner.ready && runner.active.size === 0 && runner.line.length === 0
}

function expiresMs(runner: Runner): number {
  return isIdle(runner) && runner.idleSinceMs !== undefined ? runner.idleSinceMs + runner.keepAliveMs : Number.POSITIVE_INFINITY
}

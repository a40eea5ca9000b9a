/**
 * A model server as a small discrete-event simulation: slots, first come first served, one loaded variant at a time.
 * It keeps its own log (when each call got its slot, how long it waited), which is the truth that the analysis must find.
 */

export type ServerModel = {
  readonly slots: number
  /** Prefill of one prompt when `prefilling` prompts are evaluated at the same moment. */
  readonly prefillMs: (prefilling: number) => number
  /** Gap between two tokens of one answer when `active` answers are decoded at the same moment. */
  readonly tokenMs: (active: number) => number
  /** Time to swap one variant for another. */
  readonly loadMs: number
  /** Prompts are read one after the other; whoever waits for that holds a slot already. */
  readonly serialPrefill?: boolean
}

export type Arrival = {
  readonly id: number
  readonly atMs: number
  /** Model or options asked for; another one than the loaded one means a swap. */
  readonly variant: number
  readonly tokens: number
  /** Prefill and decode take this many times as long. */
  readonly scale: number
  /** The client goes away at this moment, from the queue or from its slot. */
  readonly leaveAtMs: number | null
}

export type Served = {
  readonly arrival: Arrival
  /** Waited for the model to be swapped in. */
  readonly loadMs: number
  /** Waited for a slot, after the load. */
  readonly queueMs: number
  readonly slotAtMs: number | null
  /** Its own prompt, neighbours' not counted. */
  readonly prefillMs: number | null
  readonly firstTokenAtMs: number | null
  readonly lastTokenAtMs: number | null
  readonly tokens: number
  readonly endAtMs: number
  readonly left: boolean
}

type Running = {
  arrival: Arrival
  loadMs: number
  slotAtMs: number
  readAtMs: number | null
  phase: 'prefill' | 'decode'
  remaining: number
  firstTokenAtMs: number | null
}
type Waiting = { arrival: Arrival; loadedAtMs: number | null }

/** @param follow what arrives because a call has ended (next step, background work); its `atMs` may not lie before the end */
export function simulateServer(model: ServerModel, arrivals: readonly Arrival[], follow: (served: Served) => readonly Arrival[]): Served[] {
  const log: Served[] = []
  const pending = [...arrivals].sort((a, b) => a.atMs - b.atMs || a.id - b.id)
  let waiting: Waiting[] = []
  let running: Running[] = []
  let nowMs = 0
  let loaded = 0
  let loadingUntilMs: number | null = null

  const finish = (served: Served) => {
    log.push(served)
    for (const next of follow(served)) {
      const place = pending.findIndex((other) => other.atMs > next.atMs)
      pending.splice(place === -1 ? pending.length : place, 0, next)
    }
  }
  const leave = (call: Waiting | Running) => {
    const isRunning = 'phase' in call
    const done = isRunning && call.phase === 'decode' ? call.arrival.tokens - Math.ceil(call.remaining) : 0
    finish({
      arrival: call.arrival,
      loadMs: isRunning ? call.loadMs : 0,
      queueMs: isRunning ? call.slotAtMs - call.arrival.atMs - call.loadMs : nowMs - call.arrival.atMs,
      slotAtMs: isRunning ? call.slotAtMs : null,
      prefillMs: null,
      firstTokenAtMs: isRunning ? call.firstTokenAtMs : null,
      lastTokenAtMs: isRunning && call.firstTokenAtMs !== null ? nowMs : null,
      tokens: done,
      endAtMs: nowMs,
      left: true,
    })
  }
  const admit = () => {
    if (loadingUntilMs !== null) return
    while (running.length < model.slots) {
      const next = waiting.find((call) => call.arrival.variant === loaded)
      if (next === undefined) break
      waiting = waiting.filter((call) => call !== next)
      const { arrival } = next
      const loadMs = next.loadedAtMs === null ? 0 : next.loadedAtMs - arrival.atMs
      running.push({ arrival, loadMs, slotAtMs: nowMs, readAtMs: null, phase: 'prefill', remaining: 1, firstTokenAtMs: null })
    }
    const first = waiting[0]
    if (running.length === 0 && first !== undefined) {
      loaded = first.arrival.variant
      loadingUntilMs = nowMs + model.loadMs
    }
  }

  while (pending.length > 0 || waiting.length > 0 || running.length > 0) {
    admit()
    const inPrefill = running.filter((call) => call.phase === 'prefill')
    const reading = model.serialPrefill === true ? inPrefill.slice(0, 1) : inPrefill
    for (const call of reading) call.readAtMs ??= nowMs
    const decoding = running.length - inPrefill.length
    const unitMs = (call: Running) => {
      if (call.phase === 'decode') return call.arrival.scale * model.tokenMs(decoding)
      return reading.includes(call) ? call.arrival.scale * model.prefillMs(reading.length) : Number.POSITIVE_INFINITY
    }
    const units = running.map(unitMs)
    const leaving = [...waiting, ...running].map((call) => call.arrival.leaveAtMs ?? Number.POSITIVE_INFINITY)
    const nextMs = Math.min(
      pending[0]?.atMs ?? Number.POSITIVE_INFINITY,
      loadingUntilMs ?? Number.POSITIVE_INFINITY,
      ...running.map((call, index) => nowMs + call.remaining * (units[index] ?? 0)),
      ...leaving,
    )
    for (const [index, call] of running.entries()) call.remaining -= (nextMs - nowMs) / Math.max(units[index] ?? 0, 1e-9)
    nowMs = nextMs

    if (loadingUntilMs !== null && loadingUntilMs <= nowMs) {
      loadingUntilMs = null
      for (const call of waiting) if (call.arrival.variant === loaded) call.loadedAtMs = nowMs
    }
    while (pending[0] !== undefined && pending[0].atMs <= nowMs) {
      const arrival = pending.shift()
      if (arrival !== undefined) waiting.push({ arrival, loadedAtMs: null })
    }
    for (const call of [...running]) {
      if (call.remaining > 1e-7) continue
      if (call.phase === 'prefill') {
        call.firstTokenAtMs = nowMs
        call.phase = 'decode'
        call.remaining = call.arrival.tokens - 1
        if (call.remaining > 0) continue
      }
      running = running.filter((other) => other !== call)
      finish({
        arrival: call.arrival,
        loadMs: call.loadMs,
        queueMs: call.slotAtMs - call.arrival.atMs - call.loadMs,
        slotAtMs: call.slotAtMs,
        prefillMs: (call.firstTokenAtMs ?? nowMs) - (call.readAtMs ?? call.slotAtMs),
        firstTokenAtMs: call.firstTokenAtMs,
        lastTokenAtMs: nowMs,
        tokens: call.arrival.tokens,
        endAtMs: nowMs,
        left: false,
      })
    }
    for (const call of [...waiting, ...running]) {
      if (call.arrival.leaveAtMs === null || call.arrival.leaveAtMs > nowMs) continue
      waiting = waiting.filter((other) => other !== call)
      running = running.filter((other) => other !== call)
      leave(call)
    }
  }
  return log
}

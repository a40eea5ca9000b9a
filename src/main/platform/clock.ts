/**
 * Time as an argument. `nowMs` is the machine's monotonic clock: every process on this machine reads the same axis,
 * so stamps of the runner, the load driver and the model host can be compared without a handshake.
 */

export interface Clock {
  /** Monotonic milliseconds since some fixed moment before this process began, the same for all processes of the machine; sub-microsecond steps. */
  nowMs(): number
  /** Wall-clock milliseconds since 1970. For joining with the outside world only, never for durations. */
  epochMs(): number
  /** Calls back once. The returned function cancels; its owner must call it. */
  after(delayMs: number, callback: () => void): () => void
}

const hrtimeMs = () => Number(process.hrtime.bigint()) / 1e6
/**
 * performance.now() is the same clock with a per-process origin and costs a third of hrtime.bigint(); the offset is fixed. It is read between two
 * readings of the other, the closest pair of several: first calls take up to a millisecond, which would set two processes that far apart.
 */
const originMs = closestOriginMs()

function closestOriginMs(): number {
  let best = { gapMs: Number.POSITIVE_INFINITY, originMs: 0 }
  for (let i = 0; i < 20; i++) {
    const beforeMs = hrtimeMs()
    const nowMs = performance.now()
    const gapMs = hrtimeMs() - beforeMs
    if (gapMs < best.gapMs) best = { gapMs, originMs: beforeMs + gapMs / 2 - nowMs }
  }
  return best.originMs
}

export const systemClock: Clock = {
  nowMs: () => originMs + performance.now(),
  epochMs: () => Date.now(),
  after(delayMs, callback) {
    const timer = setTimeout(callback, delayMs)
    return () => clearTimeout(timer)
  },
}

/** A clock that stands still until it is turned; timers fire in order of their moment. */
export class ManualClock implements Clock {
  #nowMs: number
  #epochOffsetMs: number
  #timers = new Set<{ atMs: number; callback: () => void }>()

  constructor(startMs = 0, epochMs = 1_700_000_000_000) {
    this.#nowMs = startMs
    this.#epochOffsetMs = epochMs - startMs
  }

  nowMs(): number {
    return this.#nowMs
  }

  epochMs(): number {
    return this.#nowMs + this.#epochOffsetMs
  }

  after(delayMs: number, callback: () => void): () => void {
    const timer = { atMs: this.#nowMs + delayMs, callback }
    this.#timers.add(timer)
    return () => this.#timers.delete(timer)
  }

  advance(byMs: number): void {
    const untilMs = this.#nowMs + byMs
    for (;;) {
      const due = [...this.#timers].filter((t) => t.atMs <= untilMs).sort((a, b) => a.atMs - b.atMs)[0]
      if (due === undefined) break
      this.#timers.delete(due)
      this.#nowMs = due.atMs
      due.callback()
    }
    this.#nowMs = untilMs
  }
}

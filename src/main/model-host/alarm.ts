/**
 * One shared timer for all streams of an engine. Timers of Node are a millisecond coarse; where a moment must be met closely
 * (a first token), the last stretch is waited out in turns of the event loop, which serve sockets meanwhile.
 */
import type { Clock } from '../platform/clock.ts'

export interface Alarm {
  /** Moves the alarm; a `precise` one rings within some hundredths of a millisecond, others up to about a millisecond late. */
  set(dueMs: number, precise: boolean): void
  stop(): void
}

/** A timer may ring this much late, so a precise one is set this much early. */
const TIMER_SLACK_MS = 1.2

export interface AlarmDeps {
  readonly clock: Clock
  /** Runs a callback in the next turn of the event loop; undefined: timers only (manual clocks). */
  readonly nextTurn?: (callback: () => void) => void
}

export function createAlarm({ clock, nextTurn }: AlarmDeps, ring: (nowMs: number) => void): Alarm {
  let dueMs = Number.POSITIVE_INFINITY
  let precise = false
  let timerDueMs = Number.POSITIVE_INFINITY
  let cancelTimer = () => {}
  let turning = false

  const check = () => {
    const nowMs = clock.nowMs()
    const leftMs = dueMs - nowMs
    if (leftMs <= 0) {
      dueMs = Number.POSITIVE_INFINITY
      ring(nowMs)
    } else if (leftMs !== Number.POSITIVE_INFINITY) {
      arm(leftMs)
    }
  }
  const onTimer = () => {
    timerDueMs = Number.POSITIVE_INFINITY
    check()
  }
  const onTurn = () => {
    turning = false
    check()
  }
  const arm = (leftMs: number) => {
    if (precise && nextTurn !== undefined && leftMs <= TIMER_SLACK_MS) {
      if (turning) return
      turning = true
      nextTurn(onTurn)
      return
    }
    const delayMs = precise && nextTurn !== undefined ? leftMs - TIMER_SLACK_MS : leftMs
    const timerMs = clock.nowMs() + delayMs
    // An earlier timer rings, finds nothing due and arms again: cheaper than replacing timers all the time.
    if (timerDueMs <= timerMs) return
    cancelTimer()
    timerDueMs = timerMs
    cancelTimer = clock.after(delayMs, onTimer)
  }
  return {
    set(nextMs, isPrecise) {
      dueMs = nextMs
      precise = isPrecise
      if (nextMs !== Number.POSITIVE_INFINITY) arm(nextMs - clock.nowMs())
    },
    stop() {
      dueMs = Number.POSITIVE_INFINITY
      timerDueMs = Number.POSITIVE_INFINITY
      cancelTimer()
    },
  }
}

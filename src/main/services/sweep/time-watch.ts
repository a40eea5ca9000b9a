/** Did time run evenly? A laptop that slept, a clock that was set and a process that was stopped show as clocks that go apart, or as a beat that did not come. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import type { Clock } from '../../platform/clock.ts'

export type TimeWatch = {
  /** Undefined: evenly since the last look. */
  look(): Problem | undefined
  close(): void
}

/** Setting a clock right by the network slews it by 0.05 % at most; a step that matters is larger than both. */
const APART_MS = 1_000
const APART_RATIO = 0.01
const BEAT_MS = 1_000
const MISSED_MS = 10_000

/** @param watchBeat false where the loop is blocked on purpose */
export function createTimeWatch(clock: Clock, watchBeat: boolean): TimeWatch {
  let from = { nowMs: clock.nowMs(), epochMs: clock.epochMs() }
  let beatMs = from.nowMs
  let missedMs = 0
  let stop = () => {}
  const beat = () => {
    const nowMs = clock.nowMs()
    missedMs = Math.max(missedMs, nowMs - beatMs - BEAT_MS)
    beatMs = nowMs
    stop = clock.after(BEAT_MS, beat)
  }
  if (watchBeat) stop = clock.after(BEAT_MS, beat)

  return {
    look() {
      const to = { nowMs: clock.nowMs(), epochMs: clock.epochMs() }
      const tookMs = to.nowMs - from.nowMs
      const apartMs = to.epochMs - from.epochMs - tookMs
      const lateMs = watchBeat ? Math.max(missedMs, to.nowMs - beatMs - BEAT_MS) : 0
      from = to
      beatMs = to.nowMs
      missedMs = 0
      if (Math.abs(apartMs) > Math.max(APART_MS, APART_RATIO * tookMs)) return uneven(`the clock of the day jumped by ${seconds(apartMs)} s`)
      return lateMs > MISSED_MS ? uneven(`Plimsoll itself stood still for ${seconds(lateMs)} s`) : undefined
    },
    close: () => stop(),
  }
}

const seconds = (ms: number) => (ms / 1_000).toFixed(1)

function uneven(how: string): Problem {
  return problem(
    'time-jumped',
    `Time did not run evenly in the middle of a cell: ${how}. The machine slept, or its clock was set.`,
    'A machine that stays awake until the sweep has ended.',
    '',
  )
}

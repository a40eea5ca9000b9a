/** Faults that the runner plays on purpose, to see whether a sweep names them: loop blocks at a start and at each piece of text, slow tools. */
import type { Clock } from '../../platform/clock.ts'

export interface RunnerFaults {
  /** The event loop is held for so long when a turn starts. */
  readonly blockMs: number
  /** The event loop is held for so long at each piece of text. */
  readonly deltaMs: number
  /** Each tool takes so much longer; the loop stays free. */
  readonly toolMs: number
}

/** Absent = off. `poolLimit`: so many connections to a model server at most. */
export type RunnerFaultRequest = Partial<Record<keyof RunnerFaults | 'poolLimit', number | undefined>>

export function faultsOf({ blockMs = 0, deltaMs = 0, toolMs = 0 }: RunnerFaultRequest): RunnerFaults {
  return { blockMs, deltaMs, toolMs }
}

/** Burns the time on purpose. */
export function blockLoop(clock: Clock, forMs: number): void {
  if (forMs <= 0) return
  const untilMs = clock.nowMs() + forMs
  while (clock.nowMs() < untilMs) {
    // Nothing else runs meanwhile.
  }
}

/** Faults that the runner plays on purpose, to see whether a sweep names them: loop blocks at a start and at each piece of text, slow tools, a lock around tools. */
import type { Clock } from '../../platform/clock.ts'

/** Absent = off. */
export type RunnerFaultRequest = {
  /** The event loop is held for so long when a turn starts. */
  readonly blockMs?: number | undefined
  /** The event loop is held for so long at each piece of text. */
  readonly deltaMs?: number | undefined
  /** Each tool takes so much longer; the loop stays free. */
  readonly toolMs?: number | undefined
  /** So many tools run at once, the others wait for them. */
  readonly toolsAtOnce?: number | undefined
  /** So many connections to a model server at most. */
  readonly poolLimit?: number | undefined
}

export type RunnerFaults = ReturnType<typeof createRunnerFaults>

export function createRunnerFaults(clock: Clock) {
  let faults: RunnerFaultRequest = {}
  let toolsRunning = 0
  const waiting: (() => void)[] = []

  const enter = async () => {
    const { toolsAtOnce = Number.POSITIVE_INFINITY } = faults
    if (toolsRunning >= toolsAtOnce) await new Promise<void>((resolve) => void waiting.push(resolve))
    else toolsRunning += 1
  }
  /** The place goes to the next that waits, if any. */
  const leave = () => {
    const next = waiting.shift()
    if (next === undefined) toolsRunning -= 1
    else next()
  }
  return {
    set(request: RunnerFaultRequest): void {
      faults = request
    },
    atStart: () => blockLoop(clock, faults.blockMs ?? 0),
    atDelta: () => blockLoop(clock, faults.deltaMs ?? 0),
    /** Runs a tool as slowly as asked for. */
    async tool<T>(run: () => Promise<T>): Promise<T> {
      if (faults.toolMs === undefined && faults.toolsAtOnce === undefined) return run()
      await enter()
      try {
        await new Promise<void>((resolve) => void clock.after(faults.toolMs ?? 0, resolve))
        return await run()
      } finally {
        leave()
      }
    },
  }
}

/** Burns the time on purpose. */
function blockLoop(clock: Clock, forMs: number): void {
  if (forMs <= 0) return
  const untilMs = clock.nowMs() + forMs
  while (clock.nowMs() < untilMs) {
    // Nothing else runs meanwhile.
  }
}

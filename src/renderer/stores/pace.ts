/** Holds work back to one run in so many milliseconds; the last request is never lost. */

export type Pace = {
  /** Runs `work` now or when the interval is over, whichever is later; many requests in between are one run. */
  request(): void
  /** Runs what is due now, if anything is. */
  flush(): void
  close(): void
}

/** @param nowMs any monotonic clock */
export function createPace(work: () => void, everyMs: number, nowMs: () => number = () => performance.now()): Pace {
  let timer: ReturnType<typeof setTimeout> | undefined
  let lastMs = Number.NEGATIVE_INFINITY
  const run = () => {
    timer = undefined
    lastMs = nowMs()
    work()
  }
  return {
    request() {
      if (timer !== undefined) return
      timer = setTimeout(run, Math.max(0, lastMs + everyMs - nowMs()))
    },
    flush() {
      if (timer === undefined) return
      clearTimeout(timer)
      run()
    },
    close() {
      clearTimeout(timer)
      timer = undefined
    },
  }
}

/** The last hour of samples in bounded memory: all of the last minute, one a second before that. */
import type { Sample } from '../../../core/metric/sample.ts'

const FINE_MS = 60_000
const FINE_LIMIT = 300
const COARSE_STEP_MS = 1_000
const COARSE_LIMIT = 3_600
/** What a chart shows at most. */
const ANSWER_LIMIT = 300

export interface SampleHistory {
  add(sample: Sample): void
  /** Oldest first, at most 300, spread evenly over the last `seconds` before `nowMs`. */
  since(seconds: number, nowMs: number): Sample[]
}

export function createSampleHistory(): SampleHistory {
  const fine: Sample[] = []
  const coarse: Sample[] = []
  return {
    add(sample) {
      fine.push(sample)
      if (fine.length > FINE_LIMIT) fine.shift()
      // A timer may run a little early after a late one; the step is a wish, not a law.
      if (sample.atMs - (coarse.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) < COARSE_STEP_MS * 0.9) return
      coarse.push(sample)
      if (coarse.length > COARSE_LIMIT) coarse.shift()
    },
    since(seconds, nowMs) {
      const asked = (seconds * 1000 <= FINE_MS ? fine : coarse).filter(({ atMs }) => atMs > nowMs - seconds * 1000)
      const step = Math.ceil(asked.length / ANSWER_LIMIT)
      // Counted from the end, so that the newest is always there.
      return step <= 1 ? asked : asked.filter((_, index) => (asked.length - 1 - index) % step === 0)
    },
  }
}

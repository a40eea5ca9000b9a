/** How many spans are open at once, and for how long: the streaming overlap behind the effective slots (DESIGN.md section 5). */
import { quantile } from '../statistics/percentiles.ts'

export type Span = { readonly fromMs: number; readonly toMs: number }

export type Overlap = {
  /** Largest number of spans that were open at once and lasted; 0 for none. */
  readonly lasting: number
  /** Share of the time with at least one open span in which that many were open. */
  readonly lastingRatio: number
  readonly busyMs: number
}

/**
 * An overlap that is shorter than this share of a typical span is receive jitter at a hand-over: the last token of one answer
 * and the first of the next, stamped in the same few milliseconds. Overlaps on real servers lasted for most of an answer.
 */
const JITTER_RATIO = 0.1
const JITTER_MS = 2
/** An overlap seen in less than this share of the busy time does not count. */
const LEAST_RATIO = 0.01

/** @param spans any order; empty ones (no length) count for nothing. O(n log n) */
export function overlapOf(spans: readonly Span[]): Overlap {
  const times = createSpanTimes(spans.length)
  for (const { fromMs, toMs } of spans) times.add(fromMs, toMs)
  return times.overlap()
}

/** Collects spans as plain numbers: for a hundred thousand calls, an object each is most of the work. */
export type SpanTimes = {
  add(fromMs: number, toMs: number): void
  overlap(): Overlap
}

/** @param most how many spans there can be */
export function createSpanTimes(most: number): SpanTimes {
  const from = new Float64Array(most)
  const to = new Float64Array(most)
  const lengths = new Float64Array(most)
  let count = 0
  return {
    add(fromMs, toMs) {
      if (!(toMs > fromMs)) return
      from[count] = fromMs
      to[count] = toMs
      lengths[count] = toMs - fromMs
      count += 1
    },
    overlap: () => overlapOfTimes(from.subarray(0, count).sort(), to.subarray(0, count).sort(), lengths.subarray(0, count).sort()),
  }
}

/** @param from, to, lengths each ascending on its own */
function overlapOfTimes(from: Float64Array, to: Float64Array, lengths: Float64Array): Overlap {
  const typicalMs = lengths.length === 0 ? 0 : quantile(lengths, 0.5)
  const leastMs = Math.max(JITTER_MS, JITTER_RATIO * typicalMs)
  const totalMs: number[] = []
  const longestMs: number[] = []
  const openSinceMs: number[] = []
  let open = 0
  let ended = 0
  for (const start of from) {
    // At equal moments an end comes before a start: a hand-over is no overlap.
    for (let end = to[ended]; end !== undefined && end <= start; end = to[ended]) {
      close(end)
      ended += 1
    }
    open += 1
    openSinceMs[open] = start
  }
  for (const end of to.subarray(ended)) close(end)

  function close(endMs: number) {
    const lengthMs = endMs - (openSinceMs[open] ?? endMs)
    totalMs[open] = (totalMs[open] ?? 0) + lengthMs
    longestMs[open] = Math.max(longestMs[open] ?? 0, lengthMs)
    open -= 1
  }

  const busyMs = totalMs[1] ?? 0
  let lasting = 0
  for (let count = 1; count < longestMs.length; count += 1) {
    if ((longestMs[count] ?? 0) >= leastMs && (totalMs[count] ?? 0) >= LEAST_RATIO * busyMs) lasting = count
  }
  return { lasting, lastingRatio: busyMs === 0 ? 0 : (totalMs[lasting] ?? 0) / busyMs, busyMs }
}

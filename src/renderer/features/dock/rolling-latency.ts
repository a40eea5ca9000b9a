/** The dock's curves: each ended turn as a dot, p50 and p95 of the last 60 turns behind it. Pure. */
import type { TurnLatency } from '../../../contract/endpoints/chats.ts'

export type LatencyMetric = 'ttfaMs' | 'firstModelRequestMs' | 'doneMs' | 'wallMs'

export type LatencyPoint = {
  readonly epochMs: number
  /** Null: the turn failed or never came so far; it bends no curve. */
  readonly ms: number | null
  readonly p50: number | null
  readonly p95: number | null
}

/** Turns that a percentile looks back on. */
const WINDOW = 60
/** Fewer samples give no p50 (M8). */
const FEWEST = 6
/** Fewer than 59 samples give no p95 with an interval; the live dock shows one from 20 on and says "of the last 60 turns". */
const FEWEST_P95 = 20

/** Nearest rank. @param sorted ascending, not empty */
const rank = (sorted: readonly number[], share: number): number => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0

const AXIS_TOPS = [1, 2, 3, 4, 5, 6, 8, 10]

/** Where the scale ends: a round number at or above the largest value. Half of it is round as well. */
export function axisTop(values: readonly number[]): number {
  const largest = Math.max(1, ...values)
  const power = 10 ** Math.floor(Math.log10(largest))
  return (AXIS_TOPS.find((step) => step * power >= largest) ?? 10) * power
}

/**
 * @param latencies by the moment of their end, oldest first
 * @param most at most so many points; older ones are thinned evenly
 */
export function rollingLatency(latencies: readonly TurnLatency[], metric: LatencyMetric, sinceEpochMs: number, most = 300): LatencyPoint[] {
  const window: number[] = []
  const points: LatencyPoint[] = []
  for (const latency of latencies) {
    const ms = latency.outcome === 'completed' ? latency[metric] : null
    if (ms !== null) {
      window.push(ms)
      if (window.length > WINDOW) window.shift()
    }
    if (latency.endedEpochMs < sinceEpochMs) continue
    const sorted = [...window].sort((a, b) => a - b)
    points.push({
      epochMs: latency.endedEpochMs,
      ms,
      p50: sorted.length < FEWEST ? null : rank(sorted, 0.5),
      p95: sorted.length < FEWEST_P95 ? null : rank(sorted, 0.95),
    })
  }
  if (points.length <= most) return points
  const step = points.length / most
  return Array.from({ length: most }, (_, index) => points[Math.min(points.length - 1, Math.floor((index + 1) * step) - 1)]).filter(
    (point) => point !== undefined,
  )
}

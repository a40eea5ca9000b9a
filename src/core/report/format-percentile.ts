/** A percentile as text, or why there is none: too few samples never become a value (M8). */
import type { Percentiles } from '../analysis/analysis.ts'
import { FEWEST_SAMPLES } from '../analysis/statistics/percentiles.ts'
import { formatMs } from './format-number.ts'

export type PercentileName = 'p50' | 'p95' | 'p99'

export type PercentileReading =
  | { readonly kind: 'value'; readonly ms: number }
  | { readonly kind: 'too-few'; readonly count: number; readonly needed: number }
  /** Enough samples, but that many failed that the percentile lies among the failures, which count as endless (M7). */
  | { readonly kind: 'failed' }
  | { readonly kind: 'none' }

export function readPercentile(percentiles: Percentiles, name: PercentileName): PercentileReading {
  const ms = percentiles[name]
  if (ms !== null && Number.isFinite(ms)) return { kind: 'value', ms }
  if (percentiles.count === 0) return { kind: 'none' }
  const needed = FEWEST_SAMPLES[name]
  return percentiles.count < needed ? { kind: 'too-few', count: percentiles.count, needed } : { kind: 'failed' }
}

/** `145 ms`, `n too small (48 of 59)`, `failed` or `–`. */
export function percentileText(percentiles: Percentiles, name: PercentileName): string {
  const reading = readPercentile(percentiles, name)
  switch (reading.kind) {
    case 'value':
      return formatMs(reading.ms)
    case 'too-few':
      return `n too small (${reading.count} of ${reading.needed})`
    case 'failed':
      return 'failed'
    case 'none':
      return '–'
  }
}

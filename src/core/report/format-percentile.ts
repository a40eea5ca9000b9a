/** A percentile as text, or why there is none: too few samples never become a value (M8). */
import type { Percentiles } from '../analysis/analysis.ts'
import { formatMs } from './format-number.ts'

/** Fewest samples for each percentile: 1/(1-p) rounded up so that the order statistic is bounded at 95 % (M8). */
const SAMPLES_NEEDED = { p50: 6, p95: 59, p99: 299 } as const
export type PercentileName = keyof typeof SAMPLES_NEEDED

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
  const needed = SAMPLES_NEEDED[name]
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

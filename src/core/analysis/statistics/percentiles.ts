/** Exact percentiles with the sample-size rule of M8, and the plain order statistics they are made of. */
import type { Percentiles } from '../analysis.ts'

/** Fewest samples for which a distribution-free 95 % interval of the percentile exists (M8). */
export const FEWEST_SAMPLES = { p50: 6, p90: 29, p95: 59, p99: 299 } as const

/**
 * Linear interpolation between order statistics (type 7, the default of numpy and R).
 * @param sorted ascending, not empty
 * @param ratio 0 to 1
 */
export function quantile(sorted: ArrayLike<number>, ratio: number): number {
  const place = (sorted.length - 1) * Math.min(1, Math.max(0, ratio))
  const below = Math.floor(place)
  const low = sorted[below] ?? Number.NaN
  const high = sorted[Math.min(below + 1, sorted.length - 1)] ?? low
  return low + (high - low) * (place - below)
}

export function sortedNumbers(values: readonly number[]): Float64Array {
  // Not `from`: it goes through an iterator, several times as slow.
  return new Float64Array(values).sort()
}

/** Null for no values. */
export function median(values: readonly number[]): number | null {
  return values.length === 0 ? null : quantile(sortedNumbers(values), 0.5)
}

/** Null for no values. */
export function mean(values: readonly number[]): number | null {
  return values.length === 0 ? null : values.reduce((sum, value) => sum + value, 0) / values.length
}

/** A quantile without regard to the number of samples; null for none. For evidence, never to be shown as a percentile. */
export function roughQuantile(values: readonly number[], ratio: number): number | null {
  return values.length === 0 ? null : quantile(sortedNumbers(values), ratio)
}

/** @param values any order, finite; milliseconds where they are shown */
export function percentilesOf(values: readonly number[]): Percentiles {
  return percentilesOfSorted(sortedNumbers(values))
}

/** @param sorted ascending, finite */
export function percentilesOfSorted(sorted: Float64Array): Percentiles {
  const count = sorted.length
  const at = (ratio: number, fewest: number) => (count >= fewest ? quantile(sorted, ratio) : null)
  return {
    count,
    p50: at(0.5, FEWEST_SAMPLES.p50),
    p95: at(0.95, FEWEST_SAMPLES.p95),
    p99: at(0.99, FEWEST_SAMPLES.p99),
    min: sorted[0] ?? null,
    max: sorted.at(-1) ?? null,
    roughP50: count === 0 ? null : quantile(sorted, 0.5),
    roughP95: count === 0 ? null : quantile(sorted, 0.95),
  }
}

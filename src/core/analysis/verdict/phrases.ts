/** Numbers as verdict and evidence say them. */

export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`

/** A share of growth in a sentence: parts that shrank can push another above the whole, which no reader expects. */
export const shareOf = (ratio: number): string => percent(Math.min(1, Math.max(0, ratio)))

export function duration(ms: number): string {
  if (ms >= 10_000) return `${(ms / 1000).toFixed(0)} s`
  if (ms >= 1_000) return `${(ms / 1000).toFixed(1)} s`
  return ms >= 10 ? `${ms.toFixed(0)} ms` : `${ms.toFixed(1)} ms`
}

export const rate = (perSec: number): string => (perSec >= 99.95 ? perSec.toFixed(0) : perSec.toFixed(1))

export function count(n: number, one: string, many = `${one}s`): string {
  return `${n} ${n === 1 ? one : many}`
}

/** "a share of 72 % (66 to 78 %)". */
export function interval({ value, low, high }: { value: number; low: number; high: number }): string {
  const [a, b] = [shareOf(low), shareOf(high)]
  return a === b ? shareOf(value) : `${shareOf(value)} (${a.replace(' %', '')} to ${b})`
}

/** The text that comes most often, the first one among equals; null for none. */
export function commonest(texts: readonly string[]): string | null {
  const counts = new Map<string, number>()
  for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1)
  return [...counts].sort((a, b) => b[1] - a[1])[0]?.[0] ?? null
}

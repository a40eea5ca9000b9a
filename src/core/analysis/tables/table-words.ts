/** Numbers as claims say them, and lists of them. */
import { formatCount } from '../../report/format-number.ts'

export function tokens(perSec: number): string {
  if (perSec >= 1000) return `${formatCount(perSec)} tok/s`
  return `${perSec >= 99.95 ? perSec.toFixed(0) : perSec.toFixed(1)} tok/s`
}

export function span(ms: number): string {
  if (ms === 0) return '0 ms'
  if (ms < 10) return `${ms.toFixed(1)} ms`
  if (ms < 10_000) return `${formatCount(ms)} ms`
  return `${(ms / 1000).toFixed(1)} s`
}

export const times = (ratio: number): string => `${ratio >= 20 ? ratio.toFixed(0) : ratio >= 3 ? ratio.toFixed(1) : ratio.toFixed(2)}x`
export const percent = (ratio: number): string => `${Math.round(ratio * 100)} %`
/** Two or three figures; whole and half numbers without zeros behind them: `0.7`, `3.98`, `12`. */
export const decimal = (value: number): string => String(Number(value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toFixed(2)))
export const plural = (count: number, one: string, many = `${one}s`): string =>
  `${count === 1 ? 'one' : formatCount(count)} ${count === 1 ? one : many}`

/** "about half" where it is that, else the percentage. */
export function share(ratio: number): string {
  if (Math.abs(ratio - 0.5) < 0.05) return `about half (${percent(ratio)})`
  if (Math.abs(ratio - 2 / 3) < 0.04) return `about two thirds (${percent(ratio)})`
  if (Math.abs(ratio - 1 / 3) < 0.03) return `about a third (${percent(ratio)})`
  return percent(ratio)
}

export function listed(items: readonly (string | number)[]): string {
  return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} and ${items.at(-1)}`
}

/** How many times its own size a doubling is worth: exponent of growth between two points; 1 = in proportion, 0 = flat. */
export const elasticity = (n1: number, x1: number, n2: number, x2: number): number =>
  n1 > 0 && n2 > n1 && x1 > 0 && x2 > 0 ? Math.log(x2 / x1) / Math.log(n2 / n1) : 0

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? (sorted[middle] ?? 0) : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2
}

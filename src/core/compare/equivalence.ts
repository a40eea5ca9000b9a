/** Better, worse, equivalent or can't tell: a change with its interval against a margin. Whole interval inside = equivalent, whole outside = a change. */
import { sortedNumbers } from '../analysis/statistics/percentiles.ts'
import type { Draws } from './block-draws.ts'
import { fewBlocksFactor } from './block-draws.ts'
import type { ComparedFigure, Outcome } from './comparison.ts'

export type Change = ComparedFigure['change']

/**
 * After over before with its 95 % interval, widened where there are few blocks.
 * @returns null when it is no number: before was nothing, or both are endless
 */
export function ratioChange(a: Draws, b: Draws): Change | null {
  const value = Math.log(b.value / a.value)
  if (Number.isNaN(value) || a.value <= 0) return null
  const logs = a.draws.map((drawn, index) => Math.log((b.draws[index] ?? Number.NaN) / drawn)).filter((log) => !Number.isNaN(log))
  const [low, high] = widened(value, logs, Math.min(a.blocks, b.blocks))
  return { value: Math.exp(value), low: Math.exp(low), high: Math.exp(high) }
}

/** After less before of two shares, with its interval. */
export function shareChange(a: Draws, b: Draws): Change {
  const value = b.value - a.value
  const differences = a.draws.map((drawn, index) => (b.draws[index] ?? Number.NaN) - drawn).filter((difference) => !Number.isNaN(difference))
  const [low, high] = widened(value, differences, Math.min(a.blocks, b.blocks))
  return { value, low, high }
}

function widened(value: number, draws: readonly number[], blocks: number): readonly [low: number, high: number] {
  const sorted = sortedNumbers(draws)
  if (sorted.length === 0) return [value, value]
  // Order statistics as they are: between a number and endless nothing can be interpolated.
  const low = Math.min(value, sorted[Math.floor((sorted.length - 1) * 0.025)] ?? value)
  const high = Math.max(value, sorted[Math.ceil((sorted.length - 1) * 0.975)] ?? value)
  if (!Number.isFinite(value)) return [low, high]
  const factor = fewBlocksFactor(blocks)
  return [value - (value - low) * factor, value + (high - value) * factor]
}

/** @param least and @param most: between them a change is none */
export function judgeChange({ low, high }: Change, [least, most]: readonly [number, number], higherIsBetter: boolean): Outcome {
  if (low > most) return higherIsBetter ? 'better' : 'worse'
  if (high < least) return higherIsBetter ? 'worse' : 'better'
  return low >= least && high <= most ? 'equivalent' : 'cannot-tell'
}

/** As far up as down: a quarter slower and back again are the same change. */
export const ratioMargin = (marginRatio: number): readonly [number, number] => [1 / (1 + marginRatio), 1 + marginRatio]

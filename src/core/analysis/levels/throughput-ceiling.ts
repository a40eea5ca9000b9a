/** The throughput ceiling: the smallest N with at least 90 % of the best total rate (DESIGN.md section 7), with an interval. */
import type { Ceiling } from '../analysis.ts'
import type { CurveFits, FittedCurve } from '../curves/fit-curves.ts'
import type { LevelCurves } from '../curves/level-curves.ts'
import { quantile, sortedNumbers } from '../statistics/percentiles.ts'

/** Share of the best total rate from which a level counts as full. */
const FULL_RATIO = 0.9
/** Levels that scatter more than this about their best curve are described by none: then they speak for themselves. */
const MOST_SCATTER_RATIO = 0.12

/**
 * Where a hinge is the chosen curve and bends within the levels, rates are smoothed by it and its knee gives the interval: it can tell 3 slots
 * from 4 though only 2, 4 and 8 were tested. Otherwise the interval holds the levels that drawn runs name, from just above the level below.
 * @param slots requests answered at once where that has a plateau; null = not known
 */
export function throughputCeiling({ curves, rates, draws }: LevelCurves, slots: number | null = null): Ceiling {
  const last = rates.at(-1)
  if (last === undefined || rates.length < 2)
    return { status: 'unknown', n: null, low: null, high: null, because: 'Total rates at two levels at least are needed.' }
  const best = rates.reduce((most, { rate }) => Math.max(most, rate), 0)
  const hinge = bendingHinge(curves, best)
  const raw = firstFull(rates.map(({ rate }) => rate))
  const smoothed = hinge === null ? -1 : firstFull(curves.points.map(({ n }) => hinge.rateAt(n)))
  const full = rates[smoothed === -1 ? raw : surelyBelow(rates, smoothed, hinge)] ?? last
  const range = hinge === null ? drawnRange(rates, raw, draws) : kneeRange(hinge, full.n)
  const told = `${figure(full.rate)} tokens/s at ${full.n}, the best of all levels is ${figure(best)}`
  if (full.n === last.n) return { status: 'not-reached', n: full.n, low: range.low, high: null, because: `Only the largest level has it: ${told}.` }
  const bend = hinge === null ? '' : ` The curve bends at ${figure(hinge.knee?.value ?? full.n)}.`
  const high = Math.min(range.high, highestFor(slots, rates, full.n))
  return { status: 'found', n: full.n, low: range.low, high, because: `At least 90 % of the best total rate from here on: ${told}.${bend}` }
}

/** Slots that are counted need no curve: from the first level that fills them on, nothing can rise any more. */
function highestFor(slots: number | null, rates: LevelCurves['rates'], n: number): number {
  const filled = slots === null ? undefined : rates.find((level) => level.n >= slots)
  return filled === undefined ? Number.POSITIVE_INFINITY : Math.max(n, filled.n)
}

/** Null when another curve was chosen, when it does not bend, or when beyond a cliff the total is higher than where the hinge ends. */
function bendingHinge({ chosen, points, cliff, scatterRatio }: CurveFits, best: number): FittedCurve | null {
  if (chosen?.model !== 'hinge' || chosen.knee === null || scatterRatio > MOST_SCATTER_RATIO) return null
  return cliff === null || chosen.rateAt(points.at(-1)?.n ?? 1) >= FULL_RATIO * best ? chosen : null
}

/** A knee that surely lies below the largest level was reached, though the level before it may just miss its 90 %: then that one is meant. */
function surelyBelow(rates: LevelCurves['rates'], full: number, hinge: FittedCurve | null): number {
  const [before, at] = [rates[full - 1]?.n, rates[full]?.n ?? 1]
  const knee = hinge?.knee ?? null
  return full === rates.length - 1 && before !== undefined && knee !== null && knee.high < at && knee.value ** 2 < before * at ? full - 1 : full
}

/** Sessions are whole: those that lie in the knee's interval, and the level itself. */
function kneeRange(hinge: FittedCurve, n: number): { low: number; high: number } {
  const { low, high } = hinge.knee ?? { low: n, high: n }
  return { low: Math.max(1, Math.min(n, Math.ceil(low))), high: Math.max(n, Math.floor(high)) }
}

function drawnRange(rates: LevelCurves['rates'], full: number, draws: LevelCurves['draws']): { low: number; high: number } {
  const places = sortedNumbers(draws.map(firstFull))
  const place = (ratio: number) => (places.length === 0 ? full : Math.round(quantile(places, ratio)))
  const n = rates[full]?.n ?? 1
  return {
    low: (rates[Math.min(full, place(0.025)) - 1]?.n ?? 0) + 1,
    high: rates[Math.max(full, place(0.975))]?.n ?? n,
  }
}

/** @returns -1 for no rates */
function firstFull(rates: readonly number[]): number {
  const best = rates.reduce((most, rate) => Math.max(most, rate), 0)
  return rates.findIndex((rate) => rate >= FULL_RATIO * best)
}

const figure = (value: number) => (value >= 100 ? Math.round(value).toString() : value.toFixed(1))

/**
 * How many requests were served at once, from what a table has: slots observed; overlap (total over decode rate) below n; Little's law with the time of
 * service; the bend of the totals. Each bounds or estimates; configured and tested values are taken where an estimate lies beside them.
 */
import type { Curve, Level } from './level-curve.ts'
import type { Series } from './series.ts'
import { median } from './table-words.ts'

export type Occupancy = {
  /** Requests decode together at every n: overlap grows as n does. Null: not to be told. */
  readonly together: boolean | null
  /** Overlap stays below n although n grows. */
  readonly pinned: boolean
  readonly slots: number | null
  /** What overlap is at the largest n, as a share of n, against the smallest n. */
  readonly sharing: number | null
  readonly overlapTop: number | null
}

/** Against the smallest n: less than this, and some requests do not decode. Short answers and prefill take up to a quarter. */
const TOGETHER = 0.75
/** Overlap is a mean over the whole time, prefill and the last wave's end among it: the true number lies up to this much above it. */
const READS_LOW = 0.95
/** Nothing between requests but the server: overlap at the smallest n is nearly n. */
const GAPLESS = 0.8

export function occupancyOf(series: Series, curve: Curve, isBurst: boolean): Occupancy {
  const { base, top } = curve
  const overlapTop = top.overlap
  if (overlapTop === null) return { together: null, pinned: false, slots: null, sharing: null, overlapTop: null }
  const atBase = base.overlap === null ? 1 : base.overlap / base.n
  // An overlap above n is a rate measured elsewhere; it proves no sharing above the whole.
  const sharing = overlapTop / top.n / Math.min(1, Math.max(0.2, atBase))
  const isPaceKept = base.decode !== null && top.decode !== null && top.decode > 0.8 * base.decode
  const pinned = sharing < TOGETHER && (stoppedGrowing(curve) || (isPaceKept && sharing < 0.6))
  const slots = pinned ? slotsWhenPinned(series, curve, overlapTop, isBurst) : slotsWhenTogether(series, curve)
  return { together: sharing >= TOGETHER, pinned, slots, sharing, overlapTop }
}

/** Overlap over the last step grew by less than half as fast as n: it has found its limit, at the latest there. Two levels have only the one step. */
function stoppedGrowing({ levels, top }: Curve): boolean {
  const before = levels.at(-2)
  if (before?.overlap == null || top.overlap === null) return true
  return Math.log(top.overlap / before.overlap) < 0.5 * Math.log(top.n / before.n)
}

/** All ran together: as many as were tested, at least. It is the configured number only when overlap reaches it. */
function slotsWhenTogether(series: Series, { top }: Curve): number | null {
  const { slots } = series
  return slots !== null && top.overlap !== null && top.n >= slots && top.overlap >= READS_LOW * slots ? slots : null
}

function slotsWhenPinned(series: Series, curve: Curve, overlapTop: number, isBurst: boolean): number {
  const { base, levels } = curve
  const baseShare = Math.min(1, (base.overlap ?? base.n) / base.n)
  const gap = hasClientGap(base, isBurst)
  const unqueued = levels.filter((level) => level.overlap !== null && level.overlap / level.n >= TOGETHER * baseShare)
  const highest = unqueued.at(-1) ?? base
  const plateau = Math.max(overlapTop, ...levels.filter(({ n }) => gap || n > highest.n).map((level) => level.overlap ?? 0))
  // A client that pauses between requests can be two on one slot without anyone waiting long.
  const lowest = Math.max(READS_LOW * plateau, gap || highest.n === base.n ? 1 : highest.n)
  const estimate = gap ? plateau : estimateOf(curve, highest, plateau)
  return snap(estimate, lowest, series.slots, highest, levels)
}

/** At the smallest n a good part of the time nothing decodes, and neither the wait for the first token nor a burst's own wall accounts for it. */
function hasClientGap(base: Level, isBurst: boolean): boolean {
  if (base.overlap === null || base.overlap / base.n >= GAPLESS || isBurst) return false
  const first = base.firstMs === null || base.latencyMs === null || base.latencyMs === 0 ? 0 : base.firstMs / base.latencyMs
  return first < 0.6 * (1 - base.overlap / base.n)
}

function estimateOf({ base, levels, top }: Curve, highest: Level, plateau: number): number {
  const estimates: number[] = []
  if (base.overlap !== null) estimates.push(plateau / Math.min(1, base.overlap / base.n))
  // The bend: what n carries without waiting, times what the best carries more.
  const best = Math.max(...levels.filter(({ n }) => n >= highest.n).map(({ total }) => total))
  estimates.push((highest.n * best) / highest.total)
  // Little: of n in flight those that are not waiting for their first token beyond what the first n needed.
  if (top.firstMs !== null && top.latencyMs !== null && highest.firstMs !== null)
    estimates.push((top.n * (top.latencyMs - Math.max(0, top.firstMs - highest.firstMs))) / top.latencyMs)
  return median(estimates)
}

function snap(estimate: number, lowest: number, configured: number | null, highest: Level, levels: readonly Level[]): number {
  const value = Math.max(estimate, lowest)
  const near = (goal: number, ratio: number) => Math.abs(value - goal) <= Math.max(0.35, ratio * goal)
  if (configured !== null && near(configured, 0.15)) return configured
  if (near(highest.n, 0.1) && highest.n >= lowest - 0.2) return highest.n
  const firstQueued = levels.find(({ n }) => n > highest.n)
  const whole = Math.abs(value - Math.round(value)) <= 0.3 ? Math.round(value) : Math.ceil(lowest)
  return Math.max(1, firstQueued === undefined ? whole : Math.min(whole, firstQueued.n))
}

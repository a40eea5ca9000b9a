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

export function occupancyOf(series: Series, whole: Curve, isBurst: boolean): Occupancy {
  // A level without what overlap needs says nothing of it; the highest that has it does.
  const known = whole.levels.filter(({ overlap }) => overlap !== null)
  const curve = known.length < 2 ? whole : { ...whole, levels: known, base: known[0] ?? whole.base, top: known.at(-1) ?? whole.top }
  const { base, top } = curve
  const overlapTop = top.overlap
  if (overlapTop === null) return { together: null, pinned: false, slots: null, sharing: null, overlapTop: null }
  const atBase = base.overlap === null ? 1 : base.overlap / base.n
  // An overlap above n is a rate measured elsewhere; it proves no sharing above the whole.
  const sharing = overlapTop / top.n / Math.min(1, Math.max(0.2, atBase))
  const isPaceKept = base.decode !== null && top.decode !== null && top.decode > 0.8 * base.decode
  const waits = top.firstMs !== null && base.firstMs !== null && top.answerMs !== null && top.firstMs - base.firstMs > 0.4 * top.answerMs
  const pinned = sharing < TOGETHER && (stoppedGrowing(curve) || waits || (isPaceKept && sharing < 0.6))
  const slots = pinned ? slotsWhenPinned(series, curve, isBurst) : slotsWhenTogether(series, curve)
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

function slotsWhenPinned(series: Series, curve: Curve, isBurst: boolean): number {
  const { base, levels } = curve
  const baseShare = Math.min(1, (base.overlap ?? base.n) / base.n)
  const unqueued = levels.filter((level) => nobodyWaits(level, base, series.stat))
  const highest = unqueued.at(-1) ?? base
  const queued = levels.filter(({ n }) => n > highest.n)
  const everywhere = Math.max(...levels.map((level) => level.overlap ?? 0))
  // Full from the smallest n tested: nothing there says what a request takes without waiting, and overlap speaks for itself.
  if (base.n > 1 && (base.overlap ?? 0) < UNQUEUED * base.n && (base.overlap ?? 0) > UNQUEUED * everywhere)
    return snap(everywhere, series.slots, levels, levels)
  const byService = serviceEstimate(series, curve, highest, queued)
  if (byService !== null) return snap(byService, series.slots, levels, queued)
  const gap = hasClientGap(base, isBurst)
  const plateau = Math.max(...(gap ? levels : queued).map((level) => level.overlap ?? 0))
  if (gap) return betweenBounds(plateau, plateau / baseShare, series.slots, levels)
  const lowest = Math.max(READS_LOW * plateau, highest.n === base.n ? 1 : highest.n)
  return snap(Math.max(rateEstimate(curve, highest, plateau), lowest), series.slots, levels, queued)
}

/** A median hides the few that wait; where it is all there is, the total must be in proportion too. */
function nobodyWaits(level: Level, base: Level, stat: Series['stat']): boolean {
  if (level === base) return true
  if (stat !== 'P50' && level.firstMs !== null && base.firstMs !== null && level.answerMs !== null)
    return level.firstMs - base.firstMs < 0.15 * level.answerMs
  const pace = level.decode === null || base.decode === null ? 1 : level.decode / base.decode
  const isInProportion = level.total / level.n >= 0.85 * pace * (base.total / base.n)
  return isInProportion && level.overlap !== null && level.overlap / level.n >= UNQUEUED * Math.min(1, (base.overlap ?? base.n) / base.n)
}

/** Hardly anyone waits: overlap per request is what it is at the smallest n. */
const UNQUEUED = 0.9

/** At the smallest n a good part of the time nothing decodes, and neither the wait for the first token nor a burst's own wall accounts for it. */
function hasClientGap(base: Level, isBurst: boolean): boolean {
  if (base.overlap === null || base.overlap / base.n >= GAPLESS || isBurst) return false
  const first = base.firstMs === null || base.latencyMs === null || base.latencyMs === 0 ? 0 : base.firstMs / base.latencyMs
  return first < 0.6 * (1 - base.overlap / base.n)
}

/**
 * Little's law inside the slots: answers a second times the time that one holds its slot (its own prefill, then its answer). Answers a second by n over
 * latency, by the totals against the smallest n, and by the bend of the totals: the middle of what agrees.
 * @returns null without first-token time and latency
 */
function serviceEstimate(series: Series, curve: Curve, highest: Level, queued: readonly Level[]): number | null {
  const { base } = curve
  if (base.firstMs === null || base.latencyMs === null) return null
  const holdMs = base.firstMs
  // A tail is longer than the mean, which would look like a pause.
  const isTail = series.stat !== 'Mean' && series.stat !== 'P50'
  const pauseMs = isTail ? 0 : pauseOf(curve, queued, series.stat === 'Mean' ? 0.1 : 0.35)
  const estimates = queued.flatMap((level) => {
    if (level.answerMs === null || level.latencyMs === null) return []
    const byCount = level.row.requestsPerSec ?? measuredRequests(level)
    const rates =
      byCount === null
        ? [level.n / (level.latencyMs + pauseMs), (level.total / base.total) * (base.n / ((base.latencyMs ?? 1) + pauseMs))]
        : [byCount / 1000]
    return rates.map((perMs) => perMs * (holdMs + (level.answerMs ?? 0)))
  })
  if (estimates.length === 0) return null
  const best = Math.max(...queued.map(({ total }) => total))
  const isCounted = queued.every(({ row }) => row.requestsPerSec !== undefined)
  return median(pauseMs > 0 || highest === base || isCounted ? estimates : [...estimates, (highest.n * best) / highest.total])
}

function measuredRequests({ row }: Level): number | null {
  const total = row.totalTokensPerSec ?? row.recomputedTokensPerSec
  return row.tokensPerRequest === undefined || total === undefined ? null : total / row.tokensPerRequest
}

/**
 * What clients do between requests: the totals say how many answers a second, the latencies how many in flight; what is left pauses.
 * @param least share of the latency at the smallest n below which it is noise: a median is no mean, and is off by more
 */
function pauseOf({ base, top }: Curve, queued: readonly Level[], least: number): number {
  const pauses = [...new Set([...queued, top])].flatMap((level) => {
    const ratio = (base.n * level.total) / base.total / base.n
    if (level.latencyMs === null || base.latencyMs === null || level.n / base.n < 1.5 * ratio) return []
    return [(ratio * level.latencyMs - (level.n / base.n) * base.latencyMs) / (level.n / base.n - ratio)]
  })
  const pause = pauses.length === 0 ? 0 : median(pauses)
  return pause > least * (base.latencyMs ?? 0) ? pause : 0
}

/** Overlap counts decoding alone; what a request does besides in its slot is what overlap lacks of 1 at the smallest n. And the bend of the totals. */
function rateEstimate({ base, levels }: Curve, highest: Level, plateau: number): number {
  const estimates: number[] = []
  if (base.overlap !== null) estimates.push(plateau / Math.min(1, base.overlap / base.n))
  const best = Math.max(...levels.filter(({ n }) => n >= highest.n).map(({ total }) => total))
  estimates.push((highest.n * best) / highest.total)
  return median(estimates)
}

function snap(value: number, configured: number | null, levels: readonly Level[], queued: readonly Level[]): number {
  const near = (goal: number, ratio: number) => Math.abs(value - goal) <= Math.max(0.3, ratio * goal)
  if (configured !== null && near(configured, 0.15)) return configured
  const tested = levels.find(({ n }) => Math.abs(value - n) <= 0.06 * n)
  const most = queued[0] === undefined ? Number.POSITIVE_INFINITY : queued[0].n
  return Math.min(Math.max(1, tested?.n ?? Math.round(value)), Math.max(1, most))
}

/**
 * Clients that pause, or prompts that take long, and no latencies to tell which: the number lies between overlap itself (pauses) and overlap over what it
 * is at the smallest n (prompts). The configured number; then the bound that is a whole number; then one tested; then the smallest.
 */
function betweenBounds(low: number, high: number, configured: number | null, levels: readonly Level[]): number {
  const least = READS_LOW * low
  if (configured !== null && configured >= least && configured <= 1.05 * high) return configured
  const above = Math.max(1, Math.ceil(low - 0.03))
  // The larger the number, the nearer some whole one is by chance.
  if ((above <= 6 && low >= 0.95 * above) || above === 1) return above
  if (Math.abs(high - Math.round(high)) <= Math.min(0.3, 0.05 * high)) return Math.round(high)
  return levels.find(({ n }) => n >= least && n <= 1.03 * high)?.n ?? above
}

/** SLO and error ceiling (DESIGN.md section 7), each with an interval and a line that says why. They are never mixed. */
import type { Slo } from '../../sweep/plan.ts'
import type { Ceiling, LevelSummary } from '../analysis.ts'
import { lowerBound, upperBound } from '../statistics/binomial-bounds.ts'
import { settleShare } from './settle-share.ts'

const unknown = (because: string): Ceiling => ({ status: 'unknown', n: null, low: null, high: null, because })

type Counts = { readonly n: number; readonly good: number; readonly all: number }

/**
 * Largest level whose share of good sessions is surely at least the target. A share can only fall with N (isotonic), so the lower bound of a level
 * may pool the levels above it, and its upper bound the levels below.
 * @param levels ascending by n
 */
function shareCeiling(levels: readonly Counts[], target: number, verb: string): Ceiling {
  const tested = levels.filter((level) => level.all > 0)
  const last = tested.at(-1)
  if (last === undefined) return unknown('No session was measured.')
  const pooled = (from: number, to: number) =>
    tested.slice(from, to + 1).reduce((sum, level) => ({ good: sum.good + level.good, all: sum.all + level.all }), { good: 0, all: 0 })
  const holds = (at: number) => tested.some((_, to) => to >= at && (lowerBound(pooled(at, to).good, pooled(at, to).all) ?? 0) >= target)
  const misses = (at: number) => tested.some((_, from) => from <= at && (upperBound(pooled(from, at).good, pooled(from, at).all) ?? 1) < target)
  const low = tested.filter((_, at) => holds(at)).at(-1)
  const high = tested.find((_, at) => misses(at))
  const firstOpen = tested.find((level) => level.n > (low?.n ?? 0))
  const shown = [low ?? (firstOpen === high ? undefined : firstOpen), high].filter((level) => level !== undefined)
  const said = `${shown.map(({ n, good, all }, index) => `${index === 0 ? 'At' : 'at'} ${n}, ${good} of ${all} ${index === 0 ? verb : ''}`.trimEnd()).join('; ')}.`
  if (low !== undefined && high !== undefined && high.n <= low.n) return unknown(`The levels contradict each other. ${said}`)
  const stillOpen = settlingText(tested, target, low?.n ?? 0, high?.n ?? Number.POSITIVE_INFINITY)
  if (low === last) return { status: 'not-reached', n: last.n, low: last.n, high: null, because: said }
  if (low !== undefined) return { status: 'found', n: low.n, low: low.n, high: high?.n ?? null, because: `${said}${stillOpen}` }
  if (high !== undefined && high === tested[0]) return { status: 'none-holds', n: null, low: null, high: high.n, because: said }
  return { status: 'unknown', n: null, low: null, high: high?.n ?? null, because: `${said}${stillOpen}` }
}

/** What would settle the levels between the one that surely holds and the one that surely misses; empty when there are none. */
function settlingText(levels: readonly Counts[], target: number, lowN: number, highN: number): string {
  if (!levels.some(({ n }) => n > lowN && n < highN)) return ''
  const settling = settleShare(levels, target, lowN, highN)
  if (settling === null) return ` What lies between is too near ${percent(target)} to be told from it by 10,000 more sessions.`
  const { n, sessions, outcome, ratio } = settling
  const more = `${sessions} more ${sessions === 1 ? 'session' : 'sessions'} at ${n}`
  if (outcome === 'misses') return ` About ${more}, no better than those before (${percent(ratio)}), would show that it misses ${percent(target)}.`
  if (ratio === 1) return ` To promise ${percent(target)}, ${more} are needed, all of them good.`
  return ` To promise ${percent(target)}, about ${more} are needed, as good as those before (${percent(ratio)}).`
}

const percent = (ratio: number) => `${Math.round(ratio * 1000) / 10} %`

/** @param levels of one leg, ascending by n */
export function sloCeiling(levels: readonly LevelSummary[], slo: Slo): Ceiling {
  const counts = levels.map((level) => ({ n: level.n, good: level.held.count, all: level.sessions }))
  return shareCeiling(counts, slo.targetRatio, `saw the first activity within ${slo.ttfaMs} ms`)
}

export function errorCeiling(levels: readonly LevelSummary[], slo: Slo): Ceiling {
  const counts = levels.map((level) => ({ n: level.n, good: level.sessions - level.failures, all: level.sessions }))
  return shareCeiling(counts, 1 - slo.maxErrorRatio, 'came through without an error')
}

/** Single sessions as dots of the load-line chart: never more than the eye or the file can hold, and an even sample of each level where there are more. */
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { Leg } from '../sweep/plan.ts'
import { countingCells } from './report-levels.ts'

export type SessionDot = { readonly n: number; readonly ttfaMs: number; readonly held: boolean }
export type SessionDots = { readonly dots: readonly SessionDot[]; readonly total: number }

/**
 * @param limit of dots in all, shared evenly by the levels
 * @returns by level, ascending ttfa; fastest and slowest of a level are always among them. `total` counts the sessions that had a first activity
 */
export function sessionDots(state: SweepState, leg: Leg, limit: number): SessionDots {
  const levelOfCell = new Map(
    countingCells(state)
      .filter(({ cell }) => cell.leg === leg)
      .map(({ cell }) => [cell.index, cell.n]),
  )
  const byLevel = new Map<number, SessionDot[]>()
  for (const row of state.rows) {
    const n = levelOfCell.get(row.cell)
    if (n === undefined || row.firstActivityAtMs === null) continue
    const ttfaMs = row.firstActivityAtMs - row.plannedAtMs
    const held = row.outcome === 'completed' && ttfaMs <= state.plan.slo.ttfaMs
    const dots = byLevel.get(n) ?? []
    dots.push({ n, ttfaMs, held })
    byLevel.set(n, dots)
  }
  const share = Math.floor(limit / Math.max(1, byLevel.size))
  const levels = [...byLevel].sort(([a], [b]) => a - b).map(([, dots]) => dots.sort((a, b) => a.ttfaMs - b.ttfaMs))
  return { dots: levels.flatMap((dots) => evenly(dots, share)), total: levels.reduce((sum, dots) => sum + dots.length, 0) }
}

/** At most `limit` of them, evenly by rank, first and last included. */
export function evenly<T>(items: readonly T[], limit: number): T[] {
  if (items.length <= limit) return [...items]
  if (limit < 2) return items.slice(0, Math.max(0, limit))
  const step = (items.length - 1) / (limit - 1)
  return Array.from({ length: limit }, (_, index) => items[Math.round(index * step)]).filter((item) => item !== undefined)
}

/** How long a sweep will take: before it starts from what is known of the target's pace, while it runs from the cells behind it. */

import { sweepIdSchema } from '../result/ids.ts'
import { sessionsUsd } from './cost.ts'
import { type Pace, thoughtServer } from './known-pace.ts'
import { spanMsOf } from './load-cells.ts'
import type { Cell, SweepPlan, SweepRequest } from './plan.ts'
import { planSweep } from './plan-sweep.ts'
import { simulateSweep } from './simulate-sweep.ts'
import { mostTurnsOf } from './workloads.ts'

export type Estimate = {
  readonly cells: number
  readonly sessions: number
  readonly seconds: number
  /** The most that the target is thought to charge; null where it has no price. */
  readonly costUsd: number | null
}

/** Starting and reading the target. */
const START_MS = 1_000
/** Before anything of the same leg was seen. */
const CELL_OVERHEAD_MS = 250

/**
 * Plays the plan in thought.
 * @param pace what earlier sweeps of the target showed; without it what is known of the target
 */
export function estimateSweep(request: SweepRequest, pace?: Pace): Estimate {
  // What was agreed to must not make a plan look cheaper than it is.
  const { maxCostUsd: _, ...free } = request
  const plan = planSweep(free, { sweepId: sweepIdSchema.parse('estimate') })
  const { cells, sessions, ms } = simulateSweep(plan, thoughtServer(plan, pace))
  const played = cells.filter(({ status }) => status === 'done')
  const costs = played.map(({ cell, wavesStarted }) =>
    sessionsUsd(plan, cell, Math.max(cell.n * wavesStarted, cell.load?.mostTurns ?? 0) * mostTurnsOf(plan.workload)),
  )
  const costUsd = costs.some((cost) => cost !== null) ? costs.reduce<number>((sum, cost) => sum + (cost ?? 0), 0) : null
  return { cells: played.length, sessions, seconds: Math.ceil((ms + START_MS) / 1_000), costUsd }
}

/**
 * Milliseconds left of a running sweep; null before the first measured cell has ended.
 * @param ended cells behind us with the time each took, drain included
 */
export function remainingMs(
  plan: SweepPlan,
  ended: readonly { readonly cell: Cell; readonly tookMs: number }[],
  runningForMs: number,
): number | null {
  const known = ended.filter(({ cell }) => cell.role !== 'warm-up')
  if (known.length === 0) return null
  const behind = new Set(ended.map(({ cell }) => cell.index))
  const ahead = plan.cells.filter((cell) => !behind.has(cell.index))
  return Math.max(0, ahead.reduce((sum, cell) => sum + likeliestMs(cell, known), 0) - runningForMs)
}

/** By the mean of the same level and leg where it was seen, else by the nearest level, in proportion to the sessions. */
function likeliestMs(cell: Cell, known: readonly { readonly cell: Cell; readonly tookMs: number }[]): number {
  const spanMs = spanMsOf(cell)
  if (spanMs !== null) return spanMs + CELL_OVERHEAD_MS
  const sameLeg = known.filter((k) => (k.cell.leg === 'null') === (cell.leg === 'null'))
  if (sameLeg.length === 0) return CELL_OVERHEAD_MS + (cell.budgetMs ?? 0)
  const nearest = Math.min(...sameLeg.map((k) => Math.abs(k.cell.n - cell.n)))
  const near = sameLeg.filter((k) => Math.abs(k.cell.n - cell.n) === nearest)
  return near.reduce((sum, k) => sum + (k.tookMs * cell.n) / k.cell.n, 0) / near.length
}

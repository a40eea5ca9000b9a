/** How long a sweep will take: before it starts from what is known of the target's pace, while it runs from the cells behind it. */

import { sweepIdSchema } from '../result/ids.ts'
import type { Cell, SweepPlan, SweepRequest } from './plan.ts'
import { planSweep } from './plan-sweep.ts'
import type { Target } from './target.ts'

export type Pace = {
  /** Wall of one session alone. */
  readonly sessionMs: number
  /** How many sessions the server carries at once without slowing them. */
  readonly slots: number
}

export type Estimate = { readonly cells: number; readonly sessions: number; readonly seconds: number }

/** Connecting, draining and writing, seen on two cores. */
const CELL_OVERHEAD_MS = 250
const WAVE_OVERHEAD_MS = 20
/** Starting and reading the target. */
const START_MS = 2_000
const NULL_SESSION_MS = 3

/** @param pace what earlier sweeps of the target showed; without it a cautious guess by the kind of target */
export function estimateSweep(request: SweepRequest, pace: Pace = guessedPace(request.target)): Estimate {
  const plan = planSweep(request, { sweepId: sweepIdSchema.parse('estimate') })
  const costs = plan.cells.map((cell) => cellCost(cell, pace))
  const sum = (of: (cost: { waves: number; ms: number; sessions: number }) => number) => costs.reduce((total, cost) => total + of(cost), 0)
  return { cells: plan.cells.length, sessions: sum((c) => c.sessions), seconds: Math.ceil((sum((c) => c.ms) + START_MS) / 1_000) }
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
  const sameLeg = known.filter((k) => (k.cell.leg === 'null') === (cell.leg === 'null'))
  if (sameLeg.length === 0) return CELL_OVERHEAD_MS + (cell.budgetMs ?? 0)
  const nearest = Math.min(...sameLeg.map((k) => Math.abs(k.cell.n - cell.n)))
  const near = sameLeg.filter((k) => Math.abs(k.cell.n - cell.n) === nearest)
  return near.reduce((sum, k) => sum + (k.tookMs * cell.n) / k.cell.n, 0) / near.length
}

function cellCost(cell: Cell, pace: Pace): { waves: number; ms: number; sessions: number } {
  const sessionMs = cell.leg === 'null' ? NULL_SESSION_MS : pace.sessionMs
  const slots = cell.leg === 'null' ? cell.n : pace.slots
  const waveMs = sessionMs * Math.max(1, cell.n / slots) + WAVE_OVERHEAD_MS
  const affordable = cell.budgetMs == null ? cell.waves : Math.floor(cell.budgetMs / waveMs)
  const waves = Math.min(cell.waves, Math.max(cell.minWaves ?? cell.waves, affordable))
  const nullWaveMs = NULL_SESSION_MS * cell.n + WAVE_OVERHEAD_MS
  const warmUpMs = cell.ownWarmUp === undefined ? 0 : Math.min(cell.ownWarmUp.waves * nullWaveMs, cell.ownWarmUp.budgetMs)
  return { waves, ms: waves * waveMs + warmUpMs + CELL_OVERHEAD_MS, sessions: waves * cell.n }
}

function guessedPace(target: Target): Pace {
  if (target.kind === 'server') return { sessionMs: 3_000, slots: 1 }
  switch (target.engine) {
    case 'llama':
      return { sessionMs: 150, slots: 1 }
    case 'simulated':
      return { sessionMs: 600, slots: target.slots }
    case 'null':
      return { sessionMs: NULL_SESSION_MS, slots: target.slots }
  }
}

/** Which leg a report is about, its levels, and the sweep's numbers at a glance. Cells, sessions and time as counted, not as planned. */
import type { Analysis, Ceiling, LevelSummary } from '../analysis/analysis.ts'
import type { CellState, SweepState } from '../sweep/fold-sweep.ts'
import type { Leg } from '../sweep/plan.ts'

/** The leg that the charts show: the real path where it was measured. */
const LEAD_ORDER: readonly Leg[] = ['runner', 'direct', 'null']

/** @returns undefined when no session of any leg was measured */
export function leadLeg(analysis: Analysis): Leg | undefined {
  return LEAD_ORDER.find((leg) => analysis.levels.some((level) => level.leg === leg && level.sessions > 0))
}

/** Levels of one leg, ascending by n. */
export function levelsOf(analysis: Analysis, leg: Leg): LevelSummary[] {
  return analysis.levels.filter((level) => level.leg === leg && level.sessions > 0).sort((a, b) => a.n - b.n)
}

/** `4`, `> 16` (not reached), `none` (the first level misses already) or `–` (can't be told). */
export function ceilingText(ceiling: Ceiling): string {
  switch (ceiling.status) {
    case 'found':
      return ceiling.n === null ? '–' : String(ceiling.n)
    case 'not-reached':
      return ceiling.n === null ? '–' : `> ${ceiling.n}`
    case 'none-holds':
      return 'none'
    case 'unknown':
      return '–'
  }
}

/** Cells that count in the figures: measured to their end, neither warm-up nor void. */
export function countingCells(state: SweepState): CellState[] {
  return state.cells.filter((cell) => cell.status !== 'void' && cell.status !== 'planned' && cell.cell.role !== 'warm-up')
}

export function voidCells(state: SweepState): CellState[] {
  return state.cells.filter((cell) => cell.status === 'void')
}

export type SweepNumbers = { readonly cellsDone: number; readonly cellsPlanned: number; readonly sessions: number; readonly durationMs: number }

export function sweepNumbers(state: SweepState): SweepNumbers {
  return {
    cellsDone: state.cells.filter((cell) => cell.status === 'done').length,
    cellsPlanned: state.cells.length,
    sessions: state.rows.length,
    durationMs: state.lastAtMs,
  }
}

/** Also before the server was read, when it was asked for. */
export function isSimulated(state: SweepState): boolean {
  const { target } = state.plan.request
  return state.facts?.simulated ?? (target.kind === 'built-in' && target.engine === 'simulated')
}

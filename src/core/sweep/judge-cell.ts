/** What the sweep makes of a wave and of a cell that has just ended: go on, start over, or give up. Pure; run-sweep.ts acts on it. */
import { type Problem, problem } from '../result/problem.ts'
import { type DriverLimits, driverLimits } from './driver-limits.ts'
import { levelName } from './load-cells.ts'
import type { Cell } from './plan.ts'
import { countLoads, ruleOnLoads } from './reloads.ts'
import type { DriverReport } from './sweep-event.ts'
import type { TurnRow } from './turn-row.ts'

/** `answered`: at least one turn did not fail. The others say what all of them died of. */
export type WaveHealth = 'answered' | 'model-missing' | 'overloaded' | 'failed'

const OVERLOAD_STATUS = [429, 503]

/** @param rows of one wave, none missing */
export function healthOf(rows: readonly TurnRow[]): WaveHealth {
  if (rows.length === 0 || rows.some((row) => row.outcome !== 'failed')) return 'answered'
  const every = (holds: (row: TurnRow, status: number | null) => boolean) =>
    rows.every((row) => holds(row, row.timeline?.calls.at(-1)?.httpStatus ?? null))
  if (every((row, status) => status === 404 || row.problem?.code === 'model-missing')) return 'model-missing'
  if (every((row, status) => row.problem?.code === 'turn-deadline' || (status !== null && OVERLOAD_STATUS.includes(status)))) return 'overloaded'
  return 'failed'
}

/** Waves beyond the necessary ones are run as long as the next one fits into the cell's time. */
export function mayStartWave(cell: Cell, played: { readonly waves: number; readonly elapsedMs: number; readonly lastWaveMs: number }): boolean {
  if (played.waves >= cell.waves) return false
  if (played.waves < (cell.minWaves ?? cell.waves)) return true
  return cell.budgetMs == null || played.elapsedMs + played.lastWaveMs <= cell.budgetMs
}

export type CellJudgement = {
  /** The cell counts nowhere, and is run once more. */
  readonly voidBecause: Problem | null
  readonly cause: 'load' | 'driver' | null
  readonly warnings: readonly { readonly code: string; readonly text: string }[]
}

export function judgeCell(seen: {
  readonly cell: Cell
  readonly rows: readonly TurnRow[]
  readonly report: DriverReport | null
  /** The process list did not hold the model when the cell began. */
  readonly absentBefore: boolean
  readonly cellsVoidedByLoad: number
  /** The workload mixes models or options. */
  readonly mixed: boolean
}): CellJudgement {
  const { cell, rows, report } = seen
  if (cell.role === 'warm-up') return { voidBecause: null, cause: null, warnings: [] }
  const loads = countLoads(rows, seen.absentBefore)
  const ruling = ruleOnLoads({ loads, cellsVoidedBefore: seen.cellsVoidedByLoad, mixed: seen.mixed })
  if (ruling === 'single') {
    const voidBecause = problem(
      'loaded-inside-cell',
      `The model was loaded once in the middle of a cell at ${levelName(cell)}.`,
      'It was expected to be warm.',
      '',
    )
    return { voidBecause, cause: 'load', warnings: [] }
  }
  const warnings = ruling === 'recurring' ? [{ code: 'loads-recur', text: loadsRecur(cell, loads) }] : []
  const limits = report === null ? null : driverLimits(cell, rows, report)
  if (limits === null || (limits.broken.length === 0 && limits.lateRatio === 0)) return { voidBecause: null, cause: null, warnings }
  if (limits.broken.length === 0)
    return { voidBecause: null, cause: null, warnings: [...warnings, { code: 'late-starts', text: lateStarts(cell, limits) }] }
  const text = `The load driver did not carry ${levelName(cell)}: ${limits.broken.join('; ')}.`
  const voidBecause = problem('driver-limited', text, '', 'Close what else uses this machine, or drive fewer sessions.')
  return { voidBecause, cause: 'driver', warnings: [...warnings, { code: 'driver-limited', text }] }
}

function loadsRecur(cell: Cell, loads: number): string {
  return `Models were loaded ${loads === 1 ? 'again' : `${loads} times`} in a cell at ${levelName(cell)}: loading recurs under this load.`
}

function lateStarts(cell: Cell, { lateRatio, lateMs }: DriverLimits): string {
  return `At ${levelName(cell)} ${Math.max(1, Math.round(100 * lateRatio))} % of the sessions were submitted more than ${Math.round(lateMs)} ms late; their times count from the planned moment.`
}

/** Which rows count, and for which level: warm-up, void cells and waves that were broken off stay out (M4, M7). */

import type { ModelCall } from '../../session/timeline.ts'
import { driverLimits } from '../../sweep/driver-limits.ts'
import type { CellState, SweepState } from '../../sweep/fold-sweep.ts'
import type { Leg } from '../../sweep/plan.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { afterFirstWave, type SteadySpan, steadySpan, timeSlices } from './steady-span.ts'

export type MeasuredWave = {
  readonly cell: CellState
  readonly wave: number
  /** All turns of the wave, cut ones too: they held slots. */
  readonly rows: readonly TurnRow[]
  /** Only in a sustained cell: the slice of its steady span in which `rows` began, and all turns of the cell, which were their neighbours (M7). */
  readonly slice?: { readonly span: SteadySpan; readonly around: readonly TurnRow[] }
}

export type MeasuredLevel = {
  readonly leg: Leg
  /** Sessions at once. Under open load, where they come by their rate, those that were in flight on the average. */
  readonly n: number
  /** Sessions a second; only under open load. */
  readonly ratePerSec?: number
  readonly cells: readonly CellState[]
  readonly waves: readonly MeasuredWave[]
  /** Turns cut by us, those of broken-off waves included. */
  readonly cut: number
}

const LEG_ORDER: Record<Leg, number> = { runner: 0, direct: 1, null: 2 }

/** Cells that the driver limited are invalid (M10), whether the sweep voided them itself or not. A warm-up counts nowhere, so it limits nothing. */
export function limitedCells(state: SweepState): CellState[] {
  const rows = new Map<number, TurnRow[]>()
  for (const row of state.rows) {
    const ofCell = rows.get(row.cell)
    if (ofCell === undefined) rows.set(row.cell, [row])
    else ofCell.push(row)
  }
  return state.cells.filter(({ cell, driver, status, voidReason }) => {
    if (cell.role === 'warm-up' || cell.arm !== undefined) return false
    if (status === 'void') return voidReason?.code === 'driver-limited'
    return driver !== null && driverLimits(cell, rows.get(cell.index) ?? [], driver).broken.length > 0
  })
}

/**
 * @param limitedOnes cells that the driver limited
 * @returns levels by leg (runner, direct, null), then ascending by n
 */
export function measuredLevels(state: SweepState, limitedOnes: readonly CellState[] = limitedCells(state)): MeasuredLevel[] {
  const limited = new Set(limitedOnes)
  const cells = new Map(state.cells.filter((cell) => !limited.has(cell)).map((cell) => [cell.cell.index, cell]))
  const byWave = new Map<string, { cell: CellState; wave: number; rows: TurnRow[] }>()
  let last: { cell: CellState; wave: number; rows: TurnRow[] } | undefined
  for (const row of state.rows) {
    // Rows of a wave mostly stand together.
    if (last !== undefined && row.cell === last.cell.cell.index && row.wave === last.wave) {
      last.rows.push(row)
      continue
    }
    const cell = cells.get(row.cell)
    if (cell === undefined || cell.status === 'void' || cell.cell.role === 'warm-up' || cell.cell.arm !== undefined) continue
    const key = `${row.cell}/${row.wave}`
    last = byWave.get(key)
    if (last === undefined) {
      last = { cell, wave: row.wave, rows: [] }
      byWave.set(key, last)
    }
    last.rows.push(row)
  }
  type Draft = { leg: Leg; n: number; ratePerSec: number | null; cells: Set<CellState>; waves: MeasuredWave[]; cut: number }
  const byLevel = new Map<string, Draft>()
  for (const wave of byWave.values()) {
    const { leg, n, load } = wave.cell.cell
    const ratePerSec = load?.kind === 'open' ? load.ratePerSec : null
    // Closed and open load never mix: under the one the server decides how many turns come.
    const key = ratePerSec === null ? `${leg}/${n}` : `${leg}/open/${ratePerSec}`
    const level: Draft = byLevel.get(key) ?? { leg, n, ratePerSec, cells: new Set(), waves: [], cut: 0 }
    byLevel.set(key, level)
    const cut = wave.rows.filter((row) => row.outcome === 'cut').length
    level.cut += cut
    // In a cell that did not come to its end, a wave without all its turns shows only the fast ones.
    const isWhole = wave.rows.length >= n && cut === 0
    const slices = load?.kind === 'sustained' ? slicesOf(wave, n) : null
    if (wave.cell.status !== 'done' && !isWhole && slices === null) continue
    level.cells.add(wave.cell)
    level.waves.push(...(slices ?? [wave]))
  }
  return [...byLevel.values()]
    .map(({ ratePerSec, ...level }): MeasuredLevel => {
      const cells = [...level.cells]
      return ratePerSec === null ? { ...level, cells } : { ...level, cells, n: Math.max(1, Math.round(meanInFlight(level.waves))), ratePerSec }
    })
    .sort((a, b) => LEG_ORDER[a.leg] - LEG_ORDER[b.leg] || (a.ratePerSec ?? 0) - (b.ratePerSec ?? 0) || a.n - b.n)
}

/**
 * M7: of a sustained cell only turns count that began in its steady span, in slices of time, which are its blocks as waves are those of a burst. Null where
 * N was never in flight for longer than the first wave. A cell that was broken off keeps what was steady before.
 */
function slicesOf(wave: MeasuredWave, n: number): MeasuredWave[] | null {
  const whole = steadySpan(wave.rows, n)
  const span = whole === null ? null : afterFirstWave(wave.rows, whole)
  if (span === null) return null
  const slices = timeSlices(wave.rows, span, n)
  return slices.length === 0 ? null : slices.map(({ span: of, rows }) => ({ ...wave, rows, slice: { span: of, around: wave.rows } }))
}

/** Little: what was held, over the time in which turns came (L = λ·W). */
function meanInFlight(waves: readonly MeasuredWave[]): number {
  let [heldMs, lengthMs] = [0, 0]
  for (const { cell, rows } of waves) {
    for (const row of rows) heldMs += row.endAtMs - row.plannedAtMs
    lengthMs += cell.cell.load?.spanMs ?? 0
  }
  return lengthMs > 0 ? heldMs / lengthMs : 0
}

/** Model calls of all turns, cut ones too, in the order of the rows. */
export function callsOf(level: MeasuredLevel): ModelCall[] {
  const calls: ModelCall[] = []
  for (const { rows } of level.waves) for (const row of rows) if (row.timeline !== null) for (const call of row.timeline.calls) calls.push(call)
  return calls
}

/** Turns that were started and not cut by us: the ones that shares and error rates count. */
export const isCounted = (row: TurnRow): boolean => row.outcome !== 'cut'
export const isCompleted = (row: TurnRow): boolean => row.outcome === 'completed'

/**
 * From what is known of a sweep back to events that give the same when folded: how a report's raw data becomes a stored sweep again.
 * The order of what happened is lost where the state does not hold it; the fold does not ask for it.
 */
import type { CellState, SweepState } from './fold-sweep.ts'
import type { SweepEvent } from './sweep-event.ts'

/** @returns in an order that the fold takes; a sweep that was running is given as interrupted */
export function eventsOfState(state: SweepState): SweepEvent[] {
  const { plan, environment, startedEpochMs, facts, lastAtMs } = state
  const rows = new Map<number, SweepEvent[]>()
  for (const row of state.rows) {
    const ofCell = rows.get(row.cell) ?? []
    ofCell.push({ type: 'turn-ended', atMs: row.endAtMs, row })
    rows.set(row.cell, ofCell)
  }
  const added = state.cells.slice(plan.cells.length)
  return [
    { type: 'sweep-started', atMs: 0, epochMs: startedEpochMs, plan, environment },
    ...(facts === null ? [] : [{ type: 'server-read' as const, atMs: 0, facts }]),
    ...added.map(({ cell, because }): SweepEvent => ({ type: 'cell-added', atMs: 0, cell, ...(because === null ? {} : { because }) })),
    ...state.cells.flatMap((cell) => eventsOfCell(cell, rows.get(cell.cell.index) ?? [])),
    ...(state.samples.length === 0 ? [] : [{ type: 'samples' as const, atMs: 0, samples: [...state.samples] }]),
    ...state.warnings.map(({ code, text, cell }): SweepEvent => ({ type: 'warning', atMs: 0, code, text, cell })),
    { type: 'sweep-ended', atMs: lastAtMs, outcome: state.status === 'running' ? 'interrupted' : state.status, problem: state.problem },
  ]
}

function eventsOfCell(
  { cell, status, startedAtMs, endedAtMs, wavesStarted, driver, drainMs, voidReason, because }: CellState,
  rows: SweepEvent[],
): SweepEvent[] {
  const { index } = cell
  const events: SweepEvent[] = []
  if (startedAtMs !== null) events.push({ type: 'cell-started', atMs: startedAtMs, cell: index })
  if (wavesStarted > 0) events.push({ type: 'wave-started', atMs: startedAtMs ?? 0, cell: index, wave: wavesStarted - 1 })
  events.push(...rows)
  const atMs = endedAtMs ?? 0
  if (status === 'done' || driver !== null || drainMs !== null) events.push({ type: 'cell-ended', atMs, cell: index, driver, drainMs })
  if (status === 'void' && voidReason !== null) events.push({ type: 'cell-void', atMs, cell: index, reason: voidReason })
  if (status === 'skipped') events.push({ type: 'cell-skipped', atMs: 0, cell: index, because: because ?? '' })
  return events
}

/** M10: did the load driver carry the level, or was it the instrument itself that gave way? A limited cell is invalid. */
import type { Cell } from './plan.ts'
import type { DriverReport } from './sweep-event.ts'
import type { TurnRow } from './turn-row.ts'

/** Delay of the driver that is accepted; on long turns also this share of the median wall. */
const MAX_DELAY_MS = 25
const MAX_DELAY_OF_WALL = 0.01

/** @returns one clause for each limit that was broken ("its submits lagged 80 ms at p99, 25 ms are allowed"); empty = the driver held */
export function driverLimits(cell: Cell, rows: readonly TurnRow[], report: DriverReport): string[] {
  const wallsMs = rows.filter((row) => row.outcome !== 'cut').map((row) => row.endAtMs - row.plannedAtMs)
  const allowedMs = Math.max(MAX_DELAY_MS, MAX_DELAY_OF_WALL * medianOf(wallsMs))
  const limits: string[] = []
  if (report.lagP99Ms > allowedMs) limits.push(`its submits lagged ${report.lagP99Ms.toFixed(0)} ms at p99, ${allowedMs.toFixed(0)} ms are allowed`)
  if (report.loopDelayP99Ms > allowedMs) {
    limits.push(`its event loop was late by ${report.loopDelayP99Ms.toFixed(0)} ms at p99, ${allowedMs.toFixed(0)} ms are allowed`)
  }
  // Turns that end before the burst is over can't all be in flight at once: no fault of the driver.
  const burstMs = (cell.plannedOffsetsMs.at(-1) ?? 0) + report.lagP99Ms
  const outlasted = rows.length > 0 && Math.min(...rows.map((row) => row.endAtMs - row.plannedAtMs)) > burstMs
  if (outlasted && report.maxInFlight < cell.n) limits.push(`it held ${report.maxInFlight} of ${cell.n} sessions in flight`)
  return limits
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0
}

/** M10: did the load driver carry the level, or was it the instrument itself that gave way? A limited cell is invalid. */
import type { Cell } from './plan.ts'
import type { DriverReport } from './sweep-event.ts'
import type { TurnRow } from './turn-row.ts'

/** A submit or a reading is late beyond this; on long turns also beyond this share of the median wall. */
const LATE_MS = 25
const LATE_OF_WALL = 0.01
/** A hiccup of the machine makes some sessions late, which is said; when more than this share is late, the driver did not carry the level. */
const LATE_ROWS = 0.25

export type DriverLimits = {
  /** One clause for each limit that was broken ("96 % of its submits were late by more than 25 ms"); empty = the driver held. */
  readonly broken: readonly string[]
  /** Share of sessions whose submit was late, 0 to 1. */
  readonly lateRatio: number
  readonly lateMs: number
}

export function driverLimits(cell: Cell, rows: readonly TurnRow[], report: DriverReport): DriverLimits {
  const fired = rows.filter((row) => row.outcome !== 'cut')
  const lateMs = Math.max(LATE_MS, LATE_OF_WALL * medianOf(fired.map((row) => row.endAtMs - row.plannedAtMs)))
  const lateRatio = fired.length === 0 ? 0 : fired.filter((row) => row.submitAtMs - row.plannedAtMs > lateMs).length / fired.length
  const broken: string[] = []
  if (lateRatio > LATE_ROWS) broken.push(`${Math.round(100 * lateRatio)} % of its submits were late by more than ${Math.round(lateMs)} ms`)
  // Of a short cell p99 is the one worst delay; twice the limit is more than a hiccup.
  if (report.loopDelayP99Ms > 2 * lateMs) {
    broken.push(`its event loop was late by ${Math.round(report.loopDelayP99Ms)} ms at p99, ${Math.round(2 * lateMs)} ms are allowed`)
  }
  // Turns that end before the burst is over can't all be in flight at once: no fault of the driver.
  const burstMs = (cell.plannedOffsetsMs.at(-1) ?? 0) + report.lagP99Ms
  const outlasted = fired.length > 0 && Math.min(...fired.map((row) => row.endAtMs - row.plannedAtMs)) > burstMs
  if (outlasted && report.maxInFlight < cell.n) broken.push(`it held ${report.maxInFlight} of ${cell.n} sessions in flight`)
  return { broken, lateRatio, lateMs }
}

function medianOf(values: readonly number[]): number {
  return new Float64Array(values).sort()[Math.floor(values.length / 2)] ?? 0
}

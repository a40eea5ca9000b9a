/** M4: model loads inside a cell. One load, seen by all requests that waited for it, is an accident and voids the cell; loads that recur are the finding. */
import type { TurnRow } from './turn-row.ts'

/** A warm model's `load` is scheduling; above this it was loaded. */
const LOAD_MS = 1_000
/** The same when the process list did not hold the model before the cell. */
const LOAD_OF_ABSENT_MS = 100
/** Requests whose loads end this close together waited for the same load. */
const SAME_LOAD_MS = 250

/**
 * How many times the model was loaded during these turns: requests that waited for the same load count once.
 * @param absentBefore the server's process list did not hold the model when the cell began
 */
export function countLoads(rows: readonly TurnRow[], absentBefore: boolean): number {
  const limitNs = (absentBefore ? LOAD_OF_ABSENT_MS : LOAD_MS) * 1e6
  const loads = rows
    .flatMap((row) => row.timeline?.calls ?? [])
    .flatMap((call) =>
      call.server !== null && call.server.loadNs > limitNs ? [{ fromMs: call.sentAtMs, toMs: call.sentAtMs + call.server.loadNs / 1e6 }] : [],
    )
    .sort((a, b) => a.toMs - b.toMs)
  let count = 0
  let lastToMs = Number.NEGATIVE_INFINITY
  for (const load of loads) {
    if (load.toMs - lastToMs > SAME_LOAD_MS) count += 1
    lastToMs = load.toMs
  }
  return count
}

export type ReloadRuling = 'none' | 'single' | 'recurring'

/**
 * @param loads of this cell
 * @param cellsVoidedBefore cells of this sweep that a single load has voided already: a third one is no accident any more
 * @param mixed the workload mixes models or options, so loads are what is being measured
 */
export function ruleOnLoads({ loads, cellsVoidedBefore, mixed }: { loads: number; cellsVoidedBefore: number; mixed: boolean }): ReloadRuling {
  if (loads === 0) return 'none'
  return loads > 1 || mixed || cellsVoidedBefore >= 2 ? 'recurring' : 'single'
}

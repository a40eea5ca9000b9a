/** Bars of a whole wave as the analysis attributes them: waiting is told from neighbours' prefill by the slots that were busy. Pure. */
import type { Analysis } from '../../../core/analysis/analysis.ts'
import { attributeCalls, type Baseline, baselineOf, shortestLoadMs } from '../../../core/analysis/calls/attribute-calls.ts'
import { partSegments } from '../../../core/analysis/calls/decompose-turn.ts'
import { callsOf, measuredLevels } from '../../../core/analysis/levels/measured-levels.ts'
import type { ModelCall } from '../../../core/session/timeline.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import type { TurnRow } from '../../../core/sweep/turn-row.ts'
import { type LaneBar, rowBars } from './lane-model.ts'

export type DecomposeWave = (rows: readonly TurnRow[]) => ReadonlyMap<number, readonly LaneBar[]>

const callsOfRows = (rows: readonly TurnRow[]): ModelCall[] => rows.flatMap((row) => row.timeline?.calls ?? [])
const completed = (calls: readonly ModelCall[]) => calls.filter((call) => call.outcome === 'completed')

function baselineFor(state: SweepState, slots: number): Baseline {
  const levels = measuredLevels(state).filter((level) => level.leg !== 'null')
  const lowest = levels.find((level) => level.n <= Math.max(1, slots))
  return baselineOf(lowest === undefined ? [] : completed(callsOf(lowest)), shortestLoadMs(completed(levels.flatMap(callsOf))))
}

/**
 * @returns bars of each session of a wave, stamps on the sweep's axis. Before a plateau of slots is known, and for a wave that still runs,
 * each row is taken alone and the server at its word.
 */
export function decomposeWave(state: SweepState, analysis: Analysis | undefined): DecomposeWave {
  const slots = analysis?.effectiveSlots.plateau === true ? analysis.effectiveSlots.n : null
  const baseline = slots === null ? undefined : baselineFor(state, slots)
  return (rows) => {
    const cell = state.cells[rows[0]?.cell ?? -1]?.cell
    if (baseline === undefined || cell === undefined || rows.length < cell.n || cell.leg === 'null') {
      return new Map(rows.map((row) => [row.session, rowBars(row)]))
    }
    const parts = attributeCalls(callsOfRows(rows), slots, baseline)
    return new Map(
      rows.map((row) => [
        row.session,
        partSegments(
          row,
          (row.timeline?.calls ?? []).map((call) => parts.get(call)),
        ),
      ]),
    )
  }
}

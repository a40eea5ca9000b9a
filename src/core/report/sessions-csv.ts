/** Every turn of a sweep as one line of CSV: `plimsoll.sessions/1`, documented in docs/exports.md. Within a version columns are added at the end, never renamed. */

import { PARTS } from '../analysis/analysis.ts'
import { decomposeTurn, type TurnParts } from '../analysis/calls/decompose-turn.ts'
import { sweepFacts } from '../analysis/levels/level-facts.ts'
import { problemText } from '../result/problem.ts'
import type { CellState, SweepState } from '../sweep/fold-sweep.ts'
import type { TurnRow } from '../sweep/turn-row.ts'
import { type CsvColumn, csvOf, snake } from './csv.ts'

export const SESSIONS_CSV_SCHEMA = 'plimsoll.sessions/1'

type Line = {
  readonly sweepId: string
  readonly row: TurnRow
  readonly cell: CellState
  readonly counts: boolean
  readonly parts: TurnParts | undefined
}

/** From the planned moment, as all latencies. */
const since = (row: TurnRow, atMs: number | null | undefined) => (atMs === null || atMs === undefined ? null : atMs - row.plannedAtMs)
const calls = ({ timeline }: TurnRow) => timeline?.calls ?? []
const firstCall = (row: TurnRow) => calls(row)[0]

export const SESSION_COLUMNS: readonly CsvColumn<Line>[] = [
  ['schema', () => SESSIONS_CSV_SCHEMA],
  ['sweep_id', ({ sweepId }) => sweepId],
  ['leg', ({ cell }) => cell.cell.leg],
  ['n', ({ cell }) => cell.cell.n],
  ['cell', ({ row }) => row.cell],
  ['role', ({ cell }) => cell.cell.role],
  ['repeat', ({ cell }) => cell.cell.repeat],
  ['cell_status', ({ cell }) => cell.status],
  ['counts', ({ counts }) => counts],
  ['wave', ({ row }) => row.wave],
  ['session', ({ row }) => row.session],
  ['turn', ({ row }) => row.turn ?? 0],
  ['outcome', ({ row }) => row.outcome],
  ['planned_at_ms', ({ row }) => row.plannedAtMs],
  ['submit_lag_ms', ({ row }) => since(row, row.submitAtMs)],
  ['accepted_ms', ({ row }) => since(row, row.acceptedAtMs)],
  ['first_model_request_ms', ({ row }) => since(row, firstCall(row)?.sentAtMs)],
  ['ttfa_ms', ({ row }) => since(row, row.firstActivityAtMs)],
  ['done_ms', ({ row }) => since(row, row.doneAtMs)],
  ['wall_ms', ({ row }) => since(row, row.endAtMs)],
  ['ttft_ms', ({ row }) => ttftMs(row)],
  ['model_calls', ({ row }) => calls(row).length],
  ['output_tokens', ({ row }) => (row.timeline === null ? null : calls(row).reduce((sum, { outputTokens }) => sum + (outputTokens ?? 0), 0))],
  ['receive_lag_ms', ({ row }) => row.receiveLagMs],
  ...PARTS.map((part): CsvColumn<Line> => [`${snake(part)}_part_ms`, ({ parts }) => parts?.[part]]),
  ['problem_code', ({ row }) => row.problem?.code],
  ['problem', ({ row }) => row.problem && problemText(row.problem)],
]

function ttftMs(row: TurnRow): number | null {
  const call = firstCall(row)
  return call === undefined || call.sentAtMs === null || call.firstDeltaAtMs === null ? null : call.firstDeltaAtMs - call.sentAtMs
}

/** All rows, in the order they ended; those of warm-ups, void cells and broken-off waves too, with `counts` false. */
export function sessionsCsv(state: SweepState): string {
  const parts = new Map(
    sweepFacts(state).levels.flatMap(({ turns }) => turns.map(({ row, calls: split }) => [row, decomposeTurn(row, split)] as const)),
  )
  const lines = state.rows.flatMap((row): Line[] => {
    const cell = state.cells[row.cell]
    if (cell === undefined) return []
    const ofRow = parts.get(row)
    return [{ sweepId: state.plan.sweepId, row, cell, counts: ofRow !== undefined, parts: ofRow }]
  })
  return csvOf(SESSION_COLUMNS, lines)
}

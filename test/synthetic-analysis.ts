/** Analyses of synthetic sweeps, and of sweeps whose rows were changed afterwards: what a proxy, a cache, a provider or a clock would have made of them. */
import { analyse } from '../src/core/analysis/analyse.ts'
import type { Analysis } from '../src/core/analysis/analysis.ts'
import { problem } from '../src/core/result/problem.ts'
import type { ModelCall } from '../src/core/session/timeline.ts'
import { type SweepState, sweepStateOf } from '../src/core/sweep/fold-sweep.ts'
import type { TurnRow } from '../src/core/sweep/turn-row.ts'
import { type SyntheticSettings, syntheticSweep } from './synthetic-sweep.ts'

const BASE: SyntheticSettings = { slots: 4, levels: [1, 2, 4, 8, 16], prefillMs: 50, tokenMs: 10, outputTokens: 20, waves: 3, seed: 3 }

export function syntheticState(changes: Partial<SyntheticSettings> = {}): SweepState {
  const state = sweepStateOf(syntheticSweep({ ...BASE, ...changes }))
  if (state === undefined) throw new Error('a started sweep has a state')
  return state
}

export const analysisOf = (changes: Partial<SyntheticSettings> = {}): Analysis => analyse(syntheticState(changes))
export const verdictOf = (changes: Partial<SyntheticSettings> = {}) => analysisOf(changes).verdict

/** Each model call as something between server and client would have shown it. */
export function withCalls(state: SweepState, change: (call: ModelCall, row: TurnRow) => ModelCall): SweepState {
  const rows = state.rows.map((row) =>
    row.timeline === null ? row : { ...row, timeline: { ...row.timeline, calls: row.timeline.calls.map((call) => change(call, row)) } },
  )
  return { ...state, rows }
}

/** Turns that `why` gives a reason for were refused by status and sentence, some ms after they were sent. */
export function withFailures(state: SweepState, why: (row: TurnRow, n: number) => { status: number; sentence: string } | null): SweepState {
  const levels = new Map(state.cells.map(({ cell }) => [cell.index, cell.n]))
  const rows = state.rows.map((row): TurnRow => {
    const failure = why(row, levels.get(row.cell) ?? 0)
    const [call] = row.timeline?.calls ?? []
    if (failure === null || row.timeline === null || call === undefined) return row
    const said = problem('server-error', `http://x answers ${failure.status} and says: ${failure.sentence}`, '', '')
    const endAtMs = call.sentAtMs + 5
    const failed: ModelCall = {
      ...call,
      ...{ firstByteAtMs: null, firstDeltaAtMs: null, firstTextAtMs: null, lastDeltaAtMs: null, headersAtMs: endAtMs, endAtMs },
      ...{ endMarker: false, outcome: 'failed', httpStatus: failure.status, problem: said, outputTokens: null, server: null },
    }
    const timeline = {
      ...row.timeline,
      firstActivityAtMs: null,
      doneAtMs: null,
      backgroundEndAtMs: endAtMs,
      outcome: 'failed' as const,
      problem: said,
    }
    return {
      ...row,
      ...{ firstActivityAtMs: null, doneAtMs: null, endAtMs: endAtMs + 1, outcome: 'failed', problem: said },
      timeline: { ...timeline, calls: [failed] },
    }
  })
  return { ...state, rows }
}

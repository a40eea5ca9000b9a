/** One wave of the largest level, lane by lane: the picture in which a queue is a staircase. */
import type { Analysis } from '../analysis/analysis.ts'
import type { ModelCall, Outcome } from '../session/timeline.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { TurnRow } from '../sweep/turn-row.ts'
import { type CallWait, type LaneSpan, laneSpans } from './lane-spans.ts'
import { countingCells, leadLeg } from './report-levels.ts'
import { evenly } from './session-dots.ts'

export type WaveLane = {
  /** 1 to N, in the order of submitting. */
  readonly session: number
  readonly ttfaMs: number | null
  readonly wallMs: number
  readonly outcome: Outcome
  /** Count from the wave's first planned moment. */
  readonly spans: readonly LaneSpan[]
}

export type WaveLanes = {
  readonly n: number
  readonly repeat: number
  readonly wave: number
  readonly total: number
  readonly lengthMs: number
  readonly lanes: readonly WaveLane[]
}

/**
 * The wave whose length is the median among those with the most completed sessions.
 * @param limit of lanes; more are thinned evenly
 * @returns lanes in the order of first activity, those without one last; undefined when the leg has no wave
 */
export function waveLanes(state: SweepState, analysis: Analysis, limit: number): WaveLanes | undefined {
  const leg = leadLeg(analysis)
  const cells = countingCells(state).filter(({ cell }) => cell.leg === leg && cell.role === 'measure')
  const counted = new Set(state.rows.map((row) => row.cell))
  const largest = Math.max(...cells.filter(({ cell }) => counted.has(cell.index)).map(({ cell }) => cell.n))
  const chosen = cells.filter(({ cell }) => cell.n === largest)
  const wave = medianWave(chosen.flatMap(({ cell }) => wavesOf(state.rows, cell.index)))
  const [first] = wave ?? []
  if (wave === undefined || first === undefined) return undefined
  const startMs = Math.min(...wave.map((row) => row.plannedAtMs))
  const lanes = wave
    .map((row) => laneOf(row, startMs))
    .sort((a, b) => (a.ttfaMs ?? Number.POSITIVE_INFINITY) - (b.ttfaMs ?? Number.POSITIVE_INFINITY))
  return {
    n: largest,
    repeat: chosen.find(({ cell }) => cell.index === first.cell)?.cell.repeat ?? 1,
    wave: first.wave + 1,
    total: lanes.length,
    lengthMs: lengthMs(wave),
    lanes: evenly(lanes, limit),
  }
}

function wavesOf(rows: readonly TurnRow[], cell: number): TurnRow[][] {
  const waves = new Map<number, TurnRow[]>()
  for (const row of rows) if (row.cell === cell) waves.set(row.wave, [...(waves.get(row.wave) ?? []), row])
  return [...waves.values()]
}

const lengthMs = (wave: readonly TurnRow[]) => Math.max(...wave.map((row) => row.endAtMs)) - Math.min(...wave.map((row) => row.plannedAtMs))
const completed = (wave: readonly TurnRow[]) => wave.filter((row) => row.outcome === 'completed').length

function medianWave(waves: readonly TurnRow[][]): TurnRow[] | undefined {
  const best = Math.max(...waves.map(completed))
  const candidates = waves.filter((wave) => completed(wave) === best).sort((a, b) => lengthMs(a) - lengthMs(b))
  return candidates[Math.floor((candidates.length - 1) / 2)]
}

function laneOf(row: TurnRow, startMs: number): WaveLane {
  return {
    session: row.session + 1,
    ttfaMs: row.firstActivityAtMs === null ? null : row.firstActivityAtMs - row.plannedAtMs,
    wallMs: row.endAtMs - row.plannedAtMs,
    outcome: row.outcome,
    spans: laneSpans(row, waitByServer).map(({ part, fromMs, toMs }) => ({ part, fromMs: fromMs - startMs, toMs: toMs - startMs })),
  }
}

/** Load longer than this waited for a model to be swapped or loaded (M4); a warm one is scheduled within it. */
const SWAP_ABOVE_MS = 200

/** As the server's own durations tell it; without them the whole wait counts as queue. */
function waitByServer(call: ModelCall): CallWait {
  const waitMs = (call.firstDeltaAtMs ?? call.endAtMs) - call.sentAtMs
  const none = { queueMs: 0, swapMs: 0, loadMs: 0, neighbourPrefillMs: 0, prefillMs: 0 }
  if (call.server === null) return { ...none, queueMs: waitMs }
  const loadMs = call.server.loadNs / 1e6
  const prefillMs = call.server.promptEvalNs / 1e6
  const queueMs = Math.max(0, waitMs - loadMs - prefillMs)
  return loadMs > SWAP_ABOVE_MS ? { ...none, queueMs, swapMs: loadMs, prefillMs } : { ...none, queueMs, loadMs, prefillMs }
}

/** One wave of the largest level, lane by lane: the picture in which a queue is a staircase. */
import { type PartSegment, partSegments } from '../analysis/calls/decompose-turn.ts'
import { type AttributedTurn, sweepFacts } from '../analysis/levels/level-facts.ts'
import type { Outcome } from '../session/timeline.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { Leg } from '../sweep/plan.ts'
import { evenly } from './session-dots.ts'

export type WaveLane = {
  /** 1 to N, in the order of submitting. */
  readonly session: number
  readonly ttfaMs: number | null
  readonly wallMs: number
  readonly outcome: Outcome
  /** Count from the wave's first planned moment. */
  readonly spans: readonly PartSegment[]
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
 * @returns lanes in the order of first activity, those without one last; undefined when nothing was measured
 */
export function waveLanes(state: SweepState, leg: Leg, limit: number): WaveLanes | undefined {
  const level = sweepFacts(state)
    .levels.filter((facts) => facts.level.leg === leg)
    .at(-1)
  const wave = level === undefined ? undefined : medianWave(wavesOf(level.turns))
  const [first] = wave ?? []
  if (level === undefined || wave === undefined || first === undefined) return undefined
  const startMs = Math.min(...wave.map(({ row }) => row.plannedAtMs))
  const lanes = wave
    .map((turn) => laneOf(turn, startMs))
    .sort((a, b) => (a.ttfaMs ?? Number.POSITIVE_INFINITY) - (b.ttfaMs ?? Number.POSITIVE_INFINITY))
  return {
    n: level.level.n,
    repeat: level.level.cells.find(({ cell }) => cell.index === first.row.cell)?.cell.repeat ?? 1,
    wave: first.row.wave + 1,
    total: lanes.length,
    lengthMs: lengthMs(wave),
    lanes: evenly(lanes, limit),
  }
}

function wavesOf(turns: readonly AttributedTurn[]): AttributedTurn[][] {
  const waves = new Map<string, AttributedTurn[]>()
  for (const turn of turns) {
    const key = `${turn.row.cell}/${turn.row.wave}`
    const wave = waves.get(key)
    if (wave === undefined) waves.set(key, [turn])
    else wave.push(turn)
  }
  return [...waves.values()]
}

const lengthMs = (wave: readonly AttributedTurn[]) =>
  Math.max(...wave.map(({ row }) => row.endAtMs)) - Math.min(...wave.map(({ row }) => row.plannedAtMs))
const completed = (wave: readonly AttributedTurn[]) => wave.filter(({ row }) => row.outcome === 'completed').length

function medianWave(waves: readonly AttributedTurn[][]): AttributedTurn[] | undefined {
  const best = Math.max(...waves.map(completed))
  const candidates = waves.filter((wave) => completed(wave) === best).sort((a, b) => lengthMs(a) - lengthMs(b))
  return candidates[Math.floor((candidates.length - 1) / 2)]
}

function laneOf({ row, calls }: AttributedTurn, startMs: number): WaveLane {
  return {
    session: row.session + 1,
    ttfaMs: row.firstActivityAtMs === null ? null : row.firstActivityAtMs - row.plannedAtMs,
    wallMs: row.endAtMs - row.plannedAtMs,
    outcome: row.outcome,
    spans: partSegments(row, calls).map(({ part, fromMs, toMs }) => ({ part, fromMs: fromMs - startMs, toMs: toMs - startMs })),
  }
}

/** One level with all that is worked out of its rows: overlap, attribution of each call, parts of each turn, one block a wave for the bootstrap. */
import type { ModelCall } from '../../session/timeline.ts'
import type { CellState, SweepState } from '../../sweep/fold-sweep.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { PARTS } from '../analysis.ts'
import { attributeCalls, type Baseline, baselineOf, type CallParts, shortestLoadMs } from '../calls/attribute-calls.ts'
import { decomposeTurn, noParts, type TurnParts } from '../calls/decompose-turn.ts'
import { type EffectiveSlots, effectiveSlots, type LevelOverlap, levelOverlap } from '../calls/effective-slots.ts'
import { isLongLoad } from '../calls/load-kinds.ts'
import { callsOf, isCompleted, limitedCells, type MeasuredLevel, measuredLevels } from './measured-levels.ts'

export type AttributedTurn = {
  readonly row: TurnRow
  /** In the order of the time line's calls. */
  readonly calls: readonly CallParts[]
  readonly parts: TurnParts
}

/** Sums over one wave: what the bootstrap draws. Parts and wall are those of completed turns, tokens and times those of all. */
export type WaveBlock = {
  readonly turns: number
  readonly parts: TurnParts
  readonly wallMs: number
  readonly busyMs: number
  /** The wave's beginning until fewer turns are unfinished than the level serves at once, and the tokens that came in that time (`fullPart`). */
  readonly fullTokens: number
  readonly fullMs: number
}

export type LevelFacts = {
  readonly level: MeasuredLevel
  readonly overlap: LevelOverlap
  readonly turns: readonly AttributedTurn[]
  readonly waves: readonly WaveBlock[]
}

export type SweepFacts = {
  readonly levels: readonly LevelFacts[]
  /** Cells that the driver limited. */
  readonly limited: readonly CellState[]
  readonly slots: EffectiveSlots
  /** Calls whose load was far above the shortest one, warm-up left out. */
  readonly longLoads: readonly ModelCall[]
}

export function sweepFacts(state: SweepState): SweepFacts {
  const limited = limitedCells(state)
  const levels = measuredLevels(state, limited)
  const overlaps = new Map(levels.map((level) => [level, levelOverlap(level)]))
  const slots = effectiveSlots(levels.flatMap((level) => (level.leg === 'null' ? [] : (overlaps.get(level) ?? []))))
  const limit = slots.plateau ? slots.n : null
  const completed = new Map(levels.map((level) => [level, callsOf(level).filter((call) => call.outcome === 'completed')]))
  const completedCalls = (level: MeasuredLevel) => completed.get(level) ?? []
  const ofServer = levels.filter((level) => level.leg !== 'null')
  const all = ofServer.flatMap(completedCalls)
  const shortestMs = shortestLoadMs(all)
  const facts = levels.map((level): LevelFacts => {
    const lowest = levels.find((other) => other.leg === level.leg && other.n <= Math.max(1, limit ?? 1))
    const baseline = baselineOf(
      lowest === undefined ? [] : completedCalls(lowest),
      level.leg === 'null' ? shortestLoadMs(completedCalls(level)) : shortestMs,
    )
    const overlap = overlaps.get(level) ?? levelOverlap(level)
    const servedAtOnce = Math.max(1, Math.min(level.n, overlap.streaming.lasting))
    const turns = level.waves.map((wave) => attributeWave(wave.rows, level.leg === 'null' ? null : limit, baseline))
    return { level, overlap, turns: turns.flat(), waves: turns.map((wave) => blockOf(wave, servedAtOnce)) }
  })
  return { levels: facts, limited, slots, longLoads: all.filter((call) => isLongLoad(call, shortestMs)) }
}

function attributeWave(rows: readonly TurnRow[], slots: number | null, baseline: Baseline): AttributedTurn[] {
  const all: ModelCall[] = []
  for (const row of rows) if (row.timeline !== null) all.push(...row.timeline.calls)
  const parts = attributeCalls(all, slots, baseline)
  return rows.map((row) => {
    const calls: CallParts[] = []
    for (const call of row.timeline?.calls ?? []) {
      const split = parts.get(call)
      if (split !== undefined) calls.push(split)
    }
    return { row, calls, parts: decomposeTurn(row, calls) }
  })
}

export const wallMsOf = (row: TurnRow): number => row.endAtMs - row.plannedAtMs

export function tokensOf(row: TurnRow): number {
  let tokens = 0
  if (row.timeline !== null) for (const call of row.timeline.calls) tokens += call.outputTokens ?? 0
  return tokens
}

function blockOf(turns: readonly AttributedTurn[], servedAtOnce: number): WaveBlock {
  const parts = noParts()
  let completed = 0
  let wallMs = 0
  let fromMs = Number.POSITIVE_INFINITY
  let toMs = Number.NEGATIVE_INFINITY
  for (const turn of turns) {
    fromMs = Math.min(fromMs, turn.row.submitAtMs)
    toMs = Math.max(toMs, turn.row.endAtMs)
    if (!isCompleted(turn.row)) continue
    completed += 1
    wallMs += wallMsOf(turn.row)
    for (const part of PARTS) parts[part] += turn.parts[part]
  }
  const busyMs = Math.max(0, toMs - fromMs)
  const full = fullPart(turns, servedAtOnce, fromMs)
  return { turns: completed, parts, wallMs, busyMs, fullTokens: full.tokens, fullMs: full.lengthMs }
}

/**
 * M7: towards its end a burst leaves slots empty, only because no more turns come. That tail says nothing of what the server carries: four turns on
 * three slots take two rounds, and tokens over the whole wave would tell two thirds of its rate.
 */
function fullPart(turns: readonly AttributedTurn[], servedAtOnce: number, fromMs: number): { tokens: number; lengthMs: number } {
  const ends = new Float64Array(turns.length)
  for (const [index, turn] of turns.entries()) ends[index] = turn.row.endAtMs
  const toMs = ends.sort()[Math.max(0, turns.length - servedAtOnce)] ?? fromMs
  let tokens = 0
  for (const { row } of turns) if (row.timeline !== null) for (const call of row.timeline.calls) tokens += tokensUntil(call, toMs)
  return { tokens, lengthMs: Math.max(0, toMs - fromMs) }
}

/** Tokens are taken to come evenly from the first delta to the last. */
function tokensUntil(call: ModelCall, atMs: number): number {
  const tokens = call.outputTokens ?? 0
  const lastMs = call.lastDeltaAtMs ?? call.endAtMs
  if (lastMs <= atMs) return tokens
  const firstMs = call.firstDeltaAtMs ?? lastMs
  return firstMs >= atMs ? 0 : (tokens * (atMs - firstMs)) / (lastMs - firstMs)
}

/** Blocks for the bootstrap: waves, or single turns where a level has too few waves to draw from. */
export function blocksOf(facts: LevelFacts): readonly WaveBlock[] {
  const whole = facts.waves.filter((wave) => wave.turns > 0)
  if (whole.length >= 3) return whole
  return facts.turns.filter((turn) => isCompleted(turn.row)).map((turn) => blockOf([turn], 1))
}

export type MeanParts = { readonly parts: TurnParts; readonly wallMs: number }

/** Mean milliseconds a completed turn; null for none. */
export function meanParts(blocks: readonly WaveBlock[]): MeanParts | null {
  const turns = blocks.reduce((sum, block) => sum + block.turns, 0)
  if (turns === 0) return null
  const parts = noParts()
  let wallMs = 0
  for (const block of blocks) {
    wallMs += block.wallMs / turns
    for (const part of PARTS) parts[part] += block.parts[part] / turns
  }
  return { parts, wallMs }
}

/** Total rate under full load, tokens per second; null without such time. */
export function tokenRate(blocks: readonly WaveBlock[]): number | null {
  const fullMs = blocks.reduce((sum, block) => sum + block.fullMs, 0)
  const tokens = blocks.reduce((sum, block) => sum + block.fullTokens, 0)
  return fullMs > 0 ? (1000 * tokens) / fullMs : null
}

/** One level with all that is worked out of its rows: overlap, attribution of each call, parts of each turn, one block a wave for the bootstrap. */
import type { ModelCall } from '../../session/timeline.ts'
import type { CellState, SweepState } from '../../sweep/fold-sweep.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { PARTS } from '../analysis.ts'
import { type Baseline, baselineOf, type CallParts, shortestLoadMs, splitCalls } from '../calls/attribute-calls.ts'
import { addParts, decomposeInto, decomposeTurn, noParts, type TurnParts } from '../calls/decompose-turn.ts'
import { type EffectiveSlots, effectiveSlots, type LevelOverlap, levelOverlap } from '../calls/effective-slots.ts'
import { isLongLoad } from '../calls/load-kinds.ts'
import { callsOf, isCompleted, limitedCells, type MeasuredLevel, type MeasuredWave, measuredLevels } from './measured-levels.ts'

export type AttributedTurn = {
  readonly row: TurnRow
  /** In the order of the time line's calls. */
  readonly calls: readonly CallParts[]
  /** Of its parts the one that is asked for turn by turn; all of them: `partsOf`. */
  readonly queueMs: number
}

/** Worked out anew at each call: a hundred thousand of them kept would be most of the memory of an analysis. */
export const partsOf = (turn: AttributedTurn): TurnParts => decomposeTurn(turn.row, turn.calls)

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
  const levels = measuredLevels(state, limited).map(inOrder)
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
    const waves = attributeWaves(level.waves, level.leg === 'null' ? null : limit, baseline)
    const blocks = waves.map(({ turns, parts, slice }) =>
      slice === undefined ? blockOf(turns, parts, servedAtOnce) : sliceBlock(turns, parts, slice),
    )
    return { level, overlap, turns: waves.flatMap(({ turns }) => turns), waves: blocks }
  })
  return { levels: facts, limited, slots, longLoads: all.filter((call) => isLongLoad(call, shortestMs)) }
}

/** M12: rows come in the order in which turns ended, and those of one moment in any; sums must not depend on it. */
function inOrder(level: MeasuredLevel): MeasuredLevel {
  const waves = level.waves.map((wave) => ({
    ...wave,
    rows: wave.rows.toSorted((a, b) => a.session - b.session || (a.turn ?? 0) - (b.turn ?? 0)),
  }))
  const fromMs = ({ slice }: MeasuredWave) => slice?.span.fromMs ?? 0
  return { ...level, waves: waves.sort((a, b) => a.cell.cell.index - b.cell.cell.index || a.wave - b.wave || fromMs(a) - fromMs(b)) }
}

type AttributedWave = { turns: AttributedTurn[]; parts: TurnParts; slice?: MeasuredWave['slice'] }

/** A slice's turns had the whole cell for neighbours: it is attributed once, and each slice takes its own turns out of it. */
function attributeWaves(waves: readonly MeasuredWave[], slots: number | null, baseline: Baseline): AttributedWave[] {
  const cells = new Map<readonly TurnRow[], Map<TurnRow, AttributedTurn>>()
  return waves.map(({ rows, slice }) => {
    if (slice === undefined) return attributeWave(rows, slots, baseline)
    const { around } = slice
    let known = cells.get(around)
    if (known === undefined) {
      const ordered = around.toSorted((a, b) => a.session - b.session || (a.turn ?? 0) - (b.turn ?? 0))
      known = new Map(attributeWave(ordered, slots, baseline).turns.map((turn) => [turn.row, turn]))
      cells.set(around, known)
    }
    const turns = rows.flatMap((row) => known.get(row) ?? [])
    const parts = noParts()
    for (const turn of turns) if (isCompleted(turn.row)) addParts(parts, partsOf(turn))
    return { turns, parts, slice }
  })
}

/** @returns the turns of a wave, and the sums of the parts of those that came through */
function attributeWave(rows: readonly TurnRow[], slots: number | null, baseline: Baseline): { turns: AttributedTurn[]; parts: TurnParts } {
  const all: ModelCall[] = []
  for (const row of rows) if (row.timeline !== null) for (const call of row.timeline.calls) all.push(call)
  const split = splitCalls(all, slots, baseline)
  const [sums, ofTurn] = [noParts(), noParts()]
  let at = 0
  const turns = rows.map((row) => {
    const count = row.timeline?.calls.length ?? 0
    const calls = split.slice(at, at + count)
    at += count
    decomposeInto(ofTurn, row, calls)
    if (isCompleted(row)) addParts(sums, ofTurn)
    return { row, calls, queueMs: ofTurn.queue }
  })
  return { turns, parts: sums }
}

export const wallMsOf = (row: TurnRow): number => row.endAtMs - row.plannedAtMs

/** @param parts sums of the completed turns */
function blockOf(turns: readonly AttributedTurn[], parts: TurnParts, servedAtOnce: number): WaveBlock {
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
  }
  const busyMs = Math.max(0, toMs - fromMs)
  const full = fullPart(turns, servedAtOnce, fromMs)
  return { turns: completed, parts, wallMs, busyMs, fullTokens: full.tokens, fullMs: full.lengthMs }
}

/** Turns belong to the slice of their beginning, tokens to that of their arrival, whoever they are for: N stay in flight all through it. */
function sliceBlock(turns: readonly AttributedTurn[], parts: TurnParts, { span, around }: NonNullable<MeasuredWave['slice']>): WaveBlock {
  let [completed, wallMs, tokens] = [0, 0, 0]
  for (const { row } of turns) {
    if (!isCompleted(row)) continue
    completed += 1
    wallMs += wallMsOf(row)
  }
  for (const { timeline, submitAtMs, endAtMs } of around) {
    if (timeline === null || endAtMs <= span.fromMs || submitAtMs >= span.toMs) continue
    for (const call of timeline.calls) tokens += tokensUntil(call, span.toMs) - tokensUntil(call, span.fromMs)
  }
  const lengthMs = span.toMs - span.fromMs
  return { turns: completed, parts, wallMs, busyMs: lengthMs, fullTokens: tokens, fullMs: lengthMs }
}

/**
 * M7: towards its end a burst leaves slots empty, only because no more turns come. That tail says nothing of what the server carries: four turns on
 * three slots take two rounds, and tokens over the whole wave would tell two thirds of its rate.
 */
function fullPart(turns: readonly AttributedTurn[], servedAtOnce: number, fromMs: number): { tokens: number; lengthMs: number } {
  const ends = new Float64Array(turns.length)
  turns.forEach((turn, index) => {
    ends[index] = turn.row.endAtMs
  })
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
  return facts.turns.filter((turn) => isCompleted(turn.row)).map((turn) => blockOf([turn], partsOf(turn), 1))
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

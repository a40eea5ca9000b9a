/** The cells of an intervention as figures: the same as a level's, but of cells in which one thing was changed, so that they belong to no level. */
import type { ModelCall } from '../../session/timeline.ts'
import type { SweepState } from '../../sweep/fold-sweep.ts'
import type { Cell } from '../../sweep/plan.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import type { Part } from '../analysis.ts'
import { attributeCalls, type Baseline, type CallParts } from '../calls/attribute-calls.ts'
import { decomposeTurn, noParts } from '../calls/decompose-turn.ts'
import { type Overlap, overlapOf, type Span } from '../calls/lasting-overlap.ts'
import { wallMsOf } from '../levels/level-facts.ts'
import { isCompleted } from '../levels/measured-levels.ts'
import { median } from '../statistics/percentiles.ts'

export type ArmFacts = {
  readonly arm: NonNullable<Cell['arm']>
  readonly n: number
  readonly turns: number
  /** Mean of a completed turn. */
  readonly wallMs: number
  readonly partsMs: Readonly<Record<Part, number>>
  readonly streaming: Overlap
  /** Median as the server counts it; null where it doesn't. */
  readonly promptTokens: number | null
}

/** Fewer completed turns than this say nothing. */
const FEWEST_TURNS = 3

/** @param baseline what one call costs without a queue, of the sweep's lowest level */
export function armFacts(state: SweepState, baseline: Baseline): ArmFacts[] {
  const cells = new Map(state.cells.filter(({ cell, status }) => cell.arm !== undefined && status === 'done').map(({ cell }) => [cell.index, cell]))
  if (cells.size === 0) return []
  const groups = new Map<string, { cell: Cell; rows: TurnRow[] }>()
  for (const row of state.rows) {
    const cell = cells.get(row.cell)
    if (cell === undefined) continue
    const key = JSON.stringify([cell.leg, cell.n, cell.arm])
    const group = groups.get(key) ?? { cell, rows: [] }
    groups.set(key, group)
    group.rows.push(row)
  }
  return [...groups.values()].flatMap(({ cell, rows }) => factsOf(cell, rows, baseline) ?? [])
}

function factsOf(cell: Cell, rows: readonly TurnRow[], baseline: Baseline): ArmFacts | null {
  const completed = rows.filter(isCompleted)
  if (cell.arm === undefined || completed.length < FEWEST_TURNS) return null
  const [streaming, asked] = [overlapIn(rows, streamOf), overlapIn(rows, askedOf)]
  const slots = streaming.lasting > 0 && streaming.lasting < asked.lasting ? streaming.lasting : null
  const partsMs = noParts()
  let wallMs = 0
  for (const wave of wavesOf(rows)) {
    const parts = attributeCalls(wave.flatMap(callsOf), slots, baseline)
    for (const row of wave.filter(isCompleted)) {
      const split = decomposeTurn(
        row,
        callsOf(row).map((call): CallParts | undefined => parts.get(call)),
      )
      wallMs += wallMsOf(row) / completed.length
      for (const part of Object.keys(partsMs) as Part[]) partsMs[part] += split[part] / completed.length
    }
  }
  return { arm: cell.arm, n: cell.n, turns: completed.length, wallMs, partsMs, streaming, promptTokens: promptTokensOf(completed) }
}

const callsOf = (row: TurnRow): readonly ModelCall[] => row.timeline?.calls ?? []
const askedOf = (call: ModelCall): Span => ({ fromMs: call.sentAtMs, toMs: call.endAtMs })
const streamOf = (call: ModelCall): Span | null =>
  call.firstDeltaAtMs === null || call.lastDeltaAtMs === null ? null : { fromMs: call.firstDeltaAtMs, toMs: call.lastDeltaAtMs }

const overlapIn = (rows: readonly TurnRow[], spanOf: (call: ModelCall) => Span | null) =>
  overlapOf(rows.flatMap((row) => callsOf(row).flatMap((call) => spanOf(call) ?? [])))

function wavesOf(rows: readonly TurnRow[]): TurnRow[][] {
  const waves = new Map<string, TurnRow[]>()
  for (const row of rows) {
    const key = `${row.cell}/${row.wave}`
    const wave = waves.get(key)
    if (wave === undefined) waves.set(key, [row])
    else wave.push(row)
  }
  return [...waves.values()]
}

/** Of each turn's first call: later ones hold the conversation as well. */
export function promptTokensOf(rows: readonly TurnRow[]): number | null {
  return median(rows.flatMap((row) => callsOf(row)[0]?.promptTokens ?? []))
}

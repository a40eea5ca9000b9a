/** What the plan has to know of each level measured so far: how long it takes, how much comes of it, how much lies open at once. Rougher than the analysis, and quick. */
import { effectiveSlots, type LevelOverlap } from '../analysis/calls/effective-slots.ts'
import { overlapOf, type Span } from '../analysis/calls/lasting-overlap.ts'
import { upperBound } from '../analysis/statistics/binomial-bounds.ts'
import type { CellState, SweepState } from './fold-sweep.ts'
import type { TurnRow } from './turn-row.ts'

/** All that a plan goes by. */
export type Seen = Pick<SweepState, 'plan' | 'cells' | 'rows'> & {
  /** Since the sweep began, or since it went on. */
  readonly elapsedMs: number
}

export type Rung = {
  readonly n: number
  /** Of the cells that counted, in the order of running. */
  readonly cells: readonly CellState[]
  /** Median of its waves. */
  readonly waveMs: number
  /** Output tokens over the time under load; 0 when nothing came. */
  readonly tokensPerSec: number
  readonly turns: number
  readonly failed: number
  /** Sessions that did not hold the SLO. */
  readonly misses: number
  /** Whether the share of sessions within the SLO is surely below the target. */
  readonly losesSlo: boolean
  readonly overlap: LevelOverlap
}

export type Rungs = {
  /** Of the leading leg, ascending by n, interventions left out. */
  readonly levels: readonly Rung[]
  /** Answers at once, once that is known. */
  readonly slots: number | null
  /** Requests under way at once that no level went beyond, although more sessions were there: a limit before the server. */
  readonly askedCap: number | null
}

export function rungsOf(seen: Seen): Rungs {
  const leg = seen.cells.find(({ cell }) => cell.role === 'warm-up')?.cell.leg ?? 'runner'
  const rows = new Map<number, TurnRow[]>()
  for (const row of seen.rows) {
    const known = rows.get(row.cell)
    if (known === undefined) rows.set(row.cell, [row])
    else known.push(row)
  }
  const byLevel = new Map<number, CellState[]>()
  for (const cell of seen.cells) {
    const { role, arm, n } = cell.cell
    if (cell.status !== 'done' || cell.cell.leg !== leg || role === 'warm-up' || arm !== undefined) continue
    byLevel.set(n, [...(byLevel.get(n) ?? []), cell])
  }
  const levels = [...byLevel.entries()].sort(([a], [b]) => a - b).flatMap(([n, cells]) => rungOf(seen, n, cells, rows) ?? [])
  const slots = effectiveSlots(levels.map((level) => level.overlap))
  return { levels, slots: slots.plateau ? slots.n : null, askedCap: askedCapOf(levels) }
}

function rungOf({ plan }: Seen, n: number, cells: readonly CellState[], rows: ReadonlyMap<number, readonly TurnRow[]>): Rung | undefined {
  const waves = cells.flatMap(({ cell }) => wavesOf(rows.get(cell.index) ?? []))
  const all = waves.flat()
  if (all.length === 0) return undefined
  const spansMs = waves.map((wave) => Math.max(...wave.map((row) => row.endAtMs)) - Math.min(...wave.map((row) => row.plannedAtMs)))
  const busyMs = spansMs.reduce((sum, ms) => sum + ms, 0)
  const calls = all.flatMap((row) => row.timeline?.calls ?? [])
  const tokens = calls.reduce((sum, call) => sum + (call.outputTokens ?? 0), 0)
  const streaming: Span[] = []
  for (const { firstDeltaAtMs, lastDeltaAtMs } of calls)
    if (firstDeltaAtMs !== null && lastDeltaAtMs !== null) streaming.push({ fromMs: firstDeltaAtMs, toMs: lastDeltaAtMs })
  const counted = all.filter((row) => row.outcome !== 'cut')
  const held = counted.filter((row) => row.outcome === 'completed' && within(row, plan.slo.ttfaMs)).length
  const asked = overlapOf(calls.map((call) => ({ fromMs: call.sentAtMs, toMs: call.endAtMs })))
  return {
    n,
    cells,
    waveMs: spansMs.toSorted((a, b) => a - b)[Math.floor(spansMs.length / 2)] ?? 0,
    tokensPerSec: busyMs > 0 ? (1_000 * tokens) / busyMs : 0,
    turns: counted.length,
    failed: counted.filter((row) => row.outcome === 'failed').length,
    misses: counted.length - held,
    losesSlo: (upperBound(held, counted.length) ?? 1) < plan.slo.targetRatio,
    overlap: { leg: 'runner', n, streaming: overlapOf(streaming), asked },
  }
}

function wavesOf(rows: readonly TurnRow[]): TurnRow[][] {
  const waves = new Map<number, TurnRow[]>()
  for (const row of rows) {
    const wave = waves.get(row.wave)
    if (wave === undefined) waves.set(row.wave, [row])
    else wave.push(row)
  }
  return [...waves.values()]
}

const within = (row: TurnRow, limitMs: number) => row.firstActivityAtMs !== null && row.firstActivityAtMs - row.plannedAtMs <= limitMs

/** Two levels that stop at the same count below their N: the client or the runner holds the others back. */
function askedCapOf(levels: readonly Rung[]): number | null {
  const [before, last] = levels.slice(-2)
  if (before === undefined || last === undefined) return null
  const cap = last.overlap.asked.lasting
  return cap < before.n && before.overlap.asked.lasting === cap ? cap : null
}

/** A level at most this much better than one of half its size has gained nothing. */
const FLAT_RATIO = 1.1
const FULL_RATIO = 0.9

/** Where the total stops rising, as far as it is known. `isExact`: counted, not read off a curve. */
export type Knee = { readonly n: number; readonly isExact: boolean }

/** Undefined as long as the total still rises, or may do so. */
export function kneeOf({ levels, slots, askedCap }: Rungs): Knee | undefined {
  if (slots !== null) return { n: slots, isExact: true }
  if (askedCap !== null) return { n: askedCap, isExact: true }
  const rated = levels.filter((level) => level.tokensPerSec > 0)
  // In bursts a level just above a limit gains nothing although it is not yet full: it takes two doublings to tell.
  const knee = rated.find((level) => {
    const above = rated.filter((other) => other.n > level.n)
    return (above.at(-1)?.n ?? 0) >= 4 * level.n && above.every((other) => other.tokensPerSec < FLAT_RATIO * level.tokensPerSec)
  })
  if (knee === undefined) return undefined
  const best = Math.max(...rated.map((level) => level.tokensPerSec))
  const full = rated.find((level) => level.tokensPerSec >= FULL_RATIO * best) ?? knee
  return { n: full.n, isExact: false }
}

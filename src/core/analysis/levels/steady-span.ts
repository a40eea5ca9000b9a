/** M7: the steady part of a sustained cell: the longest span in which nine tenths of its sessions were in flight, gaps between two turns left out of account. */
import type { TurnRow } from '../../sweep/turn-row.ts'

export type SteadySpan = { readonly fromMs: number; readonly toMs: number }

/** Share of N that must be in flight (DESIGN.md M7). */
const STEADY_RATIO = 0.9
/**
 * Between the end of a turn and the session's next one the load driver takes a few milliseconds; with a small N that alone would break the span each time.
 * A dip counts when it lasts longer than this, or than a share of a turn.
 */
const DIP_MS = 25
const DIP_OF_TURN = 0.1
/** Blocks of a span for the bootstrap: enough to draw from, few enough that most hold more than a turn or two. */
const MOST_SLICES = 8
/** Turns a session takes in a slice, on the average: neighbours within it wait for one another, slices hardly do. */
const TURNS_A_SLICE = 2

/** @param rows of one wave of a sustained cell, any order; @returns null when the level was never reached */
export function steadySpan(rows: readonly TurnRow[], n: number): SteadySpan | null {
  const least = Math.max(1, Math.ceil(STEADY_RATIO * n))
  const steps = rows.flatMap((row) => [
    { atMs: row.submitAtMs, change: 1 },
    { atMs: row.endAtMs, change: -1 },
  ])
  // Of one moment the beginning comes first: a turn that follows at once leaves no dip.
  steps.sort((a, b) => a.atMs - b.atMs || b.change - a.change)
  const dipMs = Math.max(DIP_MS, DIP_OF_TURN * middleOf(rows.map((row) => row.endAtMs - row.submitAtMs)))
  let inFlight = 0
  let open: { fromMs: number; toMs: number } | null = null
  let best: SteadySpan | null = null
  const close = () => {
    if (open !== null && (best === null || open.toMs - open.fromMs > best.toMs - best.fromMs)) best = open
  }
  for (const { atMs, change } of steps) {
    const wasSteady = inFlight >= least
    inFlight += change
    if (wasSteady && open !== null) open.toMs = atMs
    if (wasSteady || inFlight < least) continue
    if (open !== null && atMs - open.toMs <= dipMs) continue
    close()
    open = { fromMs: atMs, toMs: atMs }
  }
  close()
  return best
}

/**
 * The span without its first wave: turns that were submitted together say what a burst says. Null where nothing is left of it.
 * @param rows of the span's wave
 */
export function afterFirstWave(rows: readonly TurnRow[], span: SteadySpan): SteadySpan | null {
  const firstEnds = rows.filter((row) => (row.turn ?? 0) === 0).map((row) => row.endAtMs)
  const fromMs = Math.max(span.fromMs, middleOf(firstEnds))
  return fromMs < span.toMs ? { fromMs, toMs: span.toMs } : null
}

/**
 * Blocks of equal time with the turns that were begun in each; those that end after the span are whole and count, since they are let finish. The bootstrap
 * draws them as it draws the waves of a burst: turns that wait for the same neighbours stay together. Empty ones are left out.
 */
export function timeSlices(rows: readonly TurnRow[], span: SteadySpan, n: number): { span: SteadySpan; rows: TurnRow[] }[] {
  const within = rows.filter((row) => row.submitAtMs >= span.fromMs && row.submitAtMs < span.toMs)
  const count = Math.max(1, Math.min(MOST_SLICES, Math.floor(within.length / (n * TURNS_A_SLICE))))
  const lengthMs = (span.toMs - span.fromMs) / count
  const slices = Array.from({ length: count }, (_, i) => {
    const fromMs = span.fromMs + i * lengthMs
    return { span: { fromMs, toMs: fromMs + lengthMs }, rows: [] as TurnRow[] }
  })
  for (const row of within) slices[Math.min(count - 1, Math.floor((row.submitAtMs - span.fromMs) / lengthMs))]?.rows.push(row)
  return slices.filter((slice) => slice.rows.length > 0)
}

function middleOf(values: readonly number[]): number {
  return new Float64Array(values).sort()[Math.floor(values.length / 2)] ?? 0
}

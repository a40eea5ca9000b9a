/**
 * One wave as lanes: where each session's time goes. Sessions that have ended come from their rows, split by what the server said;
 * those under way come from the live lanes, which know only the client's stamps. Pure.
 */

import type { Part } from '../../../core/analysis/analysis.ts'
import { turnSegments } from '../../../core/session/turn-segments.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import type { Lane, SweepLive } from '../../../core/sweep/sweep-event.ts'
import type { TurnRow } from '../../../core/sweep/turn-row.ts'

export type LanePart = Part
export type LaneBar = { readonly part: LanePart; readonly fromMs: number; readonly toMs: number }

export type LaneView = {
  readonly session: number
  /** Times count from the wave's beginning. */
  readonly bars: readonly LaneBar[]
  readonly state: 'running' | 'completed' | 'failed' | 'cut'
  readonly endMs: number
  readonly sentMs: number | null
  readonly ttfaMs: number | null
  readonly doneMs: number | null
  readonly tokens: number | null
}

export type WaveRef = { readonly cell: number; readonly wave: number }

export type WaveView = WaveRef & {
  /** From the sweep's beginning; the axis of the lanes begins here. */
  readonly startMs: number
  /** How far the wave has come; null once it has ended. */
  readonly nowMs: number | null
  readonly lanes: readonly LaneView[]
  /** Right end of the axis and the step of its ticks. */
  readonly axisMs: number
  readonly tickMs: number
  /** Sessions of the wave, more than `lanes` when only some are drawn. */
  readonly sessions: number
}

/** More lanes than these can't be read; they are picked evenly by order of service. */
const MAX_LANES = 64

const since = (startMs: number, atMs: number | null | undefined): number | null => (atMs === null || atMs === undefined ? null : atMs - startMs)

/** A row alone, when the sweep's own decomposition has nothing: the server is taken at its word. Stamps on the sweep's axis. */
export function rowBars(row: TurnRow): LaneBar[] {
  if (row.timeline === null) return [{ part: 'runner', fromMs: row.plannedAtMs, toMs: row.endAtMs }]
  const segments = turnSegments(row.timeline)
  const first = segments[0]
  return first === undefined ? [] : [{ part: 'runner', fromMs: row.plannedAtMs, toMs: first.fromMs }, ...segments]
}

function laneOfRow(row: TurnRow, startMs: number, bars: readonly LaneBar[]): LaneView {
  return {
    session: row.session,
    bars: bars.map((bar) => ({ part: bar.part, fromMs: bar.fromMs - startMs, toMs: bar.toMs - startMs })).filter((bar) => bar.toMs > bar.fromMs),
    state: row.outcome,
    endMs: row.endAtMs - startMs,
    sentMs: since(startMs, row.timeline?.firstModelRequestAtMs),
    ttfaMs: since(row.plannedAtMs, row.firstActivityAtMs),
    doneMs: since(row.plannedAtMs, row.doneAtMs),
    tokens: null,
  }
}

/** @param leadPrefillMs how long one session alone waits for its first token; null before N = 1 was measured: then all waiting is drawn as waiting */
function laneOfLive(lane: Lane, startMs: number, nowMs: number, leadPrefillMs: number | null): LaneView {
  const until = lane.endAtMs ?? nowMs
  const sent = lane.sentAtMs ?? until
  const first = lane.firstActivityAtMs ?? until
  const done = lane.doneAtMs ?? until
  const prefill = lane.firstActivityAtMs === null || leadPrefillMs === null ? 0 : Math.min(leadPrefillMs, first - sent)
  const bars: LaneBar[] = [
    { part: 'runner', fromMs: lane.plannedAtMs, toMs: sent },
    { part: 'queue', fromMs: sent, toMs: first - prefill },
    { part: 'prefill', fromMs: first - prefill, toMs: first },
    { part: 'decode', fromMs: first, toMs: done },
    { part: 'background', fromMs: done, toMs: until },
  ]
  return {
    session: lane.session,
    bars: bars.map((bar) => ({ ...bar, fromMs: bar.fromMs - startMs, toMs: bar.toMs - startMs })).filter((bar) => bar.toMs > bar.fromMs),
    state: lane.outcome,
    endMs: until - startMs,
    sentMs: since(startMs, lane.sentAtMs),
    ttfaMs: since(lane.plannedAtMs, lane.firstActivityAtMs),
    doneMs: since(lane.plannedAtMs, lane.doneAtMs),
    tokens: lane.tokens,
  }
}

/** By order of service: who was answered first stands first, who still waits last. */
const byService = (a: LaneView, b: LaneView) =>
  firstServed(a) - firstServed(b) || (a.sentMs ?? Number.POSITIVE_INFINITY) - (b.sentMs ?? Number.POSITIVE_INFINITY) || a.session - b.session

const firstServed = (lane: LaneView) => (lane.ttfaMs === null ? Number.MAX_VALUE : lane.ttfaMs)

/** Ticks of 1, 2 or 5 times a power of ten, at most six of them; the axis ends on one. */
export function niceAxis(spanMs: number): { axisMs: number; tickMs: number } {
  const rough = Math.max(spanMs, 1) / 6
  const power = 10 ** Math.floor(Math.log10(rough))
  const tickMs = ([1, 2, 5, 10].find((step) => step * power >= rough) ?? 10) * power
  return { tickMs, axisMs: Math.ceil(Math.max(spanMs, 1) / tickMs) * tickMs }
}

function pickLanes(lanes: readonly LaneView[]): LaneView[] {
  const sorted = [...lanes].sort(byService)
  if (sorted.length <= MAX_LANES) return sorted
  return Array.from({ length: MAX_LANES }, (_, i) => sorted[Math.floor((i * sorted.length) / MAX_LANES)]).filter((lane) => lane !== undefined)
}

/** The wave that is worth showing when none was chosen: the last one of the highest level of the real path. */
export function defaultWave(state: SweepState): WaveRef | undefined {
  const order = ['runner', 'direct', 'null'] as const
  const cells = state.cells.filter((cell) => cell.cell.role === 'measure' && cell.status === 'done')
  const leg = order.find((candidate) => cells.some((cell) => cell.cell.leg === candidate))
  const best = cells
    .filter((cell) => cell.cell.leg === leg)
    .reduce<(typeof cells)[number] | undefined>((a, b) => (a !== undefined && a.cell.n > b.cell.n ? a : b), undefined)
  const last = state.rows.findLast((row) => best === undefined || row.cell === best.cell.index)
  return last === undefined ? undefined : { cell: last.cell, wave: last.wave }
}

/** Longest wall seen at this level before, so that the axis of a live wave does not jump from redraw to redraw. */
function longestBefore(state: SweepState, n: number, leg: string): number {
  const cells = new Set(state.cells.filter(({ cell }) => cell.n === n && cell.leg === leg).map(({ cell }) => cell.index))
  return state.rows.reduce((most, row) => (cells.has(row.cell) ? Math.max(most, row.endAtMs - row.plannedAtMs) : most), 0)
}

export type WaveSource = {
  readonly state: SweepState
  readonly live: SweepLive | undefined
  decompose(rows: readonly TurnRow[]): ReadonlyMap<number, readonly LaneBar[]>
  readonly leadPrefillMs: number | null
}

export function waveView({ state, live, decompose, leadPrefillMs }: WaveSource, ref: WaveRef): WaveView | undefined {
  const rows = state.rows.filter((row) => row.cell === ref.cell && row.wave === ref.wave)
  const now = live !== undefined && live.cell === ref.cell && live.wave === ref.wave ? live : undefined
  const starts = [...rows.map((row) => row.plannedAtMs), ...(now?.lanes ?? []).map((lane) => lane.plannedAtMs)]
  if (starts.length === 0) return undefined
  const startMs = Math.min(...starts)
  const bars = decompose(rows)
  const lanes = [
    ...rows.map((row) => laneOfRow(row, startMs, bars.get(row.session) ?? rowBars(row))),
    ...(now?.lanes ?? []).filter((lane) => !bars.has(lane.session)).map((lane) => laneOfLive(lane, startMs, now?.nowMs ?? startMs, leadPrefillMs)),
  ]
  const running = now !== undefined && lanes.some((lane) => lane.state === 'running')
  const cell = state.cells[ref.cell]?.cell
  const before = running && cell !== undefined ? longestBefore(state, cell.n, cell.leg) : 0
  const axis = niceAxis(Math.max(before, ...lanes.map((lane) => lane.endMs)))
  return { ...ref, ...axis, startMs, nowMs: running ? now.nowMs - startMs : null, lanes: pickLanes(lanes), sessions: lanes.length }
}

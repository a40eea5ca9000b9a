/**
 * What the latency chart draws, as data: one column a level, the curves, the single sessions, the scale, the load line. Pure.
 * Columns are evenly spaced; column i has its centre at x = i.
 */
import type { Analysis, Ceiling, LevelSummary, Percentiles } from '../../../core/analysis/analysis.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import type { Leg } from '../../../core/sweep/plan.ts'
import type { TurnRow } from '../../../core/sweep/turn-row.ts'

export type Metric = 'ttfa' | 'first model request' | 'done' | 'wall'
export const METRICS: readonly Metric[] = ['ttfa', 'first model request', 'done', 'wall']

/** `rough`: too few samples for a percentile (M8); drawn apart and never called one. */
export type CurvePoint = { readonly ms: number; readonly rough: boolean }

export type ChartColumn = {
  readonly n: number
  readonly summary: LevelSummary | undefined
  readonly p50: CurvePoint | null
  readonly p95: CurvePoint | null
  /** Sessions of this level so far, cells that run included. */
  readonly sessions: number
  readonly failures: number
  /** When it will first be measured: the place of its cell in the order, from 1; null when it has begun. */
  readonly firstCell: number | null
}

export type ChartDot = { readonly x: number; readonly ms: number; readonly holds: boolean }

export type LoadLine =
  | { readonly kind: 'measuring' }
  | { readonly kind: 'found'; readonly column: number; readonly n: number }
  | { readonly kind: 'not-reached'; readonly n: number }
  | { readonly kind: 'none-holds' }

export type ChartModel = {
  readonly leg: Leg
  readonly metric: Metric
  readonly columns: readonly ChartColumn[]
  readonly dots: readonly ChartDot[]
  readonly ticks: readonly number[]
  readonly sloMs: number
  readonly loadLine: LoadLine
}

/** No more single sessions than this are drawn, levels share them evenly. */
const MAX_DOTS = 300

const PERCENTILES: Readonly<Record<Metric, (level: LevelSummary) => Percentiles>> = {
  ttfa: (level) => level.ttfaMs,
  'first model request': (level) => level.firstModelRequestMs,
  done: (level) => level.doneMs,
  wall: (level) => level.wallMs,
}

function rowMs(row: TurnRow, metric: Metric): number | null {
  const since = (atMs: number | null | undefined) => (atMs === null || atMs === undefined ? null : atMs - row.plannedAtMs)
  switch (metric) {
    case 'ttfa':
      return since(row.firstActivityAtMs)
    case 'first model request':
      return since(row.timeline?.firstModelRequestAtMs)
    case 'done':
      return since(row.doneAtMs)
    case 'wall':
      return row.outcome === 'completed' ? since(row.endAtMs) : null
  }
}

/** Legs that the plan holds, in the order of interest; the null leg last. */
export function legsOf(state: SweepState): Leg[] {
  return (['runner', 'direct', 'null'] as const).filter((leg) =>
    state.cells.some(({ cell }) => cell.leg === leg && cell.role !== 'warm-up' && cell.arm === undefined),
  )
}

type LevelRows = { readonly rows: readonly TurnRow[]; readonly firstCell: number | null }

/** Rows that count: neither warm-up nor void nor cut, nor those of an intervention. */
function rowsByLevel(state: SweepState, leg: Leg): Map<number, LevelRows> {
  const levels = new Map<number, { rows: TurnRow[]; firstCell: number | null }>()
  const counting = new Map<number, number>()
  for (const { cell, status } of state.cells) {
    if (cell.leg !== leg || cell.role === 'warm-up' || cell.arm !== undefined || status === 'skipped') continue
    if (status !== 'void') counting.set(cell.index, cell.n)
    if (cell.role === 'closing') continue
    const level = levels.get(cell.n) ?? { rows: [], firstCell: cell.index + 1 }
    if (status !== 'planned') level.firstCell = null
    levels.set(cell.n, level)
  }
  for (const row of state.rows) {
    const n = counting.get(row.cell)
    if (n !== undefined && row.outcome !== 'cut') levels.get(n)?.rows.push(row)
  }
  return levels
}

function point(percentiles: Percentiles | undefined, exact: 'p50' | 'p95', rough: 'roughP50' | 'roughP95'): CurvePoint | null {
  const ms = percentiles?.[exact] ?? null
  if (ms !== null) return Number.isFinite(ms) && ms > 0 ? { ms, rough: false } : null
  // Below six samples the single sessions say all there is.
  if (percentiles === undefined || percentiles.count < 6) return null
  const guess = percentiles[rough]
  return guess !== null && Number.isFinite(guess) && guess > 0 ? { ms: guess, rough: true } : null
}

/** The same shift for the same session at every redraw: a low-discrepancy walk over -0.15 to 0.15 of a column. */
const spread = (i: number) => (((i * 0.618034) % 1) - 0.5) * 0.3

function dotsOf(rows: readonly TurnRow[], column: number, metric: Metric, sloMs: number, most: number): ChartDot[] {
  const step = Math.max(1, Math.ceil(rows.length / most))
  return rows.flatMap((row, i) => {
    const ms = i % step === 0 ? rowMs(row, metric) : null
    if (ms === null || ms <= 0) return []
    const ttfaMs = rowMs(row, 'ttfa')
    return [{ x: column + spread(i), ms, holds: row.outcome === 'completed' && ttfaMs !== null && ttfaMs <= sloMs }]
  })
}

/** 1, 2, 5 times powers of ten that take in all values; at least a decade. */
export function logTicks(values: readonly number[]): number[] {
  const known = values.filter((value) => value > 0 && Number.isFinite(value))
  const low = known.length === 0 ? 100 : Math.min(...known)
  const high = known.length === 0 ? 10_000 : Math.max(...known)
  const steps: number[] = []
  for (let power = -2; power <= 7; power++) for (const digit of [1, 2, 5]) steps.push(digit * 10 ** power)
  const from = Math.max(
    0,
    steps.findLastIndex((step) => step <= low),
  )
  const found = steps.findIndex((step) => step >= high)
  const to = Math.max(found === -1 ? steps.length - 1 : found, from + 3)
  return steps.slice(from, to + 1)
}

/**
 * The SLO ceiling as far as it may be said by now: in the middle of a sweep "no level holds" wants the lowest level measured,
 * and "not reached" the highest; the order is shuffled, so either may come late.
 */
export function sloCeiling(state: SweepState, analysis: Analysis): Ceiling {
  const { slo } = analysis.ceilings
  if (state.status !== 'running') return slo
  const planned = state.cells.flatMap(({ cell, status }) =>
    cell.role === 'measure' && cell.arm === undefined && status !== 'skipped' ? [cell.n] : [],
  )
  const measured = new Set(analysis.levels.filter((level) => level.leg !== 'null' && level.sessions > 0).map((level) => level.n))
  const wanted = slo.status === 'none-holds' ? Math.min(...planned) : slo.status === 'not-reached' ? Math.max(...planned) : undefined
  if (wanted === undefined || measured.has(wanted)) return slo
  return { status: 'unknown', n: null, low: slo.low, high: slo.high, because: `N = ${wanted} is not measured yet` }
}

function loadLineOf(slo: Ceiling | undefined, columns: readonly ChartColumn[]): LoadLine {
  switch (slo?.status) {
    case 'found': {
      const column = columns.findIndex((candidate) => candidate.n === slo.n)
      return slo.n === null || column === -1 ? { kind: 'measuring' } : { kind: 'found', column, n: slo.n }
    }
    case 'not-reached':
      return slo.n === null ? { kind: 'measuring' } : { kind: 'not-reached', n: slo.n }
    case 'none-holds':
      return { kind: 'none-holds' }
    default:
      return { kind: 'measuring' }
  }
}

export function chartModel(state: SweepState, analysis: Analysis | undefined, leg: Leg, metric: Metric): ChartModel {
  const byLevel = rowsByLevel(state, leg)
  const levels = [...byLevel.entries()].sort(([a], [b]) => a - b)
  const sloMs = state.plan.slo.ttfaMs
  const columns = levels.map(([n, { rows, firstCell }]): ChartColumn => {
    const summary = analysis?.levels.find((level) => level.leg === leg && level.n === n)
    const percentiles = summary === undefined ? undefined : PERCENTILES[metric](summary)
    return {
      n,
      summary,
      p50: point(percentiles, 'p50', 'roughP50'),
      p95: point(percentiles, 'p95', 'roughP95'),
      sessions: rows.length,
      failures: rows.filter((row) => row.outcome === 'failed').length,
      firstCell,
    }
  })
  const most = Math.max(8, Math.floor(MAX_DOTS / Math.max(1, levels.length)))
  const dots = levels.flatMap(([, { rows }], column) => dotsOf(rows, column, metric, sloMs, most))
  const values = [...dots.map((dot) => dot.ms), ...columns.flatMap((column) => [column.p50?.ms ?? 0, column.p95?.ms ?? 0])]
  return {
    leg,
    metric,
    columns,
    dots,
    // Room above the SLO for its words.
    ticks: logTicks(metric === 'ttfa' ? [...values, sloMs * 1.3] : values),
    sloMs,
    // The ceiling is one of the real path; the null leg has none.
    loadLine: leg === 'null' ? { kind: 'measuring' } : loadLineOf(analysis === undefined ? undefined : sloCeiling(state, analysis), columns),
  }
}

/** All that the chart draws but the dots: as long as this is the same, so are axes, curves and load line. */
export function frameKey({ columns, leg, metric, ticks, sloMs, loadLine }: ChartModel): string {
  return JSON.stringify([leg, metric, ticks, sloMs, loadLine, columns.map((column) => [column.n, column.p50, column.p95, column.sessions > 0])])
}

/** A table's rows as series of points over one axis: sorted, repeated rows merged, totals recomputed where they were no totals, overlap worked out. */
import { FIGURES, type Figure, type Figures, type MeasuredRow, type MeasuredTable } from './measured-table.ts'
import { driftIn, isFixedWork } from './repeated-levels.ts'
import type { SaidSettings } from './said-settings.ts'
import { median } from './table-words.ts'

export type Axis = 'n' | 'arrival' | 'think' | 'slots' | 'single'
/** Which statistic first-token time and latency are read from: always the same for both. */
export type Stat = 'Mean' | 'P50' | 'P90' | 'P95' | 'P99'

export type Point = {
  readonly n: number | null
  /** Where the point lies on the series' axis. */
  readonly at: number
  readonly row: Figures
  /** Output tokens a second by the wall clock; requests a second where the length of answers is unknown (`unit`). Null when it can't be had. */
  readonly total: number | null
  /** Pace of one answer while it is written. */
  readonly decode: number | null
  readonly firstMs: number | null
  readonly latencyMs: number | null
  /** Latency without the wait for the first token. */
  readonly answerMs: number | null
  /** Mean number of requests that decode at once. */
  readonly overlap: number | null
}

export type Series = {
  readonly label: string
  readonly slots: number | null
  readonly axis: Axis
  readonly points: readonly Point[]
  readonly unit: 'tok/s' | 'req/s'
  /** How the totals were had. */
  readonly totalFrom: 'published' | 'recomputed' | 'per-request rates' | 'wall' | 'requests' | 'decode phase' | 'fixed work' | 'none'
  /** Ratio of the published totals to those by the wall clock, least and largest, where they were n times the rate per request. */
  readonly sumOfRates: { readonly low: number; readonly high: number } | null
  /** The published totals are n times the decode rate, and nothing in the table says what they would be by the wall clock. */
  readonly isUnverifiable: boolean
  /** Which statistic stands behind firstMs and latencyMs. */
  readonly stat: Stat | null
  /** Decode rates came from latency less first token, or from time per token. */
  readonly decodeFrom: 'rate' | 'time per token' | 'latency less first token' | 'none'
  /** Rows that stood more than once, merged by their median. */
  readonly merged: number
  readonly wasUnordered: boolean
  /** The smallest level that was measured again after others: its rate (or pace, or time) first and last. */
  readonly drift: { readonly n: number; readonly first: number; readonly last: number } | null
}

const STATS: readonly Stat[] = ['Mean', 'P50', 'P95', 'P90', 'P99']
/** Totals within this of n times the rate per request, in every row, were computed so: it is what rounding leaves. A clock always sees some prefill. */
const SAME_RATIO = 0.005
/** By the wall clock the same within this: then it was no sum, only a server without prefill or wait. */
const AGREES_RATIO = 0.04

export function seriesOf(table: MeasuredTable, said: SaidSettings): Series[] {
  const rows = withCounts(table.rows).map((row) =>
    row.figures.n === undefined && said.n !== null ? { ...row, figures: { ...row.figures, n: said.n } } : row,
  )
  const varying = labelsThatVary(rows)
  const slotsVary =
    new Set(rows.map(({ figures }) => figures.configuredSlots)).size > 1 && rows.some((row) => row.figures.configuredSlots !== undefined)
  const axis = axisOf(rows, varying, slotsVary)
  const groups = new Map<string, MeasuredRow[]>()
  for (const row of rows) {
    const key = [
      ...varying.map((name) => labelText(name, row.labels[name] ?? '')),
      slotsVary && axis !== 'slots' ? `slots ${row.figures.configuredSlots ?? '?'}` : '',
    ]
      .filter((part) => part !== '')
      .join(', ')
    const group = groups.get(key)
    if (group === undefined) groups.set(key, [row])
    else group.push(row)
  }
  return [...groups].map(([label, own]) => seriesFrom(label, own, axis, said))
}

const labelText = (name: string, value: string): string => (/^(true|false|yes|no|on|off)$/i.test(value) ? `${name} ${value}` : value)

/** A table whose only count is how many were in flight is one over that. */
function withCounts(rows: readonly MeasuredRow[]): readonly MeasuredRow[] {
  const isBare = rows.every(({ figures }) => figures.n === undefined && figures.configuredLimit === undefined && figures.arrivalPerSec === undefined)
  return isBare
    ? rows.map((row) => (row.figures.observedInFlight === undefined ? row : { ...row, figures: { ...row.figures, n: row.figures.observedInFlight } }))
    : rows
}

/** An option of the load that may differ from request to request. */
export const isOption = (name: string): boolean => /ctx|context/.test(name)

/** What happened in a row, rather than what it was. */
export const isNoteOfFailure = (name: string): boolean => /status|error|reason|message|failure|outcome|result/.test(name)

/** Words that tell rows apart which otherwise lie at one place; notes that differ in every row tell nothing apart. */
function labelsThatVary(rows: readonly MeasuredRow[]): string[] {
  const names = new Set(rows.flatMap(({ labels }) => Object.keys(labels)))
  return [...names].filter((name) => {
    if (isNoteOfFailure(name) || /^(notes?|remarks?|comments?|bemerkung(en)?)$/.test(name) || isOption(name)) return false
    const values = new Set(rows.map(({ labels }) => labels[name] ?? ''))
    const places = new Set(rows.map(({ figures }) => figures.n ?? figures.arrivalPerSec ?? -1))
    return values.size > 1 && (values.size < rows.length || places.size < rows.length)
  })
}

function axisOf(rows: readonly MeasuredRow[], varying: readonly string[], slotsVary: boolean): Axis {
  const first = rows[0]
  const own = varying.length === 0 ? rows : rows.filter(({ labels }) => varying.every((name) => labels[name] === first?.labels[name]))
  const distinct = (figure: Figure) => new Set(own.map(({ figures }) => figures[figure]).filter((value) => value !== undefined)).size
  if (distinct('n') > 1) return 'n'
  if (distinct('arrivalPerSec') > 1) return 'arrival'
  if (distinct('thinkMs') > 1) return 'think'
  return slotsVary && own.length > 1 ? 'slots' : 'single'
}

const AXIS_FIGURES: Readonly<Record<Axis, Figure>> = { n: 'n', arrival: 'arrivalPerSec', think: 'thinkMs', slots: 'configuredSlots', single: 'n' }

function seriesFrom(label: string, rows: readonly MeasuredRow[], axis: Axis, said: SaidSettings): Series {
  const figure = AXIS_FIGURES[axis]
  const placed = rows
    .map(({ figures }) => figures)
    .filter((figures) => axis === 'single' || (figures[figure] !== undefined && (axis !== 'n' || (figures.n ?? 0) >= 1)))
  const wasUnordered = placed.some((figures, index) => index > 0 && (figures[figure] ?? 0) < (placed[index - 1]?.[figure] ?? 0))
  const places = new Map<number, Figures[]>()
  for (const figures of placed) {
    const at = figures[figure] ?? 0
    const there = places.get(at)
    if (there === undefined) places.set(at, [figures])
    else there.push(figures)
  }
  const merged = [...places]
    .sort((a, b) => a[0] - b[0])
    .map(([at, there]) => ({ at, figures: there.length === 1 ? (there[0] ?? {}) : medianOf(there) }))
  const [first] = merged
  const slots = first?.figures.configuredSlots ?? said.slots
  return {
    label,
    slots: axis === 'slots' ? null : slots,
    axis,
    merged: placed.length - merged.length,
    wasUnordered,
    drift: axis === 'n' ? driftIn(placed) : null,
    ...pointsOf(merged, said, axis),
  }
}

function medianOf(rows: readonly Figures[]): Figures {
  const out: { [F in Figure]?: number } = {}
  for (const figure of FIGURES) {
    const values = rows.map((row) => row[figure]).filter((value) => value !== undefined)
    if (values.length > 0) out[figure] = median(values)
  }
  return out
}

type Placed = { readonly at: number; readonly figures: Figures }
type Totals = Pick<Series, 'unit' | 'totalFrom' | 'sumOfRates' | 'isUnverifiable'> & { readonly values: readonly (number | null)[] }

function pointsOf(
  rows: readonly Placed[],
  said: SaidSettings,
  axis: Axis,
): Omit<Series, 'label' | 'slots' | 'axis' | 'merged' | 'wasUnordered' | 'drift'> {
  const stat = commonStat(rows)
  const decode = decodeRates(rows, said, stat)
  const totals = totalsOf(rows, said, decode.values, axis)
  const relative = relativeOverlaps(rows, totals, decode.values)
  const points = rows.map(({ at, figures }, index): Point => {
    const firstMs = stat === null ? null : (figures[`ttft${stat}Ms`] ?? null)
    const latencyMs = stat === null ? null : (latencyOf(figures, stat) ?? latencyFromPace(figures, said, firstMs, decode.values[index] ?? null))
    const total = totals.values[index] ?? null
    const pace = decode.values[index] ?? null
    const answerMs = firstMs === null || latencyMs === null || latencyMs <= firstMs ? null : latencyMs - firstMs
    const fromRates = total !== null && pace !== null && totals.unit === 'tok/s' && !totals.isUnverifiable && totals.totalFrom !== 'decode phase'
    const fromParts = figures.n !== undefined && answerMs !== null && latencyMs !== null ? (figures.n * answerMs) / latencyMs : null
    const overlap = fromRates && decode.from !== 'latency less first token' ? (total ?? 0) / (pace ?? 1) : fromParts
    return {
      n: figures.n ?? null,
      at,
      row: figures,
      total,
      decode: pace,
      firstMs,
      latencyMs,
      answerMs,
      overlap: figures.decodeOverlap ?? overlap ?? relative[index] ?? null,
    }
  })
  const { values: _, ...rest } = totals
  return { points, ...rest, stat, decodeFrom: decode.from }
}

/** Without the length of answers: total and pace against those of one request alone, whose time is taken for decoding. Empty without n=1. */
function relativeOverlaps(rows: readonly Placed[], totals: Totals, decode: readonly (number | null)[]): (number | null)[] {
  const first = rows.findIndex(({ figures }) => figures.n === 1)
  const [total, pace] = [totals.values[first], decode[first]]
  if (totals.unit !== 'req/s' || total == null || pace == null) return []
  return rows.map((_, index) => {
    const [own, ownPace] = [totals.values[index], decode[index]]
    return own == null || ownPace == null || ownPace === 0 ? null : ((own / total) * pace) / ownPace
  })
}

/** The statistic that both first-token time and latency have in most rows; first-token time alone, else latency alone. */
function commonStat(rows: readonly Placed[]): Stat | null {
  const withBoth = (stat: Stat) => rows.filter(({ figures }) => figures[`ttft${stat}Ms`] !== undefined && latencyOf(figures, stat) !== null).length
  const withOne = (stat: Stat) => rows.filter(({ figures }) => figures[`ttft${stat}Ms`] !== undefined).length
  const withLatency = (stat: Stat) => rows.filter(({ figures }) => latencyOf(figures, stat) !== null).length
  for (const count of [withBoth, withOne, withLatency]) {
    const best = STATS.find((stat) => count(stat) >= Math.max(1, MOST_ROWS * rows.length))
    if (best !== undefined) return best
  }
  return null
}

function latencyOf(figures: Figures, stat: Stat): number | null {
  const own = figures[`latency${stat}Ms`]
  return own ?? (stat === 'Mean' ? meanLatency(figures) : null)
}

/** First token, then the rest of the answer at its pace: the same time, from other columns. */
function latencyFromPace(figures: Figures, said: SaidSettings, firstMs: number | null, pace: number | null): number | null {
  const tokens = tokensOf(figures, said)
  return firstMs === null || pace === null || tokens === null ? null : firstMs + ((tokens - 1) * 1000) / pace
}

/** A per-request wall that is no batch's. */
const meanLatency = (figures: Figures): number | null => figures.latencyMeanMs ?? null

function tokensOf(figures: Figures, said: SaidSettings): number | null {
  if (figures.tokensPerRequest !== undefined) return figures.tokensPerRequest
  if (figures.totalTokens !== undefined && figures.requests !== undefined && figures.requests > 0) return figures.totalTokens / figures.requests
  if (figures.totalTokensPerSec !== undefined && figures.requestsPerSec !== undefined && figures.requestsPerSec > 0)
    return figures.totalTokensPerSec / figures.requestsPerSec
  return said.tokensPerRequest
}

function decodeRates(rows: readonly Placed[], said: SaidSettings, stat: Stat | null): { values: (number | null)[]; from: Series['decodeFrom'] } {
  const rate = rows.map(({ figures }) => figures.decodeTokensPerSecPerRequest ?? null)
  if (rate.some((value) => value !== null)) return { values: rate, from: 'rate' }
  const perToken = rows.map(({ figures }) => (figures.tpotMs === undefined || figures.tpotMs === 0 ? null : 1000 / figures.tpotMs))
  if (perToken.some((value) => value !== null)) return { values: perToken, from: 'time per token' }
  if (stat === null) return { values: rate, from: 'none' }
  const parts = rows.map(({ figures }) => {
    const [first, latency] = [figures[`ttft${stat}Ms`], latencyOf(figures, stat)]
    // Without a known length the rate is in answers a second: only its ratio is ever used then.
    return first === undefined || latency === null || latency <= first ? null : ((tokensOf(figures, said) ?? 1) * 1000) / (latency - first)
  })
  return parts.some((value) => value !== null) ? { values: parts, from: 'latency less first token' } : { values: rate, from: 'none' }
}

function totalsOf(rows: readonly Placed[], said: SaidSettings, decode: readonly (number | null)[], axis: Axis): Totals {
  const of = (figure: Figure) => rows.map(({ figures }) => figures[figure] ?? null)
  const none = { sumOfRates: null, isUnverifiable: false }
  const published = of('totalTokensPerSec')
  const wall = axis === 'n' || axis === 'slots' || axis === 'single' ? rows.map(({ figures }) => wallRate(figures, said)) : rows.map(() => null)
  const recomputed = of('recomputedTokensPerSec')
  const byClock = has(recomputed) ? recomputed : wall
  if (has(published)) {
    if (!isSumOfRates(rows, published, decode)) return { ...none, unit: 'tok/s', totalFrom: 'published', values: published }
    if (!has(byClock)) return { ...none, isUnverifiable: true, unit: 'tok/s', totalFrom: 'published', values: published }
    const ratios = published.flatMap((total, index) => (total === null || !byClock[index] ? [] : [total / (byClock[index] ?? 1)]))
    if (ratios.every((ratio) => Math.abs(ratio - 1) <= AGREES_RATIO)) return { ...none, unit: 'tok/s', totalFrom: 'published', values: published }
    return {
      unit: 'tok/s',
      totalFrom: 'recomputed',
      sumOfRates: { low: Math.min(...ratios), high: Math.max(...ratios) },
      isUnverifiable: false,
      values: byClock,
    }
  }
  if (has(recomputed)) return { ...none, unit: 'tok/s', totalFrom: 'recomputed', values: recomputed }
  const perRequest = rows.map(({ figures }) =>
    figures.effectiveTokensPerSecPerRequest === undefined || figures.n === undefined || axis === 'think'
      ? null
      : figures.n * figures.effectiveTokensPerSecPerRequest,
  )
  if (has(perRequest)) return { ...none, unit: 'tok/s', totalFrom: 'per-request rates', values: perRequest }
  if (has(wall)) return { ...none, unit: 'tok/s', totalFrom: 'wall', values: wall }
  return requestRates(rows, said, of('decodeTotalTokensPerSec'), axis)
}

function requestRates(rows: readonly Placed[], said: SaidSettings, decodePhase: readonly (number | null)[], axis: Axis): Totals {
  const none = { sumOfRates: null, isUnverifiable: false }
  if (has(decodePhase)) return { ...none, unit: 'tok/s', totalFrom: 'decode phase', values: decodePhase }
  const perSec = rows.map(({ figures }) => figures.requestsPerSec ?? null)
  if (has(perSec)) {
    const tokens = rows.map(({ figures }) => tokensOf(figures, said))
    return tokens.every((count) => count !== null)
      ? { ...none, unit: 'tok/s', totalFrom: 'requests', values: perSec.map((rate, index) => (rate === null ? null : rate * (tokens[index] ?? 0))) }
      : { ...none, unit: 'req/s', totalFrom: 'requests', values: perSec }
  }
  if (axis === 'n' && isFixedWork(rows.map(({ figures }) => figures)))
    return { ...none, unit: 'req/s', totalFrom: 'fixed work', values: rows.map(({ figures }) => (figures.wallMs ? 1000 / figures.wallMs : null)) }
  const fromTimes = rows.map(({ figures }) => {
    const jobs = figures.jobs ?? said.jobs
    const ms = figures.wallMs ?? figures.latencyMeanMs ?? figures.latencyP50Ms
    if (ms === undefined || ms === 0 || (axis !== 'n' && axis !== 'slots')) return null
    if (figures.sumJobMs !== undefined || (jobs !== null && said.isJobs && figures.wallMs !== undefined)) return (1000 * (jobs ?? 1)) / ms
    return figures.n === undefined ? null : (1000 * figures.n) / ms
  })
  return has(fromTimes)
    ? { ...none, unit: 'req/s', totalFrom: 'wall', values: fromTimes }
    : { ...none, unit: 'req/s', totalFrom: 'none', values: rows.map(() => null) }
}

/** n requests over the wall of the burst, or by Little's law over the time that one takes in a closed loop: the same formula. */
function wallRate(figures: Figures, said: SaidSettings): number | null {
  const tokens = tokensOf(figures, said)
  if (tokens === null || figures.sumJobMs !== undefined) return null
  if (figures.totalTokens !== undefined && figures.wallMs !== undefined && figures.wallMs > 0) return (figures.totalTokens * 1000) / figures.wallMs
  const ms = figures.wallMs ?? figures.latencyMeanMs ?? figures.latencyP50Ms
  return ms === undefined || ms === 0 || figures.n === undefined ? null : (figures.n * tokens * 1000) / ms
}

/** A figure is the table's when most rows have it: a cell that was broken or left out is no reason to take another. */
const MOST_ROWS = 0.6

const has = (values: readonly (number | null)[]): boolean =>
  values.length > 0 && values.filter((value) => value !== null).length >= Math.max(1, MOST_ROWS * values.length)

/** Every total is n times the decode rate: no wall clock can come out so, for prefill and waiting are in the wall. */
function isSumOfRates(rows: readonly Placed[], published: readonly (number | null)[], decode: readonly (number | null)[]): boolean {
  const pairs = rows.flatMap(({ figures }, index) => {
    const [total, pace] = [published[index] ?? null, decode[index] ?? null]
    return figures.n === undefined || total === null || pace === null ? [] : [{ n: figures.n, ratio: total / (figures.n * pace) }]
  })
  return pairs.length >= 2 && pairs.some(({ n }) => n > 1) && pairs.every(({ ratio }) => Math.abs(ratio - 1) <= SAME_RATIO)
}

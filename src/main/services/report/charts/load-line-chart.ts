/** ttfa by N: sessions as dots, p50 solid, p95 dashed, the SLO as the load line with its ring at the ceiling. */
import { area, line } from 'd3-shape'
import type { Ceiling, LevelSummary } from '../../../../core/analysis/analysis.ts'
import { formatSettingMs } from '../../../../core/report/format-number.ts'
import { type PercentileName, readPercentile } from '../../../../core/report/format-percentile.ts'
import type { SessionDot } from '../../../../core/report/session-dots.ts'
import { count } from '../../../../core/report/words.ts'
import { html, type Markup, percent } from '../html.ts'
import { type LevelAxis, levelTicks, levelWidth, logMsAxis, msGrid, simulatedLabel, stretched, type ValueAxis } from './axes.ts'

export type LoadLineInput = {
  readonly axis: LevelAxis
  readonly levels: readonly LevelSummary[]
  readonly dots: readonly SessionDot[]
  readonly sloMs: number
  readonly ceiling: Ceiling
  readonly simulated: boolean
  readonly description: string
}

type Point = { readonly n: number; readonly x: number; readonly y: number }

/** The SLO's line needs air above it, for its label. */
const HEADROOM = 1.25
/** Dots are spread over this share of a level's width. */
const SPREAD = 0.3
/** Turns by the golden ratio fill a width evenly, in any number. */
const GOLDEN = 0.618033988749895
/** Smallest distance of two labels at the right edge, in percent of the plot's 320 px. */
const LABEL_GAP_PERCENT = 5

export function loadLineChart(input: LoadLineInput): Markup {
  const { axis, levels, dots, sloMs } = input
  const value = (level: LevelSummary, name: PercentileName) => {
    const reading = readPercentile(level.ttfaMs, name)
    return reading.kind === 'value' ? reading.ms : null
  }
  const known = levels.flatMap((level) => [value(level, 'p50'), value(level, 'p95')]).filter((ms) => ms !== null)
  const yAxis = logMsAxis([...known, ...dots.map(({ ttfaMs }) => ttfaMs), sloMs * HEADROOM])
  const points = (name: PercentileName): Point[] =>
    levels.flatMap((level) => {
      const ms = value(level, name)
      return ms === null ? [] : [{ n: level.n, x: axis.x(level.n), y: yAxis.y(ms) }]
    })
  const p50 = points('p50')
  const p95 = points('p95')
  return html`<svg class="root" role="img" aria-labelledby="load-line-title load-line-text"><title id="load-line-title">ttfa by sessions in flight</title><desc id="load-line-text">${input.description}</desc>
${ceilingBand(input)}${msGrid(yAxis)}${levelTicks(axis)}${simulatedLabel(input.simulated)}
${stretched(html`<path class="band" d="${band(p50, p95)}"/>`)}
<g>${dots.map((dot, index) => dotMark(dot, index, axis, yAxis))}</g>
${loadLine(input, yAxis)}
${stretched(html`<path class="p95" d="${path(p95)}"/><path class="p50" d="${path(p50)}"/>`)}
<g class="marks">${p95.map((point) => html`<circle class="mark-p95" cx="${percent(point.x)}" cy="${percent(point.y)}" r="2.5"/>`)}${p50.map((point) => html`<circle class="mark-p50" cx="${percent(point.x)}" cy="${percent(point.y)}" r="3"/>`)}</g>
${endLabels(p50, p95)}${ring(input, yAxis)}</svg>`
}

function path(points: readonly Point[]): string {
  return (
    line<Point>(
      (p) => p.x,
      (p) => p.y,
    ).digits(2)(points) ?? ''
  )
}

/** Between p50 and p95, where both are known. */
function band(p50: readonly Point[], p95: readonly Point[]): string {
  const both = p50.flatMap((low) => {
    const high = p95.find(({ n }) => n === low.n)
    return high === undefined ? [] : [{ x: low.x, low: low.y, high: high.y }]
  })
  const shape = area<(typeof both)[number]>(
    (p) => p.x,
    (p) => p.low,
    (p) => p.high,
  )
  return shape.digits(2)(both) ?? ''
}

function dotMark(dot: SessionDot, index: number, axis: LevelAxis, yAxis: ValueAxis): Markup {
  const x = axis.x(dot.n) + (((index * GOLDEN) % 1) - 0.5) * levelWidth(axis, SPREAD)
  return html`<circle class="${dot.held ? 'dot' : 'dot-miss'}" cx="${percent(x)}" cy="${percent(yAxis.y(dot.ttfaMs))}" r="${dot.held ? 1.9 : 1.8}"/>`
}

function endLabels(p50: readonly Point[], p95: readonly Point[]): Markup {
  const low = p50.at(-1)
  const high = p95.at(-1)
  const close = low !== undefined && high !== undefined && low.n === high.n && low.y - high.y < LABEL_GAP_PERCENT
  const label = (point: Point | undefined, text: string, shift: number) =>
    point && html`<text class="axis-name halo ink" x="${percent(point.x)}" dx="30" y="${percent(point.y + shift)}" dy="4">${text}</text>`
  return html`${label(high, 'p95', close ? -LABEL_GAP_PERCENT / 2 : 0)}${label(low, 'p50', close ? LABEL_GAP_PERCENT / 2 : 0)}`
}

function loadLine({ axis, ceiling, sloMs }: LoadLineInput, yAxis: ValueAxis): Markup {
  const y = percent(yAxis.y(sloMs))
  const x = ceilingX(axis, ceiling)
  const drop =
    ceiling.status === 'found' && x !== null && html`<line class="ceiling drop" x1="${percent(x)}" x2="${percent(x)}" y1="${y}" y2="100%"/>`
  return html`${drop}<line class="ceiling" x1="0" x2="100%" y1="${y}" y2="${y}" stroke-width="2"/>`
}

/** The ceiling lies in here: from the level that surely holds to the first that surely doesn't. Open at the right where none was seen to break. */
function ceilingBand({ axis, ceiling }: LoadLineInput): Markup | null {
  const { status, low, high } = ceiling
  if (status !== 'found' || low === null) return null
  const from = axis.levels.includes(low) ? axis.x(low) : null
  const to = high === null ? 100 : axis.levels.includes(high) ? axis.x(high) : null
  if (from === null || to === null || to <= from) return null
  return html`<rect class="ceiling-band" x="${percent(from)}" width="${percent(to - from)}" y="0" height="100%"/>`
}

/** The ring's place: on its level; for "none holds" left of the first one; null where there is no ring. */
function ceilingX(axis: LevelAxis, ceiling: Ceiling): number | null {
  if (ceiling.status === 'found' && ceiling.n !== null && axis.levels.includes(ceiling.n)) return axis.x(ceiling.n)
  return ceiling.status === 'none-holds' ? axis.stepPercent / 8 : null
}

function ring({ axis, ceiling, sloMs }: LoadLineInput, yAxis: ValueAxis): Markup {
  const y = percent(yAxis.y(sloMs))
  const x = ceilingX(axis, ceiling)
  const slo = `SLO: ttfa within ${formatSettingMs(sloMs)}`
  if (x === null) {
    const text = ceiling.status === 'not-reached' ? `Load line: > ${ceiling.n}, not reached` : null
    return html`<text class="ceiling-text slo-text halo" x="0" dx="8" y="${y}" dy="-7">${slo}</text>${text && html`<text class="ceiling-text halo" x="100%" dx="-8" y="${y}" dy="-7" text-anchor="end">${text}</text>`}`
  }
  const text = ceiling.status === 'none-holds' ? 'No level holds' : `Load line: ${count(ceiling.n ?? 0, 'session')}`
  // The two labels stand on either side of the ring, whichever has the room.
  const left = x > 35
  return html`<circle class="behind" cx="${percent(x)}" cy="${y}" r="9.5"/><circle class="ceiling" cx="${percent(x)}" cy="${y}" r="7" stroke-width="2"/>
<svg x="${percent(x)}" y="${y}" overflow="visible" width="1" height="1"><path class="ceiling" d="M-12 0H12" stroke-width="2"/></svg>
<text class="ceiling-text halo" x="${percent(x)}" dx="${left ? -16 : 16}" y="${y}" dy="-14" text-anchor="${left ? 'end' : 'start'}">${text}</text>
<text class="ceiling-text slo-text halo" x="${left ? 0 : '100%'}" dx="${left ? 8 : -8}" y="${y}" dy="-7" text-anchor="${left ? 'start' : 'end'}">${slo}</text>`
}

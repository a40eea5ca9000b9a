/** One gauge of the machine by N: mean solid, peak dashed, on the same axis as the latencies. */
import { line } from 'd3-shape'
import type { HardwareRow } from '../../../../core/report/hardware-rows.ts'
import { html, type Markup, percent } from '../html.ts'
import { type LevelAxis, levelTicks, stretched } from './axes.ts'
import { dropLine } from './decomposition-chart.ts'

type Point = { readonly x: number; readonly y: number }

export function hardwareChart(row: HardwareRow, axis: LevelAxis, ceilingN: number | null, last: boolean): Markup {
  const y = (value: number) => 100 - Math.min(1, value / row.full) * 100
  const points = (kind: 'mean' | 'peak'): Point[] =>
    row.levels.flatMap((level) => {
      const value = level[kind]
      return value === null ? [] : [{ x: axis.x(level.n), y: y(value) }]
    })
  const mean = points('mean')
  const peak = points('peak')
  const path = (of: readonly Point[]) =>
    line<Point>(
      (p) => p.x,
      (p) => p.y,
    ).digits(2)(of) ?? ''
  const end = row.levels.at(-1)
  const values = [end?.mean, end?.peak].filter((value) => value !== null && value !== undefined).map(row.format)
  const high = Math.min(...[...mean, ...peak].slice(-2).map((point) => point.y)) < 50
  return html`<div class="plot gauge"><span class="rowlab"><b>${row.name}</b>${row.of}</span><svg class="root" role="img" aria-label="${readings(row)}">
<line class="base" x1="0" x2="100%" y1="100%" y2="100%"/><line class="grid" x1="0" x2="100%" y1="0" y2="0"/><text class="axis" x="-8" y="0" dy="8" text-anchor="end">${row.format(row.full)}</text>
${ceilingN !== null && dropLine(axis, ceilingN)}${stretched(html`<path class="p95" d="${path(peak)}"/><path class="p50" d="${path(mean)}"/>`)}
<g class="marks">${peak.map((p) => html`<circle class="mark-p95" cx="${percent(p.x)}" cy="${percent(p.y)}" r="2"/>`)}${mean.map((p) => html`<circle class="mark-p50" cx="${percent(p.x)}" cy="${percent(p.y)}" r="2.25"/>`)}</g>
<text class="axis ink halo" x="100%" y="${high ? '100%' : '0'}" dy="${high ? -6 : 13}" text-anchor="end">${values.join(', ')}</text>${last && levelTicks(axis)}</svg></div>`
}

function readings(row: HardwareRow): string {
  const perLevel = row.levels.map(({ n, mean, peak }) => {
    const parts = [mean === null ? '' : `mean ${row.format(mean)}`, peak === null ? '' : `peak ${row.format(peak)}`].filter((part) => part !== '')
    return `N = ${n}: ${parts.length === 0 ? 'no data' : parts.join(', ')}`
  })
  return `${row.name} ${row.of}. ${perLevel.join('; ')}`
}

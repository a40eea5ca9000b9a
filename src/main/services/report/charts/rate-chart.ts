/** Total rate by N on the axis of the load line: what was measured, the curve that fits it best, and thin the ones that were rejected. */

import { scaleLinear } from 'd3-scale'
import { line } from 'd3-shape'
import type { CurveFit, LevelSummary } from '../../../../core/analysis/analysis.ts'
import { formatCount } from '../../../../core/report/format-number.ts'
import { FIT_WORDS } from '../../../../core/report/words.ts'
import { html, type Markup, percent } from '../html.ts'
import { type LevelAxis, levelTicks, simulatedLabel, stretched } from './axes.ts'
import { dropLine } from './decomposition-chart.ts'

export type RateInput = {
  readonly axis: LevelAxis
  readonly levels: readonly LevelSummary[]
  readonly fits: readonly CurveFit[]
  readonly ceilingN: number | null
  readonly simulated: boolean
  readonly description: string
}

type Point = { readonly x: number; readonly y: number }

/** Smallest distance of two labels at the right edge, in percent of the plot's 200 px. */
const LABEL_GAP_PERCENT = 8

export function rateChart({ axis, levels, fits, ceilingN, simulated, description }: RateInput): Markup {
  const measured = levels.flatMap(({ n, tokensPerSec }) => (tokensPerSec === null ? [] : [{ n, tokensPerSec }]))
  const onAxis = fits.map((fit) => ({ fit, points: fit.points.filter(({ n }) => levelPlace(axis, n) !== null) }))
  const largest = Math.max(...measured.map(({ tokensPerSec }) => tokensPerSec))
  // A rejected curve may run away beyond all that was measured; it is cut rather than let flatten the others.
  const scale = scaleLinear()
    .domain([0, largest * 1.15])
    .nice(4)
    .range([100, 0])
    .clamp(true)
  const place = ({ n, tokensPerSec }: { n: number; tokensPerSec: number }): Point => ({ x: levelPlace(axis, n) ?? 0, y: scale(tokensPerSec) })
  const chosen = fits.find(({ isChosen }) => isChosen)
  return html`<svg class="root" role="img" aria-labelledby="rate-title rate-text"><title id="rate-title">Tokens a second by sessions in flight, with curves</title><desc id="rate-text">${description}</desc>
${scale.ticks(4).map((tick) => html`<line class="${tick === 0 ? 'base' : 'grid'}" x1="0" x2="100%" y1="${percent(scale(tick))}" y2="${percent(scale(tick))}"/><text class="axis" x="-8" y="${percent(scale(tick))}" dy="4" text-anchor="end">${formatCount(tick)}</text>`)}
${levelTicks(axis)}${simulatedLabel(simulated)}${chosen?.knee && kneeBand(axis, chosen.knee)}${ceilingN !== null && dropLine(axis, ceilingN)}
${stretched(html`${onAxis.map(({ fit, points }) => html`<path class="${fit.isChosen ? 'fit chosen' : 'fit'}" d="${path(points.map(place))}"/>`)}`)}
<g class="marks">${measured.map(place).map((point) => html`<circle class="mark-p50" cx="${percent(point.x)}" cy="${percent(point.y)}" r="3"/>`)}</g>
${endLabels(onAxis.map(({ fit, points }) => ({ fit, last: points.map(place).at(-1) })))}</svg>`
}

/** Between two levels by the logarithm of N, as the levels themselves mostly stand; null beyond the first and the last. */
export function levelPlace(axis: LevelAxis, n: number): number | null {
  const { levels } = axis
  const above = levels.findIndex((level) => level >= n)
  const high = levels[above]
  if (high === undefined) return null
  if (high === n) return axis.x(n)
  const low = levels[above - 1]
  if (low === undefined) return null
  return axis.x(low) + ((axis.x(high) - axis.x(low)) * Math.log(n / low)) / Math.log(high / low)
}

/** The knee lies in here; its ends are held at the levels measured. */
function kneeBand(axis: LevelAxis, { low, high }: { low: number; high: number }): Markup | null {
  const [first, last] = [axis.levels[0], axis.levels.at(-1)]
  if (first === undefined || last === undefined || high < first || low > last) return null
  const from = levelPlace(axis, Math.max(first, low)) ?? 0
  const to = levelPlace(axis, Math.min(last, high)) ?? 100
  return html`<rect class="knee" x="${percent(from)}" width="${percent(Math.max(0.4, to - from))}" y="0" height="100%"/>`
}

function path(points: readonly Point[]): string {
  return (
    line<Point>(
      (p) => p.x,
      (p) => p.y,
    ).digits(2)(points) ?? ''
  )
}

function endLabels(ends: readonly { readonly fit: CurveFit; readonly last: Point | undefined }[]): Markup {
  let lowest = Number.NEGATIVE_INFINITY
  const labelled = ends
    .flatMap(({ fit, last }) => (last === undefined ? [] : [{ fit, ...last }]))
    .sort((a, b) => a.y - b.y)
    .map((end) => {
      lowest = Math.max(end.y, lowest + LABEL_GAP_PERCENT)
      return { ...end, y: lowest }
    })
  return html`${labelled.map(({ fit, x, y }) => html`<text class="axis-name halo ${fit.isChosen ? 'ink' : ''}" x="${percent(x)}" dx="10" y="${percent(y)}" dy="4">${FIT_WORDS[fit.model].label}</text>`)}`
}

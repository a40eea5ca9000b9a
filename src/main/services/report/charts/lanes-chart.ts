/** One wave as swim-lanes: a lane a session, coloured by where its time goes. A queue shows as a staircase. */
import { scaleLinear } from 'd3-scale'
import { formatMs, formatSettingMs } from '../../../../core/report/format-number.ts'
import type { WaveLane, WaveLanes } from '../../../../core/report/wave-lanes.ts'
import { html, type Markup, percent } from '../html.ts'

const LANE_PX = 18
const BAR_PX = 10

export function lanesChart({ lanes, lengthMs }: WaveLanes, simulated: boolean, description: string): Markup {
  const scale = scaleLinear()
    .domain([0, lengthMs > 0 ? lengthMs : 1])
    .nice(4)
    .range([0, 100])
  const height = lanes.length * LANE_PX
  return html`<svg class="root lanes" height="${height}" role="img" aria-labelledby="lanes-title lanes-text"><title id="lanes-title">One wave, lane by lane</title><desc id="lanes-text">${description}</desc>
${scale.ticks(4).map((tick) => html`<line class="grid" x1="${percent(scale(tick))}" x2="${percent(scale(tick))}" y1="0" y2="100%"/><text class="axis" x="${percent(scale(tick))}" y="100%" dy="15" text-anchor="middle">${tick === 0 ? '0' : formatSettingMs(tick)}</text>`)}
${simulated && html`<text class="simulated" x="100%" y="0" dy="-8" text-anchor="end">simulated</text>`}
${lanes.map((lane, index) => laneMarks(lane, index * LANE_PX + (LANE_PX - BAR_PX) / 2, scale))}</svg>`
}

function laneMarks(lane: WaveLane, y: number, scale: (ms: number) => number): Markup {
  const first = lane.spans[0]
  const last = lane.spans.at(-1)
  const activityMs = lane.ttfaMs === null || first === undefined ? null : first.fromMs + lane.ttfaMs
  return html`<text class="axis" x="-8" y="${y}" dy="9" text-anchor="end">${lane.session}</text>
${lane.spans.map(({ part, fromMs, toMs }) => html`<rect class="p-${part}" x="${percent(scale(fromMs))}" width="${percent(scale(toMs) - scale(fromMs))}" y="${y}" height="${BAR_PX}"/>`)}
${activityMs !== null && html`<line class="activity" x1="${percent(scale(activityMs))}" x2="${percent(scale(activityMs))}" y1="${y - 2}" y2="${y + BAR_PX + 2}"/>`}
${lane.outcome === 'failed' && last && html`<svg class="failed" x="${percent(scale(last.toMs))}" y="${y}" width="${BAR_PX}" height="${BAR_PX}" overflow="visible"><path d="M3 1l8 8M11 1l-8 8"/></svg>`}
<text class="axis lane-value" x="100%" dx="10" y="${y}" dy="9">${laneText(lane)}</text>`
}

function laneText({ outcome, ttfaMs, wallMs }: WaveLane): string {
  if (outcome === 'failed') return 'failed'
  if (outcome === 'cut') return 'cut'
  return ttfaMs === null ? formatMs(wallMs) : formatMs(ttfaMs)
}

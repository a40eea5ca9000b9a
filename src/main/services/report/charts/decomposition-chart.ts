/** Mean wall of a session by N, stacked from the parts of its turn. */
import { stack } from 'd3-shape'
import { type LevelSummary, PARTS, type Part } from '../../../../core/analysis/analysis.ts'
import { formatMs } from '../../../../core/report/format-number.ts'
import { PART_WORDS } from '../../../../core/report/words.ts'
import { html, type Markup, percent } from '../html.ts'
import { type LevelAxis, levelTicks, levelWidth, linearMsAxis, msGrid, simulatedLabel, type ValueAxis } from './axes.ts'

type Segment = { readonly part: Part; readonly n: number; readonly top: number; readonly bottom: number }

/** Bars take this share of a level's width. */
const BAR_SHARE = 0.46
/** A segment below this share of the plot gets no label beside it; the table beneath has them all. */
const SMALLEST_LABELLED_PERCENT = 1.5
const LABEL_GAP_PERCENT = 6

export type DecompositionInput = {
  readonly axis: LevelAxis
  readonly levels: readonly LevelSummary[]
  /** N of the load line, for the drop line. */
  readonly ceilingN: number | null
  readonly simulated: boolean
  readonly description: string
}

export const wallOf = (level: LevelSummary) => PARTS.reduce((sum, part) => sum + (level.partsMs[part] ?? 0), 0)

export function decompositionChart({ axis, levels, ceilingN, simulated, description }: DecompositionInput): Markup {
  const yAxis = linearMsAxis(Math.max(...levels.map(wallOf)))
  const width = levelWidth(axis, BAR_SHARE)
  const segments = segmentsOf(levels, yAxis)
  const last = levels.at(-1)
  return html`<svg class="root" role="img" aria-labelledby="parts-title parts-text"><title id="parts-title">Where the time goes, by sessions in flight</title><desc id="parts-text">${description}</desc>
${msGrid(yAxis)}${levelTicks(axis)}${simulatedLabel(simulated)}${ceilingN !== null && dropLine(axis, ceilingN)}
${segments.map(({ part, n, top, bottom }) => html`<rect class="p-${part} segment" x="${percent(axis.x(n) - width / 2)}" width="${percent(width)}" y="${percent(top)}" height="${percent(bottom - top)}"/>`)}
${levels.map((level) => html`<text class="axis ink" x="${percent(axis.x(level.n))}" y="${percent(yAxis.y(wallOf(level)))}" dy="-6" text-anchor="middle">${formatMs(wallOf(level))}</text>`)}
${
  last &&
  partLabels(
    segments.filter(({ n }) => n === last.n),
    axis.x(last.n) - width / 2,
  )
}</svg>`
}

export function dropLine(axis: LevelAxis, n: number): Markup | null {
  if (!axis.levels.includes(n)) return null
  const x = percent(axis.x(n))
  return html`<line class="ceiling drop" x1="${x}" x2="${x}" y1="0" y2="100%"/>`
}

function segmentsOf(levels: readonly LevelSummary[], yAxis: ValueAxis): Segment[] {
  const series = stack<LevelSummary, Part>()
    .keys(PARTS)
    .value((level, part) => level.partsMs[part] ?? 0)(levels)
  return series.flatMap((layer) =>
    layer.flatMap(([from, to], index) => {
      const level = levels[index]
      return level === undefined || to <= from ? [] : [{ part: layer.key, n: level.n, top: yAxis.y(to), bottom: yAxis.y(from) }]
    }),
  )
}

/** Left of the last bar, pushed apart where they would touch. */
function partLabels(segments: readonly Segment[], x: number): Markup {
  let lowest = 104
  return html`${segments
    .filter(({ top, bottom }) => bottom - top >= SMALLEST_LABELLED_PERCENT)
    .map(({ part, top, bottom }) => {
      lowest = Math.min((top + bottom) / 2, lowest - LABEL_GAP_PERCENT)
      return html`<text class="axis-name halo t-${part}" x="${percent(x)}" dx="-8" y="${percent(lowest)}" dy="4" text-anchor="end">${PART_WORDS[part].label}</text>`
    })}`
}

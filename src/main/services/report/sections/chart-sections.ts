/** The three charts on one N axis, each with the table behind it: load line, where the time goes, hardware. And the growth from the first level to the last. */
import { type LevelSummary, PARTS, type Part } from '../../../../core/analysis/analysis.ts'
import { formatAmount, formatMs, formatRate, formatRatio } from '../../../../core/report/format-number.ts'
import { percentileText } from '../../../../core/report/format-percentile.ts'
import { hardwareRows } from '../../../../core/report/hardware-rows.ts'
import { sessionDots } from '../../../../core/report/session-dots.ts'
import { LEG_WORDS, PART_WORDS } from '../../../../core/report/words.ts'
import { decompositionChart, wallOf } from '../charts/decomposition-chart.ts'
import { hardwareChart } from '../charts/hardware-chart.ts'
import { loadLineChart } from '../charts/load-line-chart.ts'
import { MAIN_PARTS, partSwatch } from '../charts/parts.ts'
import { html, type Markup, percent, type Shown } from '../html.ts'
import { percentileShown } from '../percentile-shown.ts'
import type { ReportPage } from '../report-page.ts'

/** Never more points a series (DESIGN.md section 9). */
const MOST_DOTS = 300

const describeLevels = (levels: readonly LevelSummary[], of: (level: LevelSummary) => string) =>
  `${levels.map((level) => `N = ${level.n}: ${of(level)}`).join('; ')}. The table below has the figures.`

export function loadLineSection({ state, analysis, leg, levels, axis, simulated }: ReportPage): Markup | null {
  if (leg === undefined) return null
  const { dots, total } = sessionDots(state, leg, MOST_DOTS)
  const drawn = dots.length === total ? `${total}` : `${dots.length} of ${total} drawn`
  const chart = loadLineChart({
    axis,
    levels,
    dots,
    sloMs: state.plan.slo.ttfaMs,
    ceiling: analysis.ceilings.slo,
    simulated,
    description: describeLevels(levels, ({ ttfaMs }) => `p50 ${percentileText(ttfaMs, 'p50')}, p95 ${percentileText(ttfaMs, 'p95')}`),
  })
  const rows: Row[] = [
    ['sessions', (level) => level.sessions],
    ...(levels.some((level) => level.failures > 0)
      ? [['failed', (level: LevelSummary) => (level.failures > 0 ? html`<b class="fail">${level.failures}</b>` : '0')] as const]
      : []),
    [
      'held, at least',
      (level) =>
        level.held.ratio !== null &&
        html`${wholePercent(level.held.ratio)} ${level.held.lowerBound !== null && html`<small>${wholePercent(level.held.lowerBound)}</small>`}`,
    ],
    ['ttfa p50', (level) => percentileShown(level.ttfaMs, 'p50')],
    ['ttfa p95', (level) => percentileShown(level.ttfaMs, 'p95')],
    ['tokens/s', (level) => level.tokensPerSec !== null && formatRate(level.tokensPerSec)],
    ['at once', (level) => level.slotsInUse !== null && formatAmount(level.slotsInUse)],
  ]
  return html`<section aria-labelledby="h-load"><h2 id="h-load">Load line</h2><p class="sub">ttfa by sessions in flight, ${LEG_WORDS[leg]}. Solid p50, dashed p95, dots single sessions (${drawn}), hollow where the SLO is missed.${ceilingBandText(analysis.ceilings.slo)}</p>
<div class="scroll"><div class="wide">${total > 0 ? html`<div class="plot load-line">${chart}</div>` : html`<p class="empty">No session had a first activity, so there is nothing to draw.</p>`}${byLevelTable('Load line by N', levels, rows)}</div></div></section>`
}

function ceilingBandText({ status, low, high }: ReportPage['analysis']['ceilings']['slo']): string {
  if (status !== 'found' || low === null || high === low) return ''
  return high === null
    ? ` The ceiling lies at N = ${low} or above (band).`
    : ` The ceiling lies between N = ${low}, which holds, and N = ${high}, which does not (band).`
}

/** Rounded down: 99.6 % is not all. */
const wholePercent = (ratio: number) => formatRatio(Math.floor(ratio * 100 + 1e-9) / 100)

type Row = readonly [label: Shown, value: (level: LevelSummary) => Shown]

/** One column a level, under the level in the chart above. */
function byLevelTable(caption: string, levels: readonly LevelSummary[], rows: readonly Row[]): Markup {
  return html`<table class="by-level"><caption class="sr">${caption}</caption><colgroup><col class="label">${levels.map(() => html`<col>`)}</colgroup><thead class="sr"><tr><th scope="col">figure</th>${levels.map(({ n }) => html`<th scope="col">N = ${n}</th>`)}</tr></thead>
<tbody>${rows.map(
    ([label, value]) =>
      html`<tr><th scope="row">${label}</th>${levels.map((level) => {
        const text = value(level)
        return html`<td>${text === null || text === false || text === undefined ? html`<small>–</small>` : text}</td>`
      })}</tr>`,
  )}</tbody></table>`
}

export function partsSection({ levels, axis, analysis, ceilingN, simulated }: ReportPage): Markup | null {
  if (levels.every((level) => wallOf(level) === 0)) return null
  const parts = PARTS.filter((part) => MAIN_PARTS.includes(part) || levels.some((level) => (level.partsMs[part] ?? 0) > 0))
  const description = describeLevels(levels, (level) =>
    parts.map((part) => `${PART_WORDS[part].label} ${formatMs(level.partsMs[part] ?? 0)}`).join(', '),
  )
  const rows: Row[] = parts.map((part) => [
    html`${partSwatch(part)}${PART_WORDS[part].label}`,
    (level) => {
      const ms = level.partsMs[part] ?? 0
      return ms === 0 ? html`<small>none</small>` : formatMs(ms)
    },
  ])
  const top = [...(analysis.growth?.parts ?? [])].sort((a, b) => b.share.value - a.share.value)[0]?.part
  if (top !== undefined) rows.push([`${PART_WORDS[top].label}, of wall`, (level) => html`<b>${formatRatio(level.shares[top] ?? 0)}</b>`])
  return html`<section aria-labelledby="h-parts"><h2 id="h-parts">Where the time goes</h2><p class="sub">Mean wall of a session by N, cut into the parts of its turn.</p>
<div class="scroll"><div class="wide"><div class="plot parts">${decompositionChart({ axis, levels, ceilingN, simulated, description })}</div>${byLevelTable('Parts of the mean wall by N', levels, rows)}</div></div>
${growthTable(analysis.growth, levels)}</section>`
}

function growthTable(growth: ReportPage['analysis']['growth'], levels: readonly LevelSummary[]): Markup | null {
  if (growth === null) return null
  const wall = (n: number) => levels.find((level) => level.n === n)
  const [from, to] = [wall(growth.fromN), wall(growth.toN)]
  const grown = from === undefined || to === undefined ? '' : `, ${formatMs(wallOf(to) - wallOf(from))} in all`
  const parts = growth.parts.filter(({ share }) => Math.abs(share.value) >= 0.005).sort((a, b) => b.share.value - a.share.value)
  if (parts.length === 0) return null
  return html`<h3 class="cap growth-head">What the growth is made of, from N = ${growth.fromN} to N = ${growth.toN}${grown}</h3>
<table class="growth"><caption class="sr">Share of each part in the growth of the mean wall, with its 95 % interval</caption><tbody>${parts.map(({ part, share }) => html`<tr><th scope="row">${partSwatch(part)}${PART_WORDS[part].label}</th><td class="bar">${shareBar(part, share)}</td><td>${formatRatio(share.value)}</td><td><small>${formatRatio(share.low)} to ${formatRatio(share.high)}</small></td></tr>`)}</tbody></table>`
}

function shareBar(part: Part, { value, low, high }: { value: number; low: number; high: number }): Markup {
  const at = (share: number) => percent(Math.max(0, Math.min(1, share)) * 100)
  return html`<svg height="12" aria-hidden="true"><rect class="p-${part}" x="0" y="2" width="${at(value)}" height="8"/><line class="whisker" x1="${at(low)}" x2="${at(high)}" y1="6" y2="6"/><line class="whisker" x1="${at(low)}" x2="${at(low)}" y1="3" y2="9"/><line class="whisker" x1="${at(high)}" x2="${at(high)}" y1="3" y2="9"/></svg>`
}

export function hardwareSection({ state, levels, axis, ceilingN, simulated }: ReportPage): Markup | null {
  const rows = hardwareRows(state, levels)
  if (rows.length === 0) return null
  return html`<section aria-labelledby="h-hardware"><h2 id="h-hardware">Hardware on the same axis</h2><p class="sub">Solid mean, dashed peak; the last level’s values stand at the right.${simulated && ' The model server is simulated: it works nothing out, so its load says nothing.'}</p>
<div class="scroll"><div class="wide gauges">${rows.map((row, index) => hardwareChart(row, axis, ceilingN, index === rows.length - 1))}</div></div></section>`
}

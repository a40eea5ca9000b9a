/** The figures: one row a leg and level, and all percentiles folded away beneath. */
import type { LevelSummary, Percentiles } from '../../../../core/analysis/analysis.ts'
import { formatAmount, formatPercent, formatRate, formatRatio } from '../../../../core/report/format-number.ts'
import type { PercentileName } from '../../../../core/report/format-percentile.ts'
import { levelsOf } from '../../../../core/report/report-levels.ts'
import { LEG_WORDS } from '../../../../core/report/words.ts'
import type { Leg } from '../../../../core/sweep/plan.ts'
import { html, type Markup, type Shown } from '../html.ts'
import { MARK } from '../icons.ts'
import { percentileShown } from '../percentile-shown.ts'
import type { ReportPage } from '../report-page.ts'

const LEGS: readonly Leg[] = ['runner', 'direct', 'null']
const GROUPS = [
  ['ttfa', (level: LevelSummary) => level.ttfaMs],
  ['first model request', (level: LevelSummary) => level.firstModelRequestMs],
  ['done', (level: LevelSummary) => level.doneMs],
  ['wall', (level: LevelSummary) => level.wallMs],
] as const
const ALL_GROUPS = [
  ...GROUPS.slice(0, 2),
  ['ttft', (level: LevelSummary) => level.ttftMs],
  ...GROUPS.slice(2),
  ['queue wait', (level: LevelSummary) => level.queueWaitMs],
] as const
const NAMES: readonly PercentileName[] = ['p50', 'p95', 'p99']

export function figuresSection({ analysis, leg: lead, ceilingN, simulated }: ReportPage): Markup | null {
  const measured = LEGS.map((leg) => ({ leg, levels: levelsOf(analysis, leg) })).filter(({ levels }) => levels.length > 0)
  if (measured.length === 0) return null
  const several = measured.length > 1
  return html`<section aria-labelledby="h-figures"><h2 id="h-figures">Figures${simulated && html` <span class="tag">simulated</span>`}</h2><p class="sub">“At least” is the one-sided 95 % lower bound of the share that held. A percentile with too few samples has no value: the cell says how many there are of how many it needs.</p>
<div class="scroll"><table class="data"><caption class="sr">Figures by leg and level</caption><thead><tr><th></th><th></th><th class="g" colspan="2" scope="colgroup">SLO</th>${GROUPS.map(([name]) => html`<th class="g" colspan="2" scope="colgroup">${name}</th>`)}<th></th><th></th><th></th></tr>
<tr><th scope="col">N</th><th scope="col">sessions</th><th scope="col">held</th><th scope="col">at least</th>${GROUPS.map(() => html`<th scope="col">p50</th><th scope="col">p95</th>`)}<th scope="col">tokens/s</th><th scope="col">at once</th><th scope="col">CPU peak</th></tr></thead>
${measured.map(({ leg, levels }) => html`<tbody>${several && html`<tr class="leg"><th colspan="15" scope="rowgroup">${LEG_WORDS[leg]}</th></tr>`}${levels.map((level) => levelRow(level, leg === lead && level.n === ceilingN))}</tbody>`)}</table></div>
<details><summary>All percentiles</summary><div class="scroll"><table class="data"><caption class="sr">All percentiles by leg and level</caption><thead><tr><th></th><th></th>${ALL_GROUPS.map(([name]) => html`<th class="g" colspan="3" scope="colgroup">${name}</th>`)}</tr><tr><th scope="col">leg</th><th scope="col">N</th>${ALL_GROUPS.map(() => NAMES.map((name) => html`<th scope="col">${name}</th>`))}</tr></thead>
<tbody>${measured.map(({ levels }) => levels.map((level) => html`<tr><td>${level.leg}</td><td>${level.n}</td>${ALL_GROUPS.map(([, of]) => NAMES.map((name) => percentileCell(of(level), name)))}</tr>`))}</tbody></table></div></details></section>`
}

function levelRow(level: LevelSummary, isCeiling: boolean): Markup {
  const bad = [level.failures > 0 && html`<b class="fail">${level.failures} failed</b>`, level.cut > 0 && html`${level.cut} cut`].filter(
    (part) => part !== false,
  )
  const sessions = html`${level.sessions}${bad.length > 0 && html`<br>${bad.map((part, index) => html`${index > 0 && ', '}${part}`)}`}`
  const shown = (value: Shown) => html`<td>${value === null ? html`<small>–</small>` : value}</td>`
  return html`<tr class="${isCeiling ? 'line' : ''}"><td>${isCeiling && MARK}${level.n}</td><td>${sessions}</td><td>${level.held.count}</td>
${shown(level.held.lowerBound === null ? null : formatRatio(level.held.lowerBound))}${GROUPS.map(([, of]) => html`${percentileCell(of(level), 'p50')}${percentileCell(of(level), 'p95')}`)}
${shown(level.tokensPerSec === null ? null : formatRate(level.tokensPerSec))}${shown(level.slotsInUse === null ? null : formatAmount(level.slotsInUse))}${shown(level.hostCpuPercentMax === null ? null : formatPercent(level.hostCpuPercentMax))}</tr>`
}

const percentileCell = (percentiles: Percentiles, name: PercentileName) => html`<td>${percentileShown(percentiles, name)}</td>`

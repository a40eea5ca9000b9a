/** One wave of the largest level as swim-lanes. */
import { PARTS } from '../../../../core/analysis/analysis.ts'
import { formatMs } from '../../../../core/report/format-number.ts'
import { waveLanes } from '../../../../core/report/wave-lanes.ts'
import { PART_WORDS } from '../../../../core/report/words.ts'
import { lanesChart } from '../charts/lanes-chart.ts'
import { partKey } from '../charts/parts.ts'
import { html, type Markup } from '../html.ts'
import type { ReportPage } from '../report-page.ts'

/** More lanes than a printed page holds say no more. */
const MOST_LANES = 32

export function lanesSection({ state, leg, simulated }: ReportPage): Markup | null {
  const wave = leg && waveLanes(state, leg, MOST_LANES)
  if (wave === undefined) return null
  const used = PARTS.filter((part) => wave.lanes.some(({ spans }) => spans.some((span) => span.part === part)))
  const drawn = wave.lanes.length === wave.total ? '' : ` ${wave.lanes.length} of ${wave.total} lanes are drawn.`
  const description = wave.lanes
    .map(({ session, ttfaMs, outcome, spans }) => {
      const parts = spans.map(({ part, fromMs, toMs }) => `${PART_WORDS[part].label} ${formatMs(toMs - fromMs)}`).join(', ')
      return `Session ${session}: ttfa ${ttfaMs === null ? 'none' : formatMs(ttfaMs)}${outcome === 'completed' ? '' : `, ${outcome}`}; ${parts}`
    })
    .join('. ')
  return html`<section aria-labelledby="h-lanes"><h2 id="h-lanes">One wave at N = ${wave.n}, lane by lane</h2><p class="sub">Repeat ${wave.repeat}, wave ${wave.wave}, the one of median length; sorted by first activity (black tick), ttfa at the right.${drawn}</p>
${partKey(used)}<div class="plot lane-plot">${lanesChart(wave, simulated, description)}</div></section>`
}

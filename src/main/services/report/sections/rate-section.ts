/** Does the total rate still grow? The measured rates with the curve that was chosen and the rejected ones, and how well each predicts a level that it was not shown. */
import { formatAmount, formatRate, formatRatio } from '../../../../core/report/format-number.ts'
import { FIT_WORDS } from '../../../../core/report/words.ts'
import { rateChart } from '../charts/rate-chart.ts'
import { html, type Markup } from '../html.ts'
import type { ReportPage } from '../report-page.ts'

export function rateSection({ analysis, levels, axis, ceilingN, simulated }: ReportPage): Markup | null {
  const measured = levels.filter(({ tokensPerSec }) => tokensPerSec !== null && tokensPerSec > 0)
  if (measured.length < 2) return null
  const { fits } = analysis
  const description = `${measured.map(({ n, tokensPerSec }) => `N = ${n}: ${formatRate(tokensPerSec ?? 0)} tokens a second`).join('; ')}.`
  const why =
    fits.length === 0
      ? 'Fewer than three levels were measured, so no curve is drawn through them.'
      : 'Dots measured; solid the curve that predicts a left-out level best, thin the rejected ones. The band is where it bends.'
  return html`<section aria-labelledby="h-rate"><h2 id="h-rate">Total rate</h2><p class="sub">Output tokens a second of all sessions together, by sessions in flight. ${why}</p>
<div class="scroll"><div class="wide"><div class="plot rate">${rateChart({ axis, levels: measured, fits, ceilingN, simulated, description })}</div></div></div>${fits.length > 0 && fitTable(fits)}</section>`
}

function fitTable(fits: ReportPage['analysis']['fits']): Markup {
  const knee = (fit: (typeof fits)[number]) =>
    fit.knee === null
      ? 'none'
      : html`N = ${formatAmount(fit.knee.value)} <small>${formatAmount(fit.knee.low)} to ${formatAmount(fit.knee.high)}</small>`
  const sorted = [...fits].sort((a, b) => a.leaveOneOutErrorRatio - b.leaveOneOutErrorRatio)
  return html`<div class="scroll"><table class="data text fits"><caption class="sr">Curves through the total rates</caption><thead><tr><th scope="col">curve</th><th scope="col">what it says</th><th scope="col">misses a left-out level by</th><th scope="col">bends at</th><th scope="col"></th></tr></thead>
<tbody>${sorted.map((fit) => html`<tr><td>${FIT_WORDS[fit.model].label}</td><td>${FIT_WORDS[fit.model].meaning}</td><td>${formatRatio(fit.leaveOneOutErrorRatio)}</td><td>${knee(fit)}</td><td class="result">${fit.isChosen ? 'chosen' : 'rejected'}</td></tr>`)}</tbody></table></div>`
}

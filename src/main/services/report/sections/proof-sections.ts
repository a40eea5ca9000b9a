/** What tries the verdict: interventions with what they showed, the causes that could be meant, and how evenly the sessions of a wave were served. */
import type { Intervention } from '../../../../core/analysis/analysis.ts'
import { formatRatio } from '../../../../core/report/format-number.ts'
import { INTERVENTION_WORDS, VERDICT_WORDS } from '../../../../core/report/words.ts'
import { html, type Markup, percent, prose } from '../html.ts'
import type { ReportPage } from '../report-page.ts'

const agreement = ({ agrees }: Intervention) => (agrees === null ? 'says nothing either way' : agrees ? 'agrees' : 'disagrees')

export function interventionSection({ analysis }: ReportPage): Markup | null {
  const { interventions } = analysis
  if (interventions.length === 0) return null
  return html`<section aria-labelledby="h-interventions"><h2 id="h-interventions">Tried by intervention</h2><p class="sub">One thing was changed on purpose, and what followed was held against what the verdict predicts.</p>
<div class="scroll"><table class="data text"><thead><tr><th scope="col">what was changed</th><th scope="col">what followed</th><th scope="col">the verdict</th></tr></thead>
<tbody>${interventions.map((one) => html`<tr><td class="nowrap">${INTERVENTION_WORDS[one.kind]}</td><td>${prose(one.text)}</td><td class="result">${agreement(one)}</td></tr>`)}</tbody></table></div></section>`
}

export function candidatesSection({ analysis }: ReportPage): Markup | null {
  const candidates = analysis.candidates.filter(({ share }) => Math.abs(share.value) >= 0.005)
  if (candidates.length < 2) return null
  const at = (share: number) => percent(Math.max(0, Math.min(1, share)) * 100)
  return html`<section aria-labelledby="h-candidates"><h2 id="h-candidates">What else it could be</h2><p class="sub">Share of each cause in the growth of a session’s time, with its 95 % interval. A share alone decides nothing.</p>
<table class="growth"><caption class="sr">Candidates with their share of the growth</caption><tbody>${candidates.map(
    ({ code, share }) =>
      html`<tr><th scope="row">${VERDICT_WORDS[code]}</th><td class="bar"><svg height="12" aria-hidden="true"><rect class="candidate" x="0" y="3" width="${at(share.value)}" height="6"/><line class="whisker" x1="${at(share.low)}" x2="${at(share.high)}" y1="6" y2="6"/><line class="whisker" x1="${at(share.low)}" x2="${at(share.low)}" y1="3" y2="9"/><line class="whisker" x1="${at(share.high)}" x2="${at(share.high)}" y1="3" y2="9"/></svg></td><td>${formatRatio(share.value)}</td><td><small>${formatRatio(share.low)} to ${formatRatio(share.high)}</small></td></tr>`,
  )}</tbody></table></section>`
}

export function fairnessSection({ levels }: ReportPage): Markup | null {
  const told = levels.flatMap(({ n, fairness }) => (fairness === null ? [] : [{ n, fairness }]))
  if (told.length === 0) return null
  const starved = told.reduce((sum, { fairness }) => sum + fairness.starved, 0)
  return html`<section aria-labelledby="h-fairness"><h2 id="h-fairness">Fairness</h2><p class="sub">How evenly the sessions of a wave were served. ${starved === 0 ? 'None was starved.' : `${starved} starved: they took more than ten medians of their level, or waited as long as the others took and never got a token.`}</p>
<div class="scroll"><table class="data"><caption class="sr">Fairness by N</caption><thead><tr><th scope="col">N</th><th scope="col">slowest over fastest</th><th scope="col">Jain’s index</th><th scope="col">starved</th></tr></thead>
<tbody>${told.map(({ n, fairness }) => html`<tr><td>${n}</td><td>${fairness.slowestOverFastest.toFixed(2)} ×</td><td>${fairness.jainIndex.toFixed(3)}</td><td>${fairness.starved > 0 ? html`<b class="fail">${fairness.starved}</b>` : '0'}</td></tr>`)}</tbody></table></div></section>`
}

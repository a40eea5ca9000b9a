/** The top of a report: which sweep, what must be known first, the verdict as a sentence with its confidence, the three ceilings. */
import type { Analysis, Ceiling } from '../../../../core/analysis/analysis.ts'
import { formatAmount, formatMs, formatRatio } from '../../../../core/report/format-number.ts'
import { ceilingText } from '../../../../core/report/report-levels.ts'
import { reportNotices } from '../../../../core/report/report-notices.ts'
import { CONFIDENCES, PART_WORDS } from '../../../../core/report/words.ts'
import { formatPeriod } from '../format-date.ts'
import { html, type Markup, prose } from '../html.ts'
import { CONTRAST, MARK, NOTE, WARNING } from '../icons.ts'
import type { ReportPage } from '../report-page.ts'

export function headerBar({ state, name, target, simulated }: ReportPage): Markup {
  const period = formatPeriod(state.startedEpochMs, state.startedEpochMs + state.lastAtMs)
  return html`<header class="top">${MARK}<span class="strong">Plimsoll report</span><span class="dim">${name}, ${period}</span><span class="dim target">${target}</span>${simulated && html`<span class="tag">simulated</span>`}<button type="button" class="btn quiet noprint" id="theme" aria-label="Switch between dark and light">${CONTRAST}</button></header>`
}

/** What went wrong, or ended the sweep early, stands first; what the reader should bear in mind stands under the ceilings. */
export function noticeList({ state, analysis }: ReportPage, place: 'first' | 'below'): Markup | null {
  const notices = reportNotices(state, analysis).filter(({ isFirst }) => isFirst === (place === 'first'))
  if (notices.length === 0) return null
  return html`<ul class="notices">${notices.map(({ weight, code, text }) => html`<li class="${weight}" data-notice="${code}">${weight === 'bad' ? WARNING : NOTE}<span>${prose(text)}</span></li>`)}</ul>`
}

export function leadSection({ analysis }: ReportPage): Markup {
  const { verdict } = analysis
  const say = (label: string, text: string | null) => text && html`<p><span class="strong">${label}</span> ${prose(text)}</p>`
  return html`<div class="lead"><div class="say"><h1 class="l">${prose(verdict.sentence)}</h1>
${say('What would move it:', verdict.wouldMove)}${say('What would not:', verdict.wouldNotMove)}${say('What would settle it:', verdict.toSettle)}</div>
<div>${verdict.primary !== 'invalid_measurement' && confidenceBar(analysis)}<dl class="kv">${verdictRows(analysis).map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></div></div>`
}

function confidenceBar({ verdict }: Analysis): Markup {
  const reached = CONFIDENCES.findIndex(({ code }) => code === verdict.confidence)
  const label = `Confidence: ${CONFIDENCES[reached]?.label}, ${reached + 1} of ${CONFIDENCES.length}`
  return html`<ol class="sure" aria-label="${label}">${CONFIDENCES.map(({ label: step }, index) => html`<li class="${index <= reached ? 'on' : ''}${index === reached ? ' here' : ''}">${step}</li>`)}</ol>`
}

function verdictRows({ verdict, growth, effectiveSlots, ownCost }: Analysis): (readonly [string, string])[] {
  const [first, second] = [...(growth?.parts ?? [])].sort((a, b) => b.share.value - a.share.value)
  const rows: (readonly [string, string])[] = [['Verdict', verdict.primary]]
  if (verdict.mechanism !== null) rows.push(['How', verdict.mechanism])
  if (verdict.secondary !== null) rows.push(['Behind it', verdict.secondary])
  if (growth !== null && first !== undefined) {
    rows.push([`Growth, N = ${growth.fromN} to ${growth.toN}`, `${PART_WORDS[first.part].label} ${formatRatio(first.share.value)}`])
    rows.push(['95 % interval', `${formatRatio(first.share.low)} to ${formatRatio(first.share.high)}`])
  }
  if (second !== undefined) rows.push(['Next candidate', `${PART_WORDS[second.part].label} ${formatRatio(second.share.value)}`])
  if (effectiveSlots.n !== null) rows.push(['Effective slots', `${effectiveSlots.plateau ? '' : 'at least '}${formatAmount(effectiveSlots.n)}`])
  if (ownCost !== null && ownCost.ttfaMs.p50 !== null) rows.push(['Plimsoll adds', `${formatMs(ownCost.ttfaMs.p50)} at N = ${ownCost.n}`])
  return rows
}

export function ceilingsRow({ analysis }: ReportPage): Markup {
  const { slo, throughput, error } = analysis.ceilings
  const cell = (name: string, ceiling: Ceiling, mark: Markup | null) =>
    html`<div><p class="cap">${name}</p><p class="fig l">${mark}<span class="num">${ceilingText(ceiling)}</span></p><p class="s dim">${prose(ceiling.because)}</p></div>`
  return html`<div class="three">${cell('SLO ceiling, the load line', slo, MARK)}${cell('Throughput ceiling', throughput, null)}${cell('Error ceiling', error, null)}</div>`
}

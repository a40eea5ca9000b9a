/** What stands behind the figures: evidence and checks, warnings, void cells, method, definitions, environment, how to run it again. */
import type { Evidence } from '../../../../core/analysis/analysis.ts'
import { environmentFacts } from '../../../../core/report/environment-facts.ts'
import { definitions, methodNotes, type Note } from '../../../../core/report/method-notes.ts'
import { reportChecks } from '../../../../core/report/report-checks.ts'
import { voidCells } from '../../../../core/report/report-levels.ts'
import { sweepCommand } from '../../../../core/report/sweep-command.ts'
import { PART_WORDS } from '../../../../core/report/words.ts'
import { problemText } from '../../../../core/result/problem.ts'
import { html, type Markup, prose } from '../html.ts'
import { CHECK, CROSS, OPEN, WARNING } from '../icons.ts'
import type { ReportPage } from '../report-page.ts'

const STANCES: Readonly<Record<Evidence['stance'], { readonly icon: Markup; readonly word: string }>> = {
  for: { icon: CHECK, word: 'for' },
  against: { icon: CROSS, word: 'against' },
  open: { icon: OPEN, word: 'open' },
}

export function evidenceSection({ state, analysis }: ReportPage): Markup | null {
  const { evidence } = analysis.verdict
  const checks = reportChecks(state, analysis)
  return html`${evidence.length > 0 && html`<section aria-labelledby="h-why"><h2 id="h-why">Why we believe it</h2><ul class="warn">${evidence.map(({ stance, text }) => html`<li class="${stance}">${STANCES[stance].icon}<span><span class="sr">${STANCES[stance].word}: </span>${prose(text)}</span></li>`)}</ul></section>`}
${
  checks.length > 0 &&
  html`<section aria-labelledby="h-checks"><h2 id="h-checks">Checked against</h2><div class="scroll"><table class="data text"><thead><tr><th scope="col">what was done</th><th scope="col">expected</th><th scope="col">found</th><th scope="col"></th></tr></thead>
<tbody>${checks.map(({ what, expected, found, result }) => html`<tr><td>${what}</td><td>${expected}</td><td>${found}</td><td class="result">${result}</td></tr>`)}</tbody></table></div></section>`
}`
}

export function warningsSection({ state, analysis }: ReportPage): Markup {
  const voids = voidCells(state)
  return html`<section aria-labelledby="h-warnings"><h2 id="h-warnings">Warnings</h2>${
    analysis.warnings.length === 0
      ? html`<p class="dim">None.</p>`
      : html`<ul class="warn">${analysis.warnings.map(({ code, text }) => html`<li data-warning="${code}">${WARNING}<span>${prose(text)}</span></li>`)}</ul>`
  }</section>
${
  voids.length > 0 &&
  html`<section aria-labelledby="h-void"><h2 id="h-void">Void cells</h2><p class="sub">They count nowhere; their sessions are kept in the raw data.</p><div class="scroll"><table class="data text"><thead><tr><th scope="col">cell</th><th scope="col">why</th></tr></thead>
<tbody>${voids.map(({ cell, voidReason }) => html`<tr><td class="nowrap"><s>N = ${cell.n}</s>, ${cell.leg} leg, repeat ${cell.repeat}</td><td>${voidReason === null ? 'No reason was kept.' : problemText(voidReason)}</td></tr>`)}</tbody></table></div></section>`
}`
}

/** What the plan held and was not run, and what was run beyond it, each with its reason. */
export function cellsSection({ state }: ReportPage): Markup | null {
  const changed = state.cells.filter(({ status, because }) => status === 'skipped' || because !== null)
  if (changed.length === 0) return null
  const word = ({ status }: (typeof changed)[number]) => (status === 'skipped' ? 'left out' : 'added')
  return html`<section aria-labelledby="h-cells"><h2 id="h-cells">Cells left out and added</h2><p class="sub">The plan is adapted to what is measured; each change has its reason.</p><div class="scroll"><table class="data text"><thead><tr><th scope="col">cell</th><th scope="col"></th><th scope="col">why</th></tr></thead>
<tbody>${changed.map((one) => html`<tr><td class="nowrap">N = ${one.cell.n}, ${one.cell.leg} leg, repeat ${one.cell.repeat}</td><td>${word(one)}</td><td>${prose(one.because === null || one.because === '' ? 'No reason was kept.' : one.because)}</td></tr>`)}</tbody></table></div></section>`
}

const noteList = (notes: readonly Note[], after = '') =>
  html`<ul class="method">${notes.map(({ term, text }) => html`<li><b>${term}${after}</b> ${prose(text)}</li>`)}</ul>`

export function methodSection({ state }: ReportPage): Markup {
  const parts: Note[] = Object.values(PART_WORDS).map(({ label, meaning }) => ({ term: label, text: meaning }))
  return html`<section class="long" aria-labelledby="h-method"><h2 id="h-method">Method</h2>${noteList(methodNotes(state), '.')}</section>
<section class="long" aria-labelledby="h-words"><h2 id="h-words">What the figures mean</h2>${noteList(definitions(state))}<h3 class="cap parts-head">The parts of a turn; their sum is its wall</h3>${noteList(parts)}</section>`
}

export function environmentSection({ state, analysis }: ReportPage): Markup {
  const { server, machine } = environmentFacts(state, analysis)
  const list = (facts: typeof server) =>
    html`<dl class="kv">${facts.map(({ name, value }) => html`<dt>${name}</dt><dd title="${value}">${value}</dd>`)}</dl>`
  return html`<section aria-labelledby="h-environment"><h2 id="h-environment">Environment</h2><div class="env">${list(server)}${list(machine)}</div></section>
<section aria-labelledby="h-again"><h2 id="h-again">Run it again</h2><p class="sub">In a checkout of Plimsoll; the same seed gives the same prompts in the same order.</p><pre class="command"><code>${unbroken(sweepCommand(state.plan))}</code></pre></section>`
}

/** Lines may break between options only. */
function unbroken(command: string): Markup {
  const [first = '', ...options] = command.split(/ (?=--)/)
  return html`${first}${options.map((option) => html` <span>${option}</span>`)}`
}

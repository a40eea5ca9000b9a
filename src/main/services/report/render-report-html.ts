/**
 * A sweep as one HTML file that needs nothing else: no network, no server, no other file. Its policy allows its own style and script by their hashes and
 * nothing besides. Numbers and words come from core/report; here they are only drawn.
 */
import { createHash } from 'node:crypto'
import tokens from '../../../../resources/tokens.css?raw'
import type { Analysis } from '../../../core/analysis/analysis.ts'
import { formatCount } from '../../../core/report/format-number.ts'
import { packRawData } from '../../../core/report/raw-data.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { PART_PATTERNS } from './charts/parts.ts'
import { FONT_FACES } from './fonts.ts'
import { fileDate } from './format-date.ts'
import { html, type Markup, trusted } from './html.ts'
import { PAGE_SCRIPT } from './page-script.ts'
import reportStyle from './report.css?raw'
import { type ReportPage, reportPage } from './report-page.ts'
import { hardwareSection, loadLineSection, partsSection } from './sections/chart-sections.ts'
import { figuresSection } from './sections/figures-section.ts'
import { lanesSection } from './sections/lanes-section.ts'
import { ceilingsRow, headerBar, leadSection, noticeList } from './sections/lead-section.ts'
import { cellsSection, environmentSection, evidenceSection, methodSection, warningsSection } from './sections/note-sections.ts'
import { candidatesSection, fairnessSection, interventionSection } from './sections/proof-sections.ts'
import { rateSection } from './sections/rate-section.ts'

/** Width of the labels left of a chart, and the least that a level's column needs. */
const LABEL_PX = 84
const LEVEL_PX = 62
const ROOMY_LEVELS = 7

/** @param options.number the sweep's running number, for people */
export function renderReportHtml(state: SweepState, analysis: Analysis, options: { number?: number | undefined } = {}): string {
  const page = reportPage(state, analysis, options.number)
  const style = [FONT_FACES, tokens, reportStyle, layoutOf(page.levels.length)].join('\n')
  const simulated = page.simulated ? ' (simulated)' : ''
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy(style)}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="generator" content="Plimsoll ${state.environment.plimsoll}">
<title>${page.name}: ${page.target}${simulated} · Plimsoll report</title>
<style>${trusted(style)}</style>
</head>
<body>
${PART_PATTERNS}
<main class="sheet">
${headerBar(page)}
${noticeList(page, 'first')}
${leadSection(page)}
${ceilingsRow(page)}
${noticeList(page, 'below')}
${loadLineSection(page)}
${rateSection(page)}
${partsSection(page)}
${hardwareSection(page)}
${lanesSection(page)}
${figuresSection(page)}
${fairnessSection(page)}
${interventionSection(page)}
${candidatesSection(page)}
${evidenceSection(page)}
${warningsSection(page)}
${cellsSection(page)}
${methodSection(page)}
${environmentSection(page)}
${endNote(page)}
</main>
${rawData(page, options.number)}
<script>${trusted(PAGE_SCRIPT)}</script>
</body>
</html>
`.text
}

/** Charts scroll sideways rather than squeeze; where the levels stand close, the last one's labels need room at the right. */
function layoutOf(levels: number): string {
  return `.wide{min-width:${LABEL_PX + levels * LEVEL_PX}px}:root{--right-room:${levels > ROOMY_LEVELS ? 24 : 0}px}`
}

const hash = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

function policy(style: string): string {
  return `default-src 'none'; style-src ${hash(style)}; script-src ${hash(PAGE_SCRIPT)}; font-src data:; base-uri 'none'; form-action 'none'`
}

function endNote({ state }: ReportPage): Markup {
  return html`<footer class="end-note"><span class="s">Raw data is embedded: ${formatCount(state.rows.length)} session rows, ${formatCount(state.samples.length)} samples. No network is needed to read this file.</span><button type="button" class="btn noprint" id="save">Save raw data (JSON)</button></footer>`
}

/** No `<` may stand in the data as it is: neither `</script` nor `<!--` can end or change the element. */
function rawData({ state, analysis }: ReportPage, number: number | undefined): Markup {
  const json = JSON.stringify(packRawData(state, analysis)).replaceAll('<', '\\u003c')
  const fileName = `sweep-${number ?? state.plan.sweepId}-${fileDate(state.startedEpochMs)}.json`
  return html`<script type="application/json" id="raw-data" data-file-name="${fileName}">${trusted(json)}</script>`
}

/** A sweep as text for a terminal: table, verdict, ceilings, evidence, where the report is. Pure: width and colour come in. */

import type { Analysis, LevelSummary, Percentiles } from '../analysis/analysis.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { Leg } from '../sweep/plan.ts'
import { targetLabel } from '../sweep/target.ts'
import { formatAmount, formatDuration, formatMs, formatRate, formatRatio } from './format-number.ts'
import { type PercentileName, readPercentile } from './format-percentile.ts'
import { printable } from './printable.ts'
import { ceilingText, isSimulated, leadLeg, levelsOf, sweepNumbers } from './report-levels.ts'
import { reportNotices } from './report-notices.ts'
import { CONFIDENCES, count, LEG_WORDS } from './words.ts'

export type TextSurface = { readonly columns: number; readonly color: boolean }

type Ink = Readonly<Record<'strong' | 'dim' | 'accent' | 'fail', (text: string) => string>>

const ansi = (code: string) => (text: string) => `\u001b[${code}m${text}\u001b[0m`
const plain = (text: string) => text
const COLOR: Ink = { strong: ansi('1'), dim: ansi('2'), accent: ansi('38;5;208'), fail: ansi('31') }
const NO_COLOR: Ink = { strong: plain, dim: plain, accent: plain, fail: plain }

/** The Plimsoll mark: a ring crossed by a line. */
const MARK = '⊖'
const STANCE_SIGNS = { for: '✓', against: '✗', open: '○' } as const

/** @param reportPath null = no report could be written */
export function reportText(state: SweepState, analysis: Analysis, reportPath: string | null, surface: TextSurface): string {
  const ink = surface.color ? COLOR : NO_COLOR
  const lead = leadLeg(analysis)
  const legs: Leg[] = ['runner', 'direct', 'null']
  const tables = legs.flatMap((leg) => {
    const levels = levelsOf(analysis, leg)
    if (levels.length === 0) return []
    const ceiling = leg === lead && analysis.ceilings.slo.status === 'found' ? analysis.ceilings.slo.n : null
    return [[ink.dim(`${capital(LEG_WORDS[leg])}:`), ...levelTable(levels, ceiling, surface.columns, ink)].join('\n')]
  })
  const notices = (place: 'first' | 'below') =>
    reportNotices(state, analysis)
      .filter(({ isFirst }) => isFirst === (place === 'first'))
      .map(({ weight, text }) => {
        const lines = wrap(text, surface.columns)
        return weight === 'bad' ? lines.map(ink.fail).join('\n') : lines.join('\n')
      })
  return [
    titleLine(state, ink),
    ...notices('first'),
    ...tables,
    ...notices('below'),
    verdictBlock(analysis, surface, ink),
    ceilingBlock(analysis, surface, ink),
    listBlock(
      'Why',
      analysis.verdict.evidence.map(({ stance, text }) => [STANCE_SIGNS[stance], text]),
      surface,
      ink,
    ),
    listBlock(
      'Warnings',
      analysis.warnings.map(({ text }) => ['!', text]),
      surface,
      ink,
    ),
    reportPath === null ? '' : `Report: ${reportPath}`,
  ]
    .filter((block) => block !== '')
    .join('\n\n')
}

function titleLine(state: SweepState, ink: Ink): string {
  const { cellsDone, cellsPlanned, sessions, durationMs } = sweepNumbers(state)
  const target = state.facts === null ? state.plan.request.target.model : targetLabel(state.facts)
  const simulated = isSimulated(state) ? ' (simulated)' : ''
  const cells = cellsDone === cellsPlanned ? count(cellsDone, 'cell') : `${cellsDone} of ${count(cellsPlanned, 'cell')}`
  return `${ink.strong(printable(target))}${simulated}, ${cells}, ${count(sessions, 'session')}, ${formatDuration(durationMs)}`
}

function levelTable(levels: readonly LevelSummary[], ceiling: number | null, columns: number, ink: Ink): string[] {
  const head = ['N', 'sessions', 'held', 'ttfa p50', 'p95', 'first req. p50', 'done p50', 'wall p50', 'tokens/s', 'at once']
  const rows = levels.map((level) => [
    level.ratePerSec === undefined ? String(level.n) : `${level.ratePerSec}/s`,
    level.failures === 0 ? String(level.sessions) : `${level.sessions}, ${level.failures} failed`,
    level.held.ratio === null ? '–' : formatRatio(level.held.ratio),
    shortPercentile(level.ttfaMs, 'p50'),
    shortPercentile(level.ttfaMs, 'p95'),
    shortPercentile(level.firstModelRequestMs, 'p50'),
    shortPercentile(level.doneMs, 'p50'),
    shortPercentile(level.wallMs, 'p50'),
    level.tokensPerSec === null ? '–' : formatRate(level.tokensPerSec),
    level.slotsInUse === null ? '–' : formatAmount(level.slotsInUse),
  ])
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)))
  const line = (cells: readonly string[]) => cells.map((cell, column) => cell.padStart(widths[column] ?? 0)).join('  ')
  const body = levels.map((level, index) => {
    const text = line(rows[index] ?? [])
    return level.n === ceiling && level.ratePerSec === undefined ? `${ink.accent(MARK)} ${text}` : `  ${text}`
  })
  const few = levels.some((level) =>
    [level.ttfaMs, level.doneMs, level.wallMs].some(
      (p) => readPercentile(p, 'p50').kind === 'too-few' || readPercentile(p, 'p95').kind === 'too-few',
    ),
  )
  const notes = [
    ...(ceiling === null ? [] : [`${MARK} the load line: the most sessions that hold the SLO`]),
    ...(few ? ['48/59 means: n too small, 48 samples of the 59 that this percentile needs'] : []),
  ]
  return [ink.dim(`  ${line(head)}`), ...body, ...notes.flatMap((note) => wrap(note, columns)).map(ink.dim)]
}

function shortPercentile(percentiles: Percentiles, name: PercentileName): string {
  const reading = readPercentile(percentiles, name)
  switch (reading.kind) {
    case 'value':
      return formatMs(reading.ms)
    case 'too-few':
      return `${reading.count}/${reading.needed}`
    case 'failed':
      return 'failed'
    case 'none':
      return '–'
  }
}

function verdictBlock(analysis: Analysis, surface: TextSurface, ink: Ink): string {
  const { verdict } = analysis
  const confidence = CONFIDENCES.find(({ code }) => code === verdict.confidence)?.label ?? verdict.confidence
  const more = [
    verdict.wouldMove === null ? '' : `What would move it: ${verdict.wouldMove}`,
    verdict.wouldNotMove === null ? '' : `What would not: ${verdict.wouldNotMove}`,
    verdict.toSettle === null ? '' : `What would settle it: ${verdict.toSettle}`,
  ].filter((line) => line !== '')
  return [
    ...wrap(verdict.sentence, surface.columns).map(ink.strong),
    ink.dim(`Verdict: ${verdict.primary}, ${confidence}`),
    ...more.flatMap((line) => wrap(line, surface.columns)),
  ].join('\n')
}

function ceilingBlock(analysis: Analysis, surface: TextSurface, ink: Ink): string {
  const { slo, throughput, error } = analysis.ceilings
  const rows = [
    ['SLO ceiling, the load line', slo, MARK],
    ['Throughput ceiling', throughput, ' '],
    ['Error ceiling', error, ' '],
  ] as const
  return rows
    .flatMap(([name, ceiling, sign]) => {
      const lead = `${name.padEnd(27)} ${ceilingText(ceiling).padStart(5)}`
      const [first = '', ...rest] = wrap(ceiling.because, Math.max(30, surface.columns - 38))
      return [`${sign === MARK ? ink.accent(MARK) : ' '} ${lead}  ${ink.dim(first)}`, ...rest.map((line) => `${' '.repeat(37)}${ink.dim(line)}`)]
    })
    .join('\n')
}

function listBlock(title: string, items: readonly (readonly [string, string])[], surface: TextSurface, ink: Ink): string {
  if (items.length === 0) return ''
  const lines = items.flatMap(([sign, text]) => wrap(text, surface.columns - 4).map((line, index) => `  ${index === 0 ? sign : ' '} ${line}`))
  return [ink.dim(title), ...lines].join('\n')
}

const capital = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)

/** Breaks at spaces; a word longer than the line stands alone on its own. */
function wrap(text: string, columns: number): string[] {
  const lines: string[] = []
  let line = ''
  for (const word of printable(text).split(/\s+/)) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = word
    } else line = line === '' ? word : `${line} ${word}`
  }
  return line === '' ? lines : [...lines, line]
}

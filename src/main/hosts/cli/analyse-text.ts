/** One analysed table as text for a terminal: verdict, evidence, claims, the table as understood, what is missing and what was ignored. */
import type { AnalysedTable } from '../../../core/analysis/tables/analysed-table.ts'
import { formatAmount } from '../../../core/report/format-number.ts'
import { printable } from '../../../core/report/printable.ts'
import { CONFIDENCES, VERDICT_WORDS } from '../../../core/report/words.ts'

const STANCES = { for: '+', against: '-', open: '?' } as const
/** More rows than these are cut; `--json` has them all. */
const MOST_ROWS = 24
const MOST_IGNORED = 12

export function analysisLines(table: AnalysedTable, columns: number): string[] {
  const { verdict } = table
  const confidence = CONFIDENCES.find(({ code }) => code === verdict.confidence)?.label ?? verdict.confidence
  const second = verdict.secondary === null ? '' : `, then ${VERDICT_WORDS[verdict.secondary]}`
  const facts = [
    `ceiling ${table.ceilingN ?? (verdict.primary === 'none_reached' ? 'not reached' : 'unknown')}`,
    ...(table.highestTestedN === null ? [] : [`highest tested ${table.highestTestedN}`]),
    ...(verdict.effectiveSlots === null ? [] : [`effective slots ${formatAmount(verdict.effectiveSlots)}`]),
  ]
  const said = new Set(table.claims)
  const evidence = verdict.evidence.filter(({ text }) => !said.has(text))
  return [
    `${printable(table.source)} (${table.format})`,
    ...wrapped(verdict.sentence, columns, '', ''),
    ...wrapped(`Verdict: ${VERDICT_WORDS[verdict.primary]}${second} [${verdict.primary}], ${confidence}; ${facts.join(', ')}.`, columns, '', '  '),
    ...section(
      'What the table says',
      table.claims.flatMap((text) => wrapped(text, columns, '  - ', '    ')),
    ),
    ...section(
      'Evidence',
      evidence.flatMap(({ stance, text }) => wrapped(text, columns, `  ${STANCES[stance]} `, '    ')),
    ),
    ...section(
      'Others concluded',
      table.published.flatMap(({ by, text }) => wrapped(`${by}: ${text}. Ours: ${ours(table)}.`, columns, '  - ', '    ')),
    ),
    ...section(
      'Series',
      table.series.flatMap(({ label, sentence }) => wrapped(`${label}: ${sentence}`, columns, '  - ', '    ')),
    ),
    ...section(
      'Doubts',
      table.doubts.flatMap((text) => wrapped(text, columns, '  ! ', '    ')),
    ),
    ...section(
      'Would settle more',
      table.missing.flatMap((text) => wrapped(text, columns, '  - ', '    ')),
    ),
    ...section('As understood', rowLines(table)),
    ...section('Ignored', ignoredLines(table, columns)),
  ]
}

const ours = ({ ceilingN, verdict }: AnalysedTable): string =>
  `${ceilingN === null ? 'no ceiling' : `ceiling ${ceilingN}`}, ${VERDICT_WORDS[verdict.primary]}`

const section = (title: string, lines: readonly string[]): string[] => (lines.length === 0 ? [] : ['', `${title}:`, ...lines])

function wrapped(text: string, columns: number, first: string, next: string): string[] {
  const lines: string[] = []
  let line = first
  for (const word of printable(text).split(' ')) {
    const isBare = line === first || line === next
    if (!isBare && line.length + 1 + word.length > columns) {
      lines.push(line)
      line = `${next}${word}`
    } else line = isBare ? `${line}${word}` : `${line} ${word}`
  }
  return [...lines, line]
}

function rowLines({ rows }: AnalysedTable): string[] {
  const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
  const shown = rows.slice(0, MOST_ROWS).map((row) => names.map((name) => cellText(row[name])))
  const widths = names.map((name, index) => Math.max(name.length, ...shown.map((row) => row[index]?.length ?? 0)))
  const line = (cells: readonly string[]) => `  ${cells.map((cell, index) => cell.padStart(widths[index] ?? 0)).join('  ')}`
  if (names.length === 0) return []
  return [line(names), ...shown.map(line), ...(rows.length > MOST_ROWS ? [`  … ${rows.length - MOST_ROWS} more rows`] : [])]
}

function cellText(value: string | number | undefined): string {
  if (value === undefined) return '–'
  return typeof value === 'number' ? String(Number(value.toPrecision(5))) : printable(value).slice(0, 24)
}

function ignoredLines({ ignored }: AnalysedTable, columns: number): string[] {
  const lines = ignored.slice(0, MOST_IGNORED).flatMap(({ what, why }) => wrapped(`${what}: ${why}`, columns, '  - ', '    '))
  return ignored.length > MOST_IGNORED ? [...lines, `  … ${ignored.length - MOST_IGNORED} more (--json lists them)`] : lines
}

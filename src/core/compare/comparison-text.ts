/** A comparison as text for a terminal: the sentence first, what differs, then one line a figure. Pure. */
import { formatMs, formatRate, formatRatio } from '../report/format-number.ts'
import { printable } from '../report/printable.ts'
import { VERDICT_WORDS } from '../report/words.ts'
import { METRIC_WORDS } from './compare-sweeps.ts'
import type { ComparedFigure, Comparison, Difference, Outcome } from './comparison.ts'

export const OUTCOME_WORDS: Readonly<Record<Outcome, string>> = {
  better: 'better',
  worse: 'REGRESSION',
  equivalent: 'equal',
  'cannot-tell': 'can’t tell',
}

/** @param names of the two sweeps, as they were asked for */
export function comparisonText(comparison: Comparison, names: { before: string; after: string }): string {
  const { sentence, shapeDiffers, differences, unmatched, verdicts } = comparison
  const verdict = (code: keyof typeof VERDICT_WORDS) => `what gives way first: ${VERDICT_WORDS[code]}`
  const blocks = [
    [`before: ${names.before}; ${verdict(verdicts.before)}`, `after:  ${names.after}; ${verdict(verdicts.after)}`],
    [sentence],
    list('The loads differ:', shapeDiffers),
    differences.length === 0 ? ['Nothing else differs between them.'] : list('What else differs:', differences),
    unmatched,
    figureTable(comparison),
    untoldLines(comparison),
  ]
  // Line by line: names and addresses come from servers, the line breaks from here.
  return blocks
    .filter((block) => block.length > 0)
    .map((block) => block.map(printable).join('\n'))
    .join('\n\n')
}

const list = (title: string, differences: readonly Difference[]): string[] =>
  differences.length === 0 ? [] : [title, ...differences.map(({ what, before, after }) => `  ${what}: ${before} → ${after}`)]

type Row = readonly [figure: string, n: string, before: string, after: string, change: string, interval: string, outcome: string]

function figureTable({ figures, ceilings, slots, shapeDiffers }: Comparison): string[] {
  if (shapeDiffers.length > 0) return []
  const slot = (n: number | null) => (n === null ? '–' : String(n))
  const rows: Row[] = [
    ['figure', 'N', 'before', 'after', 'change', '95 % interval', ''],
    ['effective slots', '', slot(slots.before), slot(slots.after), '', '', OUTCOME_WORDS[slots.outcome]],
    ...ceilings.map(({ kind, before, after, outcome }): Row => {
      return [`${kind === 'slo' ? 'SLO' : kind} ceiling`, '', before, after, '', '', OUTCOME_WORDS[outcome]]
    }),
    ...figures.map((figure): Row => {
      const leg = figure.leg === 'runner' ? '' : `, ${figure.leg} leg`
      return [
        `${METRIC_WORDS[figure.metric]}${leg}`,
        figure.metric === 'failures' ? `to ${figure.n}` : String(figure.n),
        figureText(figure, figure.before),
        figureText(figure, figure.after),
        changeText(figure, figure.change.value),
        `${changeText(figure, figure.change.low)} to ${changeText(figure, figure.change.high)}`,
        OUTCOME_WORDS[figure.outcome],
      ]
    }),
  ]
  const widths = [0, 1, 2, 3, 4, 5].map((column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)))
  return rows.map(([figure, ...cells]) =>
    [figure.padEnd(widths[0] ?? 0), ...cells.map((cell, index) => (index === 5 ? cell : cell.padStart(widths[index + 1] ?? 0)))].join('  ').trimEnd(),
  )
}

export function figureText({ metric }: Pick<ComparedFigure, 'metric'>, value: number): string {
  if (metric === 'tokens-per-sec') return formatRate(value)
  return metric === 'failures' ? formatRatio(value) : formatMs(value)
}

/** Figures keep their sign: + 12 % of a time is slower, of a rate it is quicker. */
export function changeText({ metric }: Pick<ComparedFigure, 'metric'>, change: number): string {
  const ratio = metric === 'failures' ? change : change - 1
  return `${ratio < 0 ? '−' : '+'} ${formatRatio(Math.abs(ratio))}`
}

/** The same reason of many figures is one line. */
function untoldLines({ untold }: Comparison): string[] {
  const byReason = new Map<string, string[]>()
  for (const { metric, n, because } of untold) {
    const key = `${METRIC_WORDS[metric]}: ${because}`
    byReason.set(key, [...(byReason.get(key) ?? []), String(n)])
  }
  return byReason.size === 0 ? [] : ['Can’t be told:', ...[...byReason].map(([key, levels]) => `  N = ${levels.join(', ')}, ${key}`)]
}

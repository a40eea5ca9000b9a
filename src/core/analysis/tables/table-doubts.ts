/** Contradictions and oddities in a table itself, as sentences: they travel with the verdict. */
import type { MeasuredTable } from './measured-table.ts'
import type { Series } from './series.ts'
import { decimal, plural, span } from './table-words.ts'

/** @param needsGrowth the verdict is one that compares levels, or none for want of them */
export function doubtsOf(table: MeasuredTable, all: readonly Series[], needsGrowth: boolean): string[] {
  const doubts = all.flatMap((series) => {
    const name = series.label === '' ? '' : ` (${series.label})`
    return [...orderDoubts(series, name), ...pointDoubts(series, name)]
  })
  if (table.rows.length === 1 && needsGrowth) doubts.push('There is one row only: nothing can be compared.')
  if (percentilesWithoutCounts(table))
    doubts.push('Percentiles are given without the number of samples behind them: a p95 needs 59 samples, a p99 299.')
  return [...new Set(doubts)].slice(0, 20)
}

function orderDoubts({ merged, wasUnordered }: Series, name: string): string[] {
  return [
    ...(wasUnordered ? [`The rows${name} were not in order; they were sorted.`] : []),
    ...(merged > 0
      ? [`${plural(merged, 'row')}${name} ${merged === 1 ? 'repeats' : 'repeat'} a level that stood there already; the median of each was taken.`]
      : []),
  ]
}

function pointDoubts({ points, slots, axis, unit, totalFrom }: Series, name: string): string[] {
  const doubts: string[] = []
  for (const point of points) {
    const at = `n=${point.n ?? decimal(point.at)}${name}`
    if (point.firstMs !== null && point.latencyMs !== null && point.firstMs > 1.02 * point.latencyMs)
      doubts.push(
        `At ${at} the first token (${span(point.firstMs)}) comes after the end of the request (${span(point.latencyMs)}): are the units mixed?`,
      )
    const limit = Math.min(point.n ?? Number.POSITIVE_INFINITY, slots ?? Number.POSITIVE_INFINITY)
    const isRate = unit === 'tok/s' && totalFrom !== 'decode phase' && axis === 'n'
    if (
      isRate &&
      point.total !== null &&
      point.decode !== null &&
      point.decode > 2 &&
      Number.isFinite(limit) &&
      point.total > 1.15 * limit * point.decode
    )
      doubts.push(
        `At ${at} the total (${decimal(point.total)}) exceeds ${limit} times the decode rate (${decimal(point.decode)}): no total can, so one of the two is not what its name says.`,
      )
  }
  return doubts
}

function percentilesWithoutCounts({ rows }: MeasuredTable): boolean {
  const has = rows.some(
    ({ figures }) =>
      figures.ttftP95Ms !== undefined || figures.ttftP99Ms !== undefined || figures.latencyP95Ms !== undefined || figures.latencyP99Ms !== undefined,
  )
  return has && rows.every(({ figures }) => figures.requests === undefined)
}

/** Tables that differ in nothing but the slots: what more slots brought, first token and finished answer apart. */
import type { MeasuredTable } from './measured-table.ts'
import { readSettings } from './said-settings.ts'
import { type Point, type Series, seriesOf } from './series.ts'
import { plural, times } from './table-words.ts'

/** @returns for each table the claims that its neighbours allow */
export function claimsAcross(tables: readonly MeasuredTable[]): string[][] {
  if (tables.length < 2) return tables.map(() => [])
  const all = tables.map((table) => ({ table, series: oneOverN(table) }))
  return all.map(({ table, series }) => {
    if (series === null || series.slots === null) return []
    const others = all.filter(
      (other) => other.series !== null && other.series.slots !== null && other.series.slots > (series.slots ?? 0) && sameSetUp(table, other.table),
    )
    const best = others.toSorted((a, b) => (b.series?.slots ?? 0) - (a.series?.slots ?? 0))[0]?.series
    return best == null ? [] : slotsClaim(series, best)
  })
}

function oneOverN(table: MeasuredTable): Series | null {
  const [series, ...more] = seriesOf(table, readSettings(table.context))
  return series === undefined || more.length > 0 || series.axis !== 'n' ? null : series
}

function sameSetUp(a: MeasuredTable, b: MeasuredTable): boolean {
  const key = ({ context }: MeasuredTable) =>
    JSON.stringify([
      context.hardware,
      context.server,
      context.model,
      context.load,
      Object.entries(context.settings).filter(([name]) => !/parallel|slot|max_num_seqs/i.test(name)),
    ])
  return (a.context.hardware ?? a.context.model) !== null && key(a) === key(b)
}

function slotsClaim(fewer: Series, more: Series): string[] {
  const top = fewer.points.at(-1)
  const other = more.points.find(({ at }) => at === top?.at)
  if (top === undefined || other === undefined) return []
  const first = ratio(top, other, ({ firstMs }) => firstMs)
  const done = ratio(top, other, ({ latencyMs }) => latencyMs)
  const total = ratio(other, top, (point) => point.total)
  const parts = [
    ...(first === null ? [] : [`first token ${times(first)} sooner`]),
    ...(done === null ? [] : [`finished answer only ${Math.round((1 - 1 / done) * 100)}% sooner`]),
    ...(total === null ? [] : [`total ${times(total)}`]),
  ]
  if (parts.length === 0) return []
  return [
    `What more slots bring here, by the table with ${plural(more.slots ?? 0, 'slot')} beside this one with ${plural(fewer.slots ?? 0, 'slot')}, at n=${top.n}: ${parts.join(', ')}.`,
  ]
}

function ratio(a: Point, b: Point, of: (point: Point) => number | null): number | null {
  const [x, y] = [of(a), of(b)]
  return x === null || y === null || y === 0 ? null : x / y
}

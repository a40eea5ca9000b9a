/** Records (names and cells) to a table of figures: each column's meaning, units in cells, NaN, and what the data themselves decide about ambiguous names. */
import { type ColumnMeaning, readColumnName } from './column-names.ts'
import type { Figure, IgnoredThing, MeasuredRow, MeasuredTable, PublishedConclusion, TableContext, UnderstoodColumn } from './measured-table.ts'
import { mibPer, msPer, parseCell } from './parse-cell.ts'

export type RecordsIn = {
  readonly source: string
  readonly format: string
  readonly columns: readonly string[]
  readonly rows: readonly (readonly unknown[])[]
  readonly context: TableContext
  readonly decimalComma?: boolean
  readonly isCut?: boolean
  readonly published?: readonly PublishedConclusion[]
}

type Column = { readonly name: string; readonly index: number; readonly meaning: ColumnMeaning }

export function tableFromRecords(given: RecordsIn): MeasuredTable {
  const input = upright(given)
  const { source, format, context, rows } = input
  const ignored: IgnoredThing[] = []
  const understood: UnderstoodColumn[] = []
  const columns: Column[] = []
  const labels: { name: string; index: number }[] = []
  input.columns.forEach((name, index) => {
    const reading = readColumnName(name)
    if (reading.kind === 'ignored') {
      if (name !== '' || rows.some((row) => (row[index] ?? '') !== '')) ignored.push({ what: `column "${name}"`, why: reading.why })
      return
    }
    if (reading.kind === 'label') {
      labels.push({ name: name.toLowerCase(), index })
      understood.push({ column: name, figure: 'label', because: null })
      return
    }
    const twice = columns.find(({ meaning }) => meaning.figure === reading.meaning.figure)
    if (twice !== undefined && holdsNumbers(rows, index, input.decimalComma) && !holdsNumbers(rows, twice.index, input.decimalComma)) {
      ignored.push({ what: `column "${twice.name}"`, why: `"${name}" has the numbers of the same figure` })
      columns.splice(columns.indexOf(twice), 1, { name, index, meaning: reading.meaning })
      return
    }
    if (twice !== undefined) {
      ignored.push({ what: `column "${name}"`, why: `the same figure stands in "${twice.name}" already` })
      return
    }
    columns.push({ name, index, meaning: reading.meaning })
  })
  const hasPlace = columns.some(({ meaning }) => PLACES.includes(meaning.figure))
  const counted = columns.find(({ meaning }) => meaning.figure === 'requests')
  // Nothing else says how many there were at once: a burst of so many requests.
  if (!hasPlace && counted !== undefined && rows.length > 1)
    columns[columns.indexOf(counted)] = { ...counted, meaning: { ...counted.meaning, figure: 'n' } }
  if (input.isCut === true) ignored.push({ what: `rows after the first ${rows.length}`, why: 'so many rows are no table of levels; give a summary' })
  const settled = settleRates(columns, rows, input)
  for (const { name, meaning } of settled) understood.push({ column: name, figure: meaning.figure, because: reasonOf(meaning) })
  const read = rows.map((row, rowIndex) => readRow(row, rowIndex, settled, labels, input.decimalComma ?? false, ignored))
  const kept = read.filter((row) => Object.keys(row.figures).length > 0)
  if (kept.length < read.length) ignored.push({ what: `${read.length - kept.length} rows`, why: 'they hold no figure' })
  return { source, format, context, rows: kept, understood, ignored: mergeIgnored(ignored), published: input.published ?? [] }
}

const PLACES: readonly Figure[] = ['n', 'configuredLimit', 'arrivalPerSec', 'observedInFlight', 'configuredSlots', 'thinkMs', 'jobs']

const holdsNumbers = (rows: readonly (readonly unknown[])[], index: number, decimalComma = false): boolean =>
  rows.slice(0, 50).some((row) => parseCell(row[index], decimalComma).kind === 'number')

function reasonOf(meaning: ColumnMeaning): string | null {
  if (meaning.unitGuessed) return `no unit in its name: taken as ${meaning.scale === 1 ? 'milliseconds' : 'seconds'}`
  if (meaning.ambiguousRate) return 'the name leaves open whether waiting is in it; the data decided'
  return null
}

function readRow(
  row: readonly unknown[],
  rowIndex: number,
  columns: readonly Column[],
  labels: readonly { name: string; index: number }[],
  decimalComma: boolean,
  ignored: IgnoredThing[],
): MeasuredRow {
  const figures: { [F in Figure]?: number } = {}
  for (const { name, index, meaning } of columns) {
    const cell = parseCell(row[index], decimalComma)
    const level = meaning.figure === 'n' && cell.kind === 'text' ? LEVEL.exec(cell.text)?.[1] : undefined
    if (level !== undefined) {
      figures.n = Number(level)
      continue
    }
    if (cell.kind === 'broken') ignored.push({ what: `"${cell.text}" in column "${name}", row ${rowIndex + 1}`, why: 'it is no number' })
    if (cell.kind === 'text')
      ignored.push({ what: `"${cell.text.slice(0, 40)}" in column "${name}", row ${rowIndex + 1}`, why: 'a number was expected' })
    if (cell.kind !== 'number') continue
    const scale = cellScale(meaning, cell.unit)
    if (cell.value < 0) {
      ignored.push({ what: `${cell.value} in column "${name}", row ${rowIndex + 1}`, why: 'no such figure can be below zero' })
      continue
    }
    if (meaning.figure === 'successPercent')
      figures.failurePercent = Math.max(0, 100 - (cell.unit === null && cell.value <= 1 ? cell.value * 100 : cell.value))
    else figures[meaning.figure] = cell.value * scale
  }
  if (figures.succeeded !== undefined && figures.requests === undefined) figures.requests = figures.succeeded
  const words = Object.fromEntries(
    labels.map(({ name, index }) => [name, String(row[index] ?? '').trim()]).filter(([, text]) => text !== '' && text !== undefined),
  )
  return { figures, labels: words }
}

/** `c=16`, `n: 16`, `x16`: a level with its name before it. */
const LEVEL = /^(?:[a-z]{1,12} ?[=:x] ?|x)(\d{1,6})(?: [a-z ]{1,20})?$/i

/** Levels as columns, figures as rows: turned, so that each row is a level. */
function upright(input: RecordsIn): RecordsIn {
  const levels = input.columns.slice(1).map((name) => Number(LEVEL.exec(name.trim())?.[1] ?? name))
  const areLevels = levels.length >= 2 && levels.every((level, index) => Number.isInteger(level) && level > (levels[index - 1] ?? 0))
  const names = input.rows.map((row) => String(row[0] ?? ''))
  const known = names.filter((name) => readColumnName(name).kind === 'figure')
  if (!areLevels || known.length === 0 || 2 * known.length < names.length || names.length > 200) return input
  return { ...input, columns: ['n', ...names], rows: levels.map((level, index) => [level, ...input.rows.map((row) => row[index + 1])]) }
}

/** A unit in the cell wins over the one in the name. */
function cellScale(meaning: ColumnMeaning, unit: string | null): number {
  if (unit === null) return meaning.scale
  const isTime = meaning.figure.endsWith('Ms')
  if (isTime) return msPer(unit) ?? meaning.scale
  return meaning.figure === 'memoryMib' ? (mibPer(unit) ?? meaning.scale) : meaning.scale
}

const MOST_EXAMPLES = 12

function mergeIgnored(ignored: readonly IgnoredThing[]): IgnoredThing[] {
  const shown = ignored.slice(0, MOST_EXAMPLES + 30)
  return ignored.length > shown.length
    ? [...shown, { what: `${ignored.length - shown.length} more cells or columns`, why: 'for like reasons' }]
    : shown
}

/**
 * A rate "per request" may be the pace of decoding (waiting left out) or tokens over the whole request (waiting in it). Where a total stands beside it,
 * n times the second is the total, and n times the first is more; over a wall the second gives the same tokens in every row.
 */
function settleRates(columns: readonly Column[], rows: readonly (readonly unknown[])[], input: RecordsIn): Column[] {
  const readerOf = (figure: Figure) => {
    const column = columns.find(({ meaning }) => meaning.figure === figure)
    return (row: readonly unknown[]): number | null => {
      if (column === undefined) return null
      const cell = parseCell(row[column.index], input.decimalComma ?? false)
      return cell.kind === 'number' ? cell.value * cellScale(column.meaning, cell.unit) : null
    }
  }
  const named = columns.find(
    ({ name, meaning }) =>
      meaning.figure === 'decodeTokensPerSecPerRequest' &&
      !/per|each|\/ ?(req|user|stream|agent|session)/i.test(name.replace(/per[_ ]s|per[_ ]sec\w*/gi, '')),
  )
  const hasTotal = columns.some(({ meaning }) => meaning.figure === 'totalTokensPerSec')
  if (named !== undefined && !hasTotal && risesWithN(rows, readerOf('n'), readerOf('decodeTokensPerSecPerRequest')))
    return columns.map((column) =>
      column === named ? { ...column, meaning: { ...column.meaning, figure: 'totalTokensPerSec' as const, ambiguousRate: true } } : column,
    )
  const rate = columns.find(({ meaning }) => meaning.ambiguousRate)
  const hasDecode = columns.some(({ meaning }) => meaning.figure === 'decodeTokensPerSecPerRequest')
  if (rate === undefined || hasDecode) return [...columns]
  const [n, total, own, wall, latency] = (['n', 'totalTokensPerSec', 'effectiveTokensPerSecPerRequest', 'wallMs', 'latencyP50Ms'] as const).map(
    readerOf,
  )
  const tokens = rows.flatMap((row) => {
    const [pace, ms] = [own?.(row) ?? null, wall?.(row) ?? latency?.(row) ?? null]
    return pace === null || ms === null ? [] : [pace * ms]
  })
  const sums = rows.flatMap((row) => {
    const [count, all, pace] = [n?.(row) ?? null, total?.(row) ?? null, own?.(row) ?? null]
    return count === null || count < 2 || all === null || pace === null || all === 0 ? [] : [(count * pace) / all]
  })
  const sameTokens = tokens.length >= 2 && Math.max(...tokens) < 1.1 * Math.min(...tokens)
  // Beyond a tenth too much it is no average of the total any more.
  const isPace = !sameTokens && sums.length > 0 && sums.some((ratio) => ratio > 1.1)
  if (!isPace) return [...columns]
  return columns.map((column) =>
    column === rate ? { ...column, meaning: { ...column.meaning, figure: 'decodeTokensPerSecPerRequest' as const } } : column,
  )
}

/** A rate of one request never rises much with n; a total does. */
function risesWithN(
  rows: readonly (readonly unknown[])[],
  n: (row: readonly unknown[]) => number | null,
  rate: (row: readonly unknown[]) => number | null,
): boolean {
  const pairs = rows.flatMap((row) => {
    const [count, value] = [n(row), rate(row)]
    return count === null || value === null ? [] : [{ count, value }]
  })
  const sorted = pairs.toSorted((a, b) => a.count - b.count)
  const [first] = sorted
  return first !== undefined && Math.max(...sorted.map(({ value }) => value)) > 1.3 * first.value
}

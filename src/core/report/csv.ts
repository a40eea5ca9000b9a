/**
 * Tables as CSV by RFC 4180: CRLF, quotes where needed. Text that a spreadsheet would take for a formula gets an apostrophe in front, since names and
 * sentences of servers stand in these files (OWASP, CSV Injection). Numbers stay numbers: a minus is no formula.
 */
export type CsvValue = string | number | boolean | null | undefined

/** A column: its name with its unit, and its value of one item. */
export type CsvColumn<T> = readonly [name: string, value: (item: T) => CsvValue]

/** @returns with a header line; numbers to a thousandth; nothing stands where a value can't be had */
export function csvOf<T>(columns: readonly CsvColumn<T>[], items: readonly T[]): string {
  const header = columns.map(([name]) => name).join(',')
  const lines = items.map((item) => columns.map(([, value]) => csvCell(value(item))).join(','))
  return `${[header, ...lines].join('\r\n')}\r\n`
}

const FORMULA = /^[=+\-@\t\r\n]/

export function csvCell(value: CsvValue): string {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(Math.round(value * 1000) / 1000) : ''
  if (typeof value === 'boolean') return String(value)
  const safe = FORMULA.test(value.trimStart()) || FORMULA.test(value) ? `'${value}` : value
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

/** Names of columns: `neighbourPrefill` → `neighbour_prefill`. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)

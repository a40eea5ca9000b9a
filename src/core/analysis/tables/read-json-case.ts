/** JSON tables: an array of rows, an object with rows and the words around them, one case or an array of such. */
import { type MeasuredTable, NO_CONTEXT, type Setting, type TableContext } from './measured-table.ts'
import { tableFromRecords } from './table-from-records.ts'

export type PlainObject = { readonly [key: string]: unknown }
export const isObject = (value: unknown): value is PlainObject => typeof value === 'object' && value !== null && !Array.isArray(value)

const ROWS_KEYS = ['rows', 'data', 'table', 'results', 'levels', 'measurements', 'points'] as const
/** More rows than these are no table of levels. */
const MOST_ROWS = 20_000

/** @returns the tables in it; empty when it is none of these shapes */
export function readJsonTables(json: unknown, source: string): MeasuredTable[] {
  if (Array.isArray(json)) {
    if (json.length > 0 && json.every((item) => isObject(item) && rowsOf(item) !== undefined))
      return json.flatMap((item, index) => caseTable(item as PlainObject, `${source}, case ${index + 1}`))
    return json.some(isObject) ? [rowsTable(json, source, NO_CONTEXT)] : []
  }
  if (!isObject(json)) return []
  if (rowsOf(json) !== undefined) return caseTable(json, source)
  const nested = Object.entries(json).find(([, value]) => Array.isArray(value) && value.some((item) => isObject(item) && rowsOf(item) !== undefined))
  if (nested !== undefined)
    return readJsonTables(
      (nested[1] as unknown[]).filter((item) => isObject(item) && rowsOf(item) !== undefined),
      source,
    )
  const columns = columnTable(json, source)
  return columns === undefined
    ? Object.values(json).some((value) => typeof value === 'number')
      ? [rowsTable([json], source, NO_CONTEXT)]
      : []
    : [columns]
}

function rowsOf(object: PlainObject): readonly unknown[] | undefined {
  for (const key of ROWS_KEYS) {
    const value = object[key]
    if (Array.isArray(value) && value.some((row) => isObject(row) || Array.isArray(row))) return value
  }
  return undefined
}

function caseTable(object: PlainObject, source: string): MeasuredTable[] {
  const rows = rowsOf(object) ?? []
  const name = typeof object.title === 'string' ? object.title : source
  return [rowsTable(rows, name, contextOf(object), Array.isArray(object.columns) ? object.columns.map(String) : undefined)]
}

function contextOf(object: PlainObject): TableContext {
  const text = (key: string): string | null => {
    const value = object[key]
    return typeof value === 'string' && value !== '' ? value : isObject(value) ? JSON.stringify(value).slice(0, 2000) : null
  }
  const settings: Record<string, Setting> = {}
  for (const key of ['settings', 'config', 'parameters', 'setup', 'params']) {
    const value = object[key]
    if (isObject(value)) Object.assign(settings, flatSettings(value))
  }
  for (const key of ['note', 'notes', 'comment', 'client'] as const) {
    const value = text(key)
    if (value !== null) settings[key] = value
  }
  return {
    server: text('server') ?? text('engine') ?? text('backend'),
    hardware: text('hardware') ?? text('gpu') ?? text('machine'),
    model: text('model'),
    load: text('load') ?? text('workload'),
    settings,
  }
}

function flatSettings(object: PlainObject): Record<string, Setting> {
  const flat: Record<string, Setting> = {}
  for (const [key, value] of Object.entries(object).slice(0, 200))
    flat[key] =
      typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' || value === null
        ? value
        : JSON.stringify(value).slice(0, 200)
  return flat
}

/** Rows as objects (one level of nesting opened) or as arrays under column names. */
function rowsTable(rows: readonly unknown[], source: string, context: TableContext, columns?: readonly string[]): MeasuredTable {
  const used = rows.slice(0, MOST_ROWS)
  const format = 'JSON'
  if (columns !== undefined && used.every(Array.isArray)) return tableFromRecords({ source, format, context, columns, rows: used as unknown[][] })
  const objects = used.filter(isObject).map(opened)
  const names = [...new Set(objects.flatMap((row) => Object.keys(row)))]
  return tableFromRecords({ source, format, context, columns: names, rows: objects.map((row) => names.map((name) => row[name])) })
}

function opened(row: PlainObject): PlainObject {
  const flat: Record<string, unknown> = {}
  for (const [key, value] of Object.entries(row)) {
    if (isObject(value)) for (const [inner, cell] of Object.entries(value)) flat[`${key} ${inner}`] = cell
    else flat[key] = value
  }
  return flat
}

/** `{n: [1, 2, 4], total: [...]}`. */
function columnTable(object: PlainObject, source: string): MeasuredTable | undefined {
  const columns = Object.entries(object).filter(
    (entry): entry is [string, unknown[]] => Array.isArray(entry[1]) && entry[1].every((cell) => !isObject(cell)),
  )
  const length = columns[0]?.[1].length ?? 0
  const alike = columns.filter(([, cells]) => cells.length === length)
  if (length < 1 || alike.length < 2) return undefined
  const rows = Array.from({ length: Math.min(length, MOST_ROWS) }, (_, index) => alike.map(([, cells]) => cells[index]))
  return tableFromRecords({ source, format: 'JSON', context: contextOf(object), columns: alike.map(([name]) => name), rows })
}

/**
 * The raw data inside a report: everything the figures were made of, as JSON that other programs can read.
 * A list of alike objects becomes a table, `{"$table": 3, "$rows": [[...], ...]}`, whose column names stand once for all, in `tables[3]`; numbers are rounded
 * to a thousandth (a microsecond where they are milliseconds). `unpackRawData` gives the values back.
 */
import type { Analysis } from '../analysis/analysis.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'

const RAW_DATA_FORMAT = 'plimsoll.report/1'

export type RawData = { readonly sweep: SweepState; readonly analysis: Analysis }

const ABOUT =
  'A sweep by Plimsoll. sweep: plan, server facts, environment, cells, rows (one a turn), samples (hardware); analysis: the figures made of them. ' +
  'Lists of alike objects are tables: {"$table": i, "$rows": values in the order of the names in tables[i]}; a name with a dot is a member of a member, ' +
  'and null in all its members means that there is none. Names ending in Ms are milliseconds; ...AtMs count from the beginning of the sweep.'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type PlainObject = Readonly<Record<string, unknown>>

export function packRawData(sweep: SweepState, analysis: Analysis): Json {
  const tables: string[][] = []
  const idOf = new Map<string, number>()
  const tableId = (columns: string[]) => {
    const signature = columns.join('\n')
    const known = idOf.get(signature)
    if (known !== undefined) return known
    idOf.set(signature, tables.length)
    return tables.push(columns) - 1
  }
  const data = { sweep: pack(sweep, tableId), analysis: pack(analysis, tableId) }
  return { format: RAW_DATA_FORMAT, about: ABOUT, tables, ...data }
}

type TableId = (columns: string[]) => number

const isObject = (value: unknown): value is PlainObject => typeof value === 'object' && value !== null && !Array.isArray(value)

function pack(value: unknown, tableId: TableId): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : null
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return packList(value, tableId)
  if (isObject(value))
    return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, pack(item, tableId)]])))
  return null
}

function packList(items: readonly unknown[], tableId: TableId): Json {
  if (!items.every(isObject) || items.length === 0) return items.map((item) => pack(item, tableId))
  const columns = columnsOf(items)
  if (columns === null) return items.map((item) => pack(item, tableId))
  return {
    $table: tableId(columns.map((path) => path.join('.'))),
    $rows: items.map((item) => columns.map((path) => pack(at(item, path), tableId))),
  }
}

/**
 * Paths to all values, members of members opened where all items have the same ones or none.
 * @returns null when the items are not alike, or a name would not survive
 */
function columnsOf(items: readonly PlainObject[]): string[][] | null {
  const keys = sharedKeys(items)
  if (keys === null || keys.length === 0) return null
  if (keys.some((key) => key.includes('.') || key.startsWith('$'))) return null
  return keys.flatMap((key) => {
    const members = items.map((item) => item[key])
    const present = members.filter((member) => member !== null)
    if (present.length === 0 || !present.every(isObject)) return [[key]]
    // An object whose values are all null could not be told from none.
    if (present.some((member) => Object.values(member).every((value) => value === null))) return [[key]]
    return columnsOf(present)?.map((path) => [key, ...path]) ?? [[key]]
  })
}

function sharedKeys(items: readonly PlainObject[]): string[] | null {
  const keys = Object.keys(items[0] ?? {})
  const alike = items.every((item) => {
    const own = Object.keys(item)
    return own.length === keys.length && own.every((key, index) => key === keys[index] && item[key] !== undefined)
  })
  return alike ? keys : null
}

const at = (item: unknown, path: readonly string[]): unknown => path.reduce<unknown>((value, key) => (isObject(value) ? value[key] : null), item)

/** @param json parsed JSON of a report @returns undefined when it is no raw data of this format */
export function unpackRawData(json: unknown): RawData | undefined {
  if (!isObject(json) || json.format !== RAW_DATA_FORMAT || !Array.isArray(json.tables)) return undefined
  const tables = json.tables as readonly (readonly string[])[]
  return { sweep: unpack(json.sweep, tables), analysis: unpack(json.analysis, tables) } as RawData
}

function unpack(value: unknown, tables: readonly (readonly string[])[]): unknown {
  if (Array.isArray(value)) return value.map((item) => unpack(item, tables))
  if (!isObject(value)) return value
  const columns = typeof value.$table === 'number' ? tables[value.$table] : undefined
  if (columns !== undefined && Array.isArray(value.$rows)) {
    const paths = columns.map((column) => column.split('.'))
    return value.$rows.map((row: unknown[]) =>
      unflatten(
        paths,
        row.map((item) => unpack(item, tables)),
      ),
    )
  }
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item, tables)]))
}

function unflatten(paths: readonly (readonly string[])[], values: readonly unknown[]): PlainObject {
  const whole: Record<string, unknown> = {}
  const opened = new Map<string, { paths: string[][]; values: unknown[] }>()
  paths.forEach(([key = '', ...rest], index) => {
    if (rest.length === 0) {
      whole[key] = values[index]
      return
    }
    const member = opened.get(key) ?? { paths: [], values: [] }
    member.paths.push(rest)
    member.values.push(values[index])
    opened.set(key, member)
    // Keeps the order of names as it was.
    whole[key] = null
  })
  for (const [key, member] of opened) whole[key] = member.values.every((value) => value === null) ? null : unflatten(member.paths, member.values)
  return whole
}

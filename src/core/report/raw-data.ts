/**
 * The raw data inside a report: everything the figures were made of, as JSON that other programs can read.
 * A list of alike objects becomes a table, `{"$table": 3, "$rows": [[...], ...]}`, whose column names stand once for all, in `tables[3]`; numbers are rounded
 * to a thousandth (a microsecond where they are milliseconds). `unpackRawData` gives the values back.
 */
import type { Analysis } from '../analysis/analysis.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'

export const RAW_DATA_FORMAT = 'plimsoll.report/1'

export type RawData = { readonly sweep: SweepState; readonly analysis: Analysis }

const ABOUT =
  'A sweep by Plimsoll. sweep: plan, server facts, environment, cells, rows (one a turn), samples (hardware); analysis: the figures made of them. ' +
  'Lists of alike objects are tables: {"$table": i, "$rows": values in the order of the names in tables[i]}; a name with a dot is a member of a member, ' +
  'and null in all its members means that there is none. Names ending in Ms are milliseconds; ...AtMs count from the beginning of the sweep.'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }
type PlainObject = Readonly<Record<string, unknown>>

export function packRawData(sweep: SweepState, analysis: Analysis): Json {
  const tables: string[][] = []
  const data = { sweep: pack(sweep, newPlace(), tables), analysis: pack(analysis, newPlace(), tables) }
  return { format: RAW_DATA_FORMAT, about: ABOUT, tables, ...data }
}

/** Names in their order; where `nested` has a shape, the member is an object of that shape, or null. */
type Shape = { readonly keys: readonly string[]; readonly nested: readonly (Shape | null)[] }
/** A place in the data, such as the calls of all rows: lists there mostly look alike, so the last one's table is tried first. */
type Place = { table: { readonly shape: Shape; readonly id: number } | null; readonly members: Map<string, Place> }

const newPlace = (): Place => ({ table: null, members: new Map() })

function memberOf(place: Place, key: string): Place {
  const known = place.members.get(key)
  if (known !== undefined) return known
  const member = newPlace()
  place.members.set(key, member)
  return member
}

const isObject = (value: unknown): value is PlainObject => typeof value === 'object' && value !== null && !Array.isArray(value)

function pack(value: unknown, place: Place, tables: string[][]): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : null
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return packList(value, place, tables)
  if (!isObject(value)) return null
  const members = Object.entries(value).filter(([, item]) => item !== undefined)
  return Object.fromEntries(members.map(([key, item]) => [key, pack(item, memberOf(place, key), tables)]))
}

function packList(items: readonly unknown[], place: Place, tables: string[][]): Json {
  if (items.length === 0 || !items.every(isObject)) return items.map((item) => pack(item, place, tables))
  const { table } = place
  if (table === null || !items.every((item) => fits(item, table.shape))) {
    const shape = shapeOf(items)
    if (shape === null) return items.map((item) => pack(item, place, tables))
    place.table = { shape, id: tableId(pathsOf(shape), tables) }
  }
  const { shape, id } = place.table ?? { shape: { keys: [], nested: [] }, id: 0 }
  const rows = items.map((item) => {
    const row: Json[] = []
    addCells(row, item, shape, place, tables)
    return row
  })
  return { $table: id, $rows: rows }
}

function tableId(columns: string[], tables: string[][]): number {
  const known = tables.findIndex((table) => table.length === columns.length && table.every((name, index) => name === columns[index]))
  return known === -1 ? tables.push(columns) - 1 : known
}

const pathsOf = (shape: Shape): string[] =>
  shape.keys.flatMap((key, index) => {
    const nested = shape.nested[index]
    return nested ? pathsOf(nested).map((path) => `${key}.${path}`) : [key]
  })

function addCells(row: Json[], item: PlainObject | null, shape: Shape, place: Place, tables: string[][]): void {
  for (let index = 0; index < shape.keys.length; index += 1) {
    const key = shape.keys[index] ?? ''
    const value = item === null ? null : item[key]
    const nested = shape.nested[index]
    if (nested) addCells(row, isObject(value) ? value : null, nested, memberOf(place, key), tables)
    else row.push(value === null ? null : pack(value, memberOf(place, key), tables))
  }
}

/** Whether a table of this shape can hold the item without loss, and opens all that can be opened. */
function fits(item: PlainObject, shape: Shape): boolean {
  let index = 0
  for (const key in item) {
    const value = item[key]
    if (key !== shape.keys[index] || value === undefined) return false
    const nested = shape.nested[index]
    if (value !== null && typeof value === 'object' && !Array.isArray(value)) {
      if (!nested || !fits(value as PlainObject, nested) || isAllNull(value as PlainObject)) return false
    } else if (nested && value !== null) return false
    index += 1
  }
  return index === shape.keys.length
}

/** Could not be told from none. */
const isAllNull = (item: PlainObject) => Object.values(item).every((value) => value === null)

/**
 * The shape that all items have, members of members opened where all items have the same ones or none.
 * @returns null when the items are not alike, or a name would not survive
 */
function shapeOf(items: readonly PlainObject[]): Shape | null {
  const keys = Object.keys(items[0] ?? {})
  if (keys.length === 0 || keys.some((key) => key.includes('.') || key.startsWith('$'))) return null
  const alike = items.every((item) => {
    const own = Object.keys(item)
    return own.length === keys.length && own.every((key, index) => key === keys[index] && item[key] !== undefined)
  })
  if (!alike) return null
  const nested = keys.map((key) => {
    const present = items.map((item) => item[key]).filter((member) => member !== null)
    return present.length > 0 && present.every(isObject) && !present.some(isAllNull) ? shapeOf(present) : null
  })
  return { keys, nested }
}

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

/**
 * The raw data inside a report: everything the figures were made of, as JSON that other programs can read.
 * A list of alike objects becomes a table, `{"$columns": [...], "$rows": [[...], ...]}`, so that names stand once; numbers are rounded to a thousandth
 * (a microsecond where they are milliseconds). `unpackRawData` gives the values back.
 */
import type { Analysis } from '../analysis/analysis.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'

export const RAW_DATA_FORMAT = 'plimsoll.report/1'

export type RawData = { readonly format: typeof RAW_DATA_FORMAT; readonly about: string; readonly sweep: SweepState; readonly analysis: Analysis }

const ABOUT =
  'A sweep by Plimsoll. sweep: plan, server facts, environment, cells, rows (one a turn), samples (hardware); analysis: the figures made of them. ' +
  'Lists of alike objects are tables: {"$columns": names, "$rows": values in that order}. Names ending in Ms are milliseconds; ...AtMs count from the beginning of the sweep.'

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json }

export function packRawData(sweep: SweepState, analysis: Analysis): Json {
  return pack({ format: RAW_DATA_FORMAT, about: ABOUT, sweep, analysis })
}

function pack(value: unknown): Json {
  if (typeof value === 'number') return Number.isFinite(value) ? Math.round(value * 1000) / 1000 : null
  if (value === null || typeof value === 'string' || typeof value === 'boolean') return value
  if (Array.isArray(value)) return packList(value)
  if (typeof value === 'object')
    return Object.fromEntries(Object.entries(value).flatMap(([key, item]) => (item === undefined ? [] : [[key, pack(item)]])))
  return null
}

function packList(items: readonly unknown[]): Json {
  const columns = items.length < 2 ? null : sharedColumns(items)
  if (columns === null) return items.map(pack)
  return { $columns: columns, $rows: items.map((item) => columns.map((key) => pack((item as Record<string, unknown>)[key]))) }
}

/** The keys, if all are objects with the very same ones in the same order. */
function sharedColumns(items: readonly unknown[]): string[] | null {
  const [first] = items
  if (typeof first !== 'object' || first === null || Array.isArray(first)) return null
  const columns = Object.keys(first)
  const signature = columns.join('\n')
  const alike = items.every((item) => typeof item === 'object' && item !== null && !Array.isArray(item) && Object.keys(item).join('\n') === signature)
  return alike && columns.length > 0 ? columns : null
}

/** @param json parsed JSON of a report @returns undefined when it is no raw data of this format */
export function unpackRawData(json: unknown): RawData | undefined {
  const data = unpack(json)
  if (typeof data !== 'object' || data === null || (data as { format?: unknown }).format !== RAW_DATA_FORMAT) return undefined
  return data as RawData
}

function unpack(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unpack)
  if (typeof value !== 'object' || value === null) return value
  const { $columns: columns, $rows: rows } = value as { $columns?: unknown; $rows?: unknown }
  if (Array.isArray(columns) && Array.isArray(rows))
    return rows.map((row: unknown[]) => Object.fromEntries(columns.map((key, index) => [key, unpack(row[index])])))
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, unpack(item)]))
}

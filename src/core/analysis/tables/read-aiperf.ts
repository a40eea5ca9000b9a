/** AIPerf: a level's summary (profile_export_aiperf.json), its records (profile_export.jsonl), a sweep's aggregate as JSON or CSV. */
import type { MeasuredTable, Setting, TableContext } from './measured-table.ts'
import { splitRecords } from './read-delimited.ts'
import { isObject, type PlainObject } from './read-json-case.ts'
import { tableFromRecords } from './table-from-records.ts'

const COLUMNS = [
  'n',
  'arrival rps',
  'in flight',
  'total tok/s',
  'requests/s',
  'decode tok/s per request',
  'decode concurrency',
  'ttft mean ms',
  'ttft p50 ms',
  'ttft p95 ms',
  'latency mean ms',
  'latency p50 ms',
  'latency p95 ms',
  'tokens per request',
  'requests',
  'error percent',
]

/** One level's row, and what was said around it. */
export type AiperfLevel = { readonly row: readonly unknown[]; readonly settings: Record<string, Setting> }

type Reader = (metric: string, stat: string) => number | null

function rowFrom(n: unknown, rate: unknown, of: Reader): unknown[] {
  return [
    n ?? null,
    n === null || n === undefined ? (rate ?? null) : null,
    of('effective_concurrency', 'avg'),
    of('output_token_throughput', 'avg'),
    of('request_throughput', 'avg'),
    of('output_token_throughput_per_user', 'avg'),
    null,
    of('time_to_first_token', 'avg'),
    of('time_to_first_token', 'p50'),
    of('time_to_first_token', 'p95'),
    of('request_latency', 'avg'),
    of('request_latency', 'p50'),
    of('request_latency', 'p95'),
    of('output_sequence_length', 'avg'),
    of('request_count', 'avg'),
    of('request_error_rate', 'avg'),
  ]
}

const statOf =
  (metrics: PlainObject): Reader =>
  (metric, stat) => {
    const value = metrics[metric]
    const number = isObject(value) ? (value[stat] ?? (stat === 'avg' ? value.mean : undefined)) : undefined
    return typeof number === 'number' ? number : null
  }

export const isAiperfLevel = (json: unknown): json is PlainObject =>
  isObject(json) && isObject(json.request_latency) && (json.aiperf_version !== undefined || isObject(json.input_config))

export function readAiperfLevel(json: PlainObject): AiperfLevel {
  const config = isObject(json.input_config) ? json.input_config : {}
  const phases = Array.isArray(config.phases) ? config.phases.filter(isObject) : []
  const phase = phases.find((one) => one.exclude_from_results !== true) ?? {}
  const loadgen = isObject(config.loadgen) ? config.loadgen : {}
  const settings: Record<string, Setting> = {}
  if (typeof json.aiperf_version === 'string') settings['aiperf version'] = json.aiperf_version
  return { row: rowFrom(phase.concurrency ?? loadgen.concurrency, phase.request_rate ?? loadgen.request_rate, statOf(json)), settings }
}

export const isAiperfSweep = (json: unknown): json is PlainObject => isObject(json) && Array.isArray(json.per_combination_metrics)

export function readAiperfSweep(json: PlainObject): AiperfLevel[] {
  return (json.per_combination_metrics as unknown[]).filter(isObject).map(({ parameters, metrics }) => {
    const own = isObject(parameters) ? parameters : {}
    return { row: rowFrom(own.concurrency, own.request_rate, statOf(isObject(metrics) ? metrics : {})), settings: {} }
  })
}

export const isAiperfSweepCsv = (text: string): boolean =>
  /^\ufeff?(concurrency|request_rate),[a-z_]+_mean,/.test(text) && text.slice(0, 20_000).includes('time_to_first_token_mean')

export function readAiperfSweepCsv(text: string): AiperfLevel[] {
  const [names = [], ...rest] = splitRecords(text.replace(/^\ufeff/, ''), ',')
  const end = rest.findIndex((row) => row.length < names.length)
  return (end === -1 ? rest : rest.slice(0, end)).map((row) => {
    const cell = (name: string) => {
      const value = Number.parseFloat(row[names.indexOf(name)] ?? '')
      return Number.isFinite(value) ? value : null
    }
    return {
      row: rowFrom(cell('concurrency'), cell('request_rate'), (metric, stat) => cell(`${metric}_${stat === 'avg' ? 'mean' : stat}`)),
      settings: {},
    }
  })
}

type Row = { readonly startNs: number; readonly endNs: number; readonly metrics: PlainObject }

/** Records of single requests: in flight, rates and percentiles are counted from them. */
export function readAiperfRecords(records: readonly unknown[]): AiperfLevel | undefined {
  const rows = records.filter(isObject).flatMap(({ metadata, metrics }): Row[] => {
    if (!isObject(metadata) || !isObject(metrics)) return []
    const { request_start_ns: startNs, request_end_ns: endNs } = metadata
    return typeof startNs === 'number' && typeof endNs === 'number' && metadata.was_cancelled !== true ? [{ startNs, endNs, metrics }] : []
  })
  if (rows.length === 0) return undefined
  const first = rows.reduce((least, { startNs }) => Math.min(least, startNs), Number.POSITIVE_INFINITY)
  const last = rows.reduce((most, { endNs }) => Math.max(most, endNs), 0)
  const durationSec = (last - first) / 1e9
  const values = (metric: string) =>
    rows
      .flatMap(({ metrics }) => (isObject(metrics[metric]) && typeof metrics[metric].value === 'number' ? [metrics[metric].value] : []))
      .sort((a, b) => a - b)
  const sum = (numbers: readonly number[]) => numbers.reduce((total, one) => total + one, 0)
  const of: Reader = (metric, stat) => {
    if (metric === 'request_count') return rows.length
    if (metric === 'request_throughput') return rows.length / durationSec
    if (metric === 'output_token_throughput') return sum(values('output_sequence_length')) / durationSec
    if (metric === 'effective_concurrency') return sum(rows.map(({ startNs, endNs }) => endNs - startNs)) / (last - first)
    const sorted = values(metric)
    if (sorted.length === 0) return null
    return stat === 'avg'
      ? sum(sorted) / sorted.length
      : (sorted[Math.min(sorted.length - 1, Math.floor((Number(stat.slice(1)) / 100) * sorted.length))] ?? null)
  }
  return { row: rowFrom(mostAtOnce(rows), null, of), settings: {} }
}

/** The level is how many were in flight at most: records do not say it. */
function mostAtOnce(rows: readonly Row[]): number {
  const moments = rows
    .flatMap(({ startNs, endNs }) => [
      { at: startNs, by: 1 },
      { at: endNs, by: -1 },
    ])
    .sort((a, b) => a.at - b.at || a.by - b.by)
  let now = 0
  let most = 0
  for (const { by } of moments) {
    now += by
    most = Math.max(most, now)
  }
  return most
}

export function aiperfTable(levels: readonly AiperfLevel[], source: string): MeasuredTable {
  const settings = Object.assign({}, ...levels.map((level) => level.settings)) as Record<string, Setting>
  const context: TableContext = { server: null, hardware: null, model: null, load: 'closed loop, by AIPerf', settings }
  return tableFromRecords({ source, format: 'AIPerf', columns: COLUMNS, rows: levels.map(({ row }) => row), context })
}

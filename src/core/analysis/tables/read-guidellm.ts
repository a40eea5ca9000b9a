/** GuideLLM 0.8: its JSON (benchmarks with metrics per strategy, and its own conclusions) and its CSV (three header lines). */
import type { MeasuredTable, PublishedConclusion, Setting } from './measured-table.ts'
import { splitRecords } from './read-delimited.ts'
import { isObject, type PlainObject } from './read-json-case.ts'
import { tableFromRecords } from './table-from-records.ts'

export const isGuidellmJson = (json: unknown): json is PlainObject =>
  isObject(json) && Array.isArray(json.benchmarks) && json.benchmarks.some((one) => isObject(one) && isObject(one.metrics))

const COLUMNS = [
  'n',
  'arrival rps',
  'in flight',
  'total tok/s',
  'requests/s',
  'decode ms per token',
  'ttft mean ms',
  'ttft p50 ms',
  'ttft p95 ms',
  'latency mean ms',
  'latency p50 ms',
  'latency p95 ms',
  'tokens per request',
  'requests',
  'failed',
]

export function readGuidellmJson(json: PlainObject, source: string): MeasuredTable {
  const benchmarks = (json.benchmarks as unknown[]).filter(isObject)
  const rows = benchmarks.map((one) => jsonRow(one))
  return withContext(source, rows, settingsOf(json), conclusionsOf(json))
}

function jsonRow(benchmark: PlainObject): unknown[] {
  const metrics = inner(benchmark, 'metrics')
  const strategy = inner(benchmark, 'config', 'strategy')
  const of = (name: string, stat: string): number | null => {
    const values = inner(metrics, name, 'successful')
    const value = stat.startsWith('p') ? inner(values, 'percentiles')[stat] : values[stat]
    return typeof value === 'number' ? value : null
  }
  const totals = inner(metrics, 'request_totals')
  const latency = (stat: string) => seconds(of('request_latency', stat))
  const isOpen = typeof strategy.rate === 'number'
  return [
    isOpen ? null : (strategy.streams ?? strategy.max_concurrency ?? null),
    isOpen ? strategy.rate : null,
    of('request_concurrency', 'mean'),
    of('output_tokens_per_second', 'mean'),
    of('requests_per_second', 'mean'),
    of('inter_token_latency_ms', 'mean'),
    of('time_to_first_token_ms', 'mean'),
    of('time_to_first_token_ms', 'p50'),
    of('time_to_first_token_ms', 'p95'),
    latency('mean'),
    latency('p50'),
    latency('p95'),
    of('output_token_count', 'mean'),
    totals.successful ?? null,
    totals.errored ?? null,
  ]
}

const seconds = (value: number | null): number | null => (value === null ? null : value * 1000)

function inner(object: PlainObject, ...path: string[]): PlainObject {
  let value: unknown = object
  for (const key of path) value = isObject(value) ? value[key] : undefined
  return isObject(value) ? value : {}
}

function settingsOf(json: PlainObject): Record<string, Setting> {
  const spec = inner(json, 'config', 'spec')
  const [data] = Array.isArray(spec.data) ? spec.data.filter(isObject) : []
  const version = inner(json, 'metadata').guidellm_version
  const out: Record<string, Setting> = {}
  const put = (key: string, value: unknown) => {
    if (typeof value === 'string' || typeof value === 'number') out[key] = value
  }
  put('guidellm version', version)
  put('profile', inner(spec, 'profile').kind)
  put('prompt_tokens', data?.prompt_tokens)
  put('output_tokens', data?.output_tokens)
  return out
}

function conclusionsOf(json: PlainObject): PublishedConclusion[] {
  const conclusions = Array.isArray(json.conclusions) ? json.conclusions.filter(isObject) : []
  return conclusions.flatMap((one) => {
    const final = inner(one, 'final', 'throughput')
    const { knee, reason } = final
    if (typeof knee !== 'number') return []
    return [{ by: 'GuideLLM', text: `knee ${knee.toFixed(2)} (${typeof reason === 'string' ? reason : 'no reason given'}); no cause` }]
  })
}

function withContext(source: string, rows: unknown[][], settings: Record<string, Setting>, published: readonly PublishedConclusion[]): MeasuredTable {
  const context = { server: null, hardware: null, model: null, load: 'closed loop, by GuideLLM', settings }
  return tableFromRecords({ source, format: 'GuideLLM', columns: COLUMNS, rows, context, published })
}

export const isGuidellmCsv = (text: string): boolean => /^\ufeff?Run Info,/.test(text) && text.slice(0, 20_000).includes('Time to First Token')

export function readGuidellmCsv(text: string, source: string): MeasuredTable {
  const [groups = [], names = [], units = [], ...rest] = splitRecords(text.replace(/^\ufeff/, ''), ',')
  const at = (group: string, name: string, unit: string) =>
    groups.findIndex((own, index) => own === group && (names[index] ?? '').startsWith(name) && units[index] === unit)
  const cell = (row: readonly string[], group: string, name: string, unit: string): number | null => {
    const value = Number.parseFloat(row[at(group, name, unit)] ?? '')
    return Number.isFinite(value) ? value : null
  }
  const rows = rest
    .filter((row) => row.length > 20)
    .map((row) => {
      const strategy = row[names.indexOf('Strategy')] ?? ''
      const [, kind = '', size = ''] = /^(\w+)@([\d.]+)$/.exec(strategy) ?? []
      const isClosed = kind === 'concurrent' || strategy === 'synchronous'
      const latency = (stat: string) => seconds(cell(row, 'Request Latency', 'Successful', stat))
      return [
        isClosed ? (size === '' ? 1 : Number(size)) : null,
        isClosed || size === '' ? null : Number(size),
        cell(row, 'Server Throughput', 'Successful Concurrency', 'Mean'),
        cell(row, 'Token Throughput', 'Successful Output', 'Mean'),
        cell(row, 'Server Throughput', 'Successful Requests/Sec', 'Mean'),
        cell(row, 'Inter Token Latency', 'Successful', 'Mean'),
        cell(row, 'Time to First Token', 'Successful', 'Mean'),
        cell(row, 'Time to First Token', 'Successful', 'Median'),
        null,
        latency('Mean'),
        latency('Median'),
        null,
        cell(row, 'Token Metrics', 'Successful Output', 'Mean'),
        cell(row, 'Request Counts', 'Successful', ''),
        cell(row, 'Request Counts', 'Errored', ''),
      ]
    })
  return withContext(source, rows, {}, [])
}

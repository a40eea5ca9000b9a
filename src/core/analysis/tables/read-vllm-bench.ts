/** `vllm bench serve --save-result`: one JSON a level (or one JSON line with --append-result), fields as its documentation lists them. */
import type { MeasuredTable, Setting, TableContext } from './measured-table.ts'
import { isObject, type PlainObject } from './read-json-case.ts'
import { tableFromRecords } from './table-from-records.ts'

export const isVllmBench = (json: unknown): json is PlainObject =>
  isObject(json) &&
  typeof json.request_throughput === 'number' &&
  typeof json.output_throughput === 'number' &&
  (json.mean_ttft_ms !== undefined || json.completed !== undefined)

const COLUMNS = [
  'n',
  'arrival rps',
  'total tok/s',
  'requests/s',
  'decode ms per token',
  'ttft mean ms',
  'ttft p50 ms',
  'ttft p95 ms',
  'ttft p99 ms',
  'latency mean ms',
  'latency p50 ms',
  'latency p99 ms',
  'tokens per request',
  'requests',
  'failed',
]

export function vllmBenchTable(results: readonly PlainObject[], source: string): MeasuredTable {
  const [first = {}] = results
  const settings: Record<string, Setting> = {}
  for (const key of ['backend', 'endpoint_type', 'num_prompts', 'burstiness']) {
    const value = first[key]
    if (typeof value === 'string' || typeof value === 'number') settings[key] = value
  }
  const isOpen = results.some((one) => number(one.max_concurrency) === null)
  const context: TableContext = {
    server: null,
    hardware: null,
    model: typeof first.model_id === 'string' ? first.model_id : null,
    load: isOpen ? 'open loop' : 'closed loop',
    settings,
  }
  return tableFromRecords({ source, format: 'vllm bench serve', columns: COLUMNS, rows: results.map(rowOf), context })
}

const number = (value: unknown): number | null => {
  const own = typeof value === 'string' ? Number(value) : value
  return typeof own === 'number' && Number.isFinite(own) ? own : null
}

function rowOf(result: PlainObject): unknown[] {
  const completed = number(result.completed)
  const tokens = number(result.total_output_tokens)
  const perRequest = completed === null || tokens === null || completed === 0 ? null : tokens / completed
  const [ttft, tpot] = [number(result.mean_ttft_ms), number(result.mean_tpot_ms)]
  // End-to-end times are only written when asked for; the mean follows from the other two means.
  const latency = number(result.mean_e2el_ms) ?? (ttft === null || tpot === null || perRequest === null ? null : ttft + tpot * (perRequest - 1))
  return [
    number(result.max_concurrency),
    number(result.max_concurrency) === null ? number(result.request_rate) : null,
    number(result.output_throughput),
    number(result.request_throughput),
    tpot,
    ttft,
    number(result.median_ttft_ms),
    number(result.p95_ttft_ms),
    number(result.p99_ttft_ms),
    latency,
    number(result.median_e2el_ms),
    number(result.p99_e2el_ms),
    perRequest,
    completed,
    number(result.failed),
  ]
}

/** llama-batched-bench: its Markdown table and its JSON lines. The engine alone, without a server: nothing there can queue. */
import type { MeasuredTable, Setting } from './measured-table.ts'
import { readMarkdownTable } from './read-delimited.ts'
import { isObject, type PlainObject } from './read-json-case.ts'
import { tableFromRecords } from './table-from-records.ts'

const COLUMNS = ['n', 'prefill s', 'decode s', 'decode total tok/s']

export const isBatchedBenchLine = (json: unknown): json is PlainObject => isObject(json) && 'pl' in json && 't_tg' in json && 'speed_tg' in json

export function batchedBenchTable(lines: readonly PlainObject[], source: string): MeasuredTable {
  const rows = lines.map((line) => [line.pl, line.t_pp, line.t_tg, line.speed_tg])
  const [first = {}] = lines
  const settings: Record<string, Setting> = {}
  for (const key of ['pp', 'tg', 'n_threads', 'n_batch', 'n_gpu_layers']) if (typeof first[key] === 'number') settings[key] = first[key]
  return engineTable(source, rows, settings)
}

export const isBatchedBenchMarkdown = (text: string): boolean => /\|\s*PP\s*\|\s*TG\s*\|\s*B\s*\|\s*N_KV\s*\|/.test(text)

export function readBatchedBenchMarkdown(text: string, source: string): MeasuredTable | undefined {
  const table = readMarkdownTable(text)
  if (table === undefined) return undefined
  const at = (name: string) => table.columns.indexOf(name)
  const [n, prefill, decode, rate] = [at('B'), at('T_PP s'), at('T_TG s'), at('S_TG t/s')]
  const rows = table.rows.map((row) => [n, prefill, decode, rate].map((index) => row[index] ?? null))
  const settings: Record<string, Setting> = {}
  for (const [, key = '', value = ''] of text.matchAll(/\b(n_threads|n_batch|n_gpu_layers) = (-?\d+)/g)) settings[key] = Number(value)
  const [first] = table.rows
  settings.pp = Number(first?.[at('PP')])
  settings.tg = Number(first?.[at('TG')])
  return engineTable(source, rows, settings)
}

const engineTable = (source: string, rows: readonly (readonly unknown[])[], settings: Record<string, Setting>): MeasuredTable =>
  tableFromRecords({
    source,
    format: 'llama-batched-bench',
    columns: COLUMNS,
    rows,
    context: { server: 'engine alone, no HTTP', hardware: null, model: null, load: 'engine batch of n', settings },
  })

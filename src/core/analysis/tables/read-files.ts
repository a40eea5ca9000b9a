/** Files to tables: what each is, which of them make one table together, and which could not be read. */

import type { RawData } from '../../report/raw-data.ts'
import { type Problem, problem } from '../../result/problem.ts'
import { type MeasuredTable, NO_CONTEXT } from './measured-table.ts'
import {
  type AiperfLevel,
  aiperfTable,
  isAiperfLevel,
  isAiperfSweep,
  isAiperfSweepCsv,
  readAiperfLevel,
  readAiperfRecords,
  readAiperfSweep,
  readAiperfSweepCsv,
} from './read-aiperf.ts'
import { batchedBenchTable, isBatchedBenchLine, isBatchedBenchMarkdown, readBatchedBenchMarkdown } from './read-batched-bench.ts'
import { isTableRule, readDelimited, readMarkdownTable } from './read-delimited.ts'
import { isGuidellmCsv, isGuidellmJson, readGuidellmCsv, readGuidellmJson } from './read-guidellm.ts'
import { isObject, type PlainObject, readJsonTables } from './read-json-case.ts'
import { readPlimsollReport } from './read-plimsoll-report.ts'
import { isVllmBench, vllmBenchTable } from './read-vllm-bench.ts'
import { tableFromRecords } from './table-from-records.ts'

export type FileIn = { readonly name: string; readonly text: string }

/** A file by itself, or a piece of a table that several files make. */
type Piece =
  | { readonly kind: 'tables'; readonly tables: readonly MeasuredTable[] }
  | { readonly kind: 'report'; readonly raw: RawData }
  | { readonly kind: 'vllm'; readonly results: readonly PlainObject[] }
  /** How good a source of the same level it is: summary before aggregate before records. */
  | { readonly kind: 'aiperf'; readonly rank: 0 | 1 | 2; readonly levels: readonly AiperfLevel[] }
  | { readonly kind: 'unread'; readonly why: string }

export type ReadFiles = {
  readonly tables: readonly MeasuredTable[]
  readonly reports: readonly { readonly source: string; readonly raw: RawData }[]
  readonly problems: readonly Problem[]
}

export function readFiles(files: readonly FileIn[]): ReadFiles {
  const pieces = files.map((file) => ({ file, piece: pieceOf(file) }))
  const tables: MeasuredTable[] = []
  const reports: { source: string; raw: RawData }[] = []
  const problems: Problem[] = []
  const stems = new Set(pieces.filter(({ piece }) => piece.kind === 'tables' && piece.tables[0]?.format === 'GuideLLM').map(({ file }) => file.name))
  for (const { file, piece } of pieces) {
    if (piece.kind === 'report') reports.push({ source: file.name, raw: piece.raw })
    // GuideLLM writes the same sweep as JSON and as CSV; the JSON says more.
    if (piece.kind === 'tables' && !(file.name.endsWith('.csv') && stems.has(file.name.replace(/\.csv$/, '.json')))) tables.push(...piece.tables)
    if (piece.kind === 'unread') problems.push(unread(file.name, piece.why))
  }
  tables.push(...vllmTables(pieces), ...aiperfTables(pieces))
  return { tables, reports, problems }
}

type Pieces = readonly { readonly file: FileIn; readonly piece: Piece }[]

function vllmTables(pieces: Pieces): MeasuredTable[] {
  const byModel = new Map<string, { names: string[]; results: PlainObject[] }>()
  for (const { file, piece } of pieces) {
    if (piece.kind !== 'vllm') continue
    for (const result of piece.results) {
      const key = `${result.model_id ?? ''} ${result.endpoint_type ?? result.backend ?? ''}`
      const own = byModel.get(key) ?? { names: [], results: [] }
      own.names.push(file.name)
      own.results.push(result)
      byModel.set(key, own)
    }
  }
  return [...byModel.values()].map(({ names, results }) => vllmBenchTable(results, commonName(names)))
}

function aiperfTables(pieces: Pieces): MeasuredTable[] {
  const groups = new Map<string, { names: string[]; levels: { rank: number; level: AiperfLevel }[] }>()
  for (const { file, piece } of pieces) {
    if (piece.kind !== 'aiperf') continue
    const key = runFolder(file.name)
    const own = groups.get(key) ?? { names: [], levels: [] }
    own.names.push(file.name)
    own.levels.push(...piece.levels.map((level) => ({ rank: piece.rank, level })))
    groups.set(key, own)
  }
  return [...groups.values()].map(({ names, levels }) => aiperfTable(bestOfEach(levels), commonName(names)))
}

/** The same level stands in its summary, in the aggregate and in its records: one of them is enough. */
function bestOfEach(levels: readonly { rank: number; level: AiperfLevel }[]): AiperfLevel[] {
  const sorted = levels.toSorted((a, b) => a.rank - b.rank)
  const seen = new Map<unknown, number>()
  return sorted
    .filter(({ rank, level }) => {
      const at = level.row[0] ?? level.row[1]
      const before = seen.get(at)
      if (before === undefined) seen.set(at, rank)
      return before === undefined || before === rank
    })
    .map(({ level }) => level)
}

/** `run/concurrency_8/profile.json` and `run/sweep_aggregate/x.csv` belong to `run`. */
function runFolder(name: string): string {
  const parts = name.split(/[/\\]/).slice(0, -1)
  while (/^(concurrency|request_rate|run|trial|sweep_aggregate|aggregate|profile_runs)(_\S*)?$/.test(parts.at(-1) ?? '')) parts.pop()
  return parts.join('/')
}

function commonName(names: readonly string[]): string {
  const [first = ''] = names
  if (new Set(names).size < 2) return first
  const parts = first.split(/[/\\]/)
  const shared = parts.slice(0, -1).filter((part, index) => names.every((name) => name.split(/[/\\]/)[index] === part))
  return `${shared.length === 0 ? first : shared.join('/')} (${new Set(names).size} files)`
}

function pieceOf({ name, text }: FileIn): Piece {
  const start = text
    .slice(0, 2000)
    .replace(/^\ufeff/, '')
    .trimStart()
  if (start === '') return { kind: 'unread', why: 'it is empty' }
  if (/^<(!doctype|html)/i.test(start)) {
    const raw = readPlimsollReport(text)
    return raw === undefined ? { kind: 'unread', why: 'it is a web page, and no report by Plimsoll' } : { kind: 'report', raw }
  }
  if (start.startsWith('{') || start.startsWith('[')) return jsonPiece(name, text)
  if (isGuidellmCsv(text)) return { kind: 'tables', tables: [readGuidellmCsv(text, name)] }
  if (isAiperfSweepCsv(text)) return { kind: 'aiperf', rank: 1, levels: readAiperfSweepCsv(text) }
  if (isBatchedBenchMarkdown(text)) return tablePiece(readBatchedBenchMarkdown(text, name))
  const markdown = text.slice(0, 20_000).split('\n').some(isTableRule) ? readMarkdownTable(text) : undefined
  const records = markdown ?? readDelimited(text)
  if (records === undefined) return { kind: 'unread', why: 'it is neither JSON nor a table with at least two columns' }
  return tablePiece(tableFromRecords({ source: name, format: markdown === undefined ? 'CSV' : 'Markdown', context: NO_CONTEXT, ...records }))
}

const tablePiece = (table: MeasuredTable | undefined): Piece =>
  table === undefined ? { kind: 'unread', why: 'no table was found in it' } : { kind: 'tables', tables: [table] }

function jsonPiece(name: string, text: string): Piece {
  const parsed = parseJson(text)
  if (parsed === undefined) return { kind: 'unread', why: 'it begins like JSON and is none: it was cut, or has a fault in it' }
  if (parsed.isLines) return linesPiece(name, parsed.values)
  const [json] = parsed.values
  const raw = readPlimsollReport(json)
  if (raw !== undefined) return { kind: 'report', raw }
  if (isGuidellmJson(json)) return { kind: 'tables', tables: [readGuidellmJson(json, name)] }
  if (isAiperfSweep(json)) return { kind: 'aiperf', rank: 1, levels: readAiperfSweep(json) }
  if (isAiperfLevel(json)) return { kind: 'aiperf', rank: 0, levels: [readAiperfLevel(json)] }
  if (isVllmBench(json)) return { kind: 'vllm', results: [json] }
  if (Array.isArray(json) && json.length > 0 && json.every(isVllmBench)) return { kind: 'vllm', results: json }
  const tables = readJsonTables(json, name)
  return tables.length === 0 ? { kind: 'unread', why: 'no rows of figures were found in this JSON' } : { kind: 'tables', tables }
}

function linesPiece(name: string, values: readonly unknown[]): Piece {
  if (values.every(isVllmBench)) return { kind: 'vllm', results: values as PlainObject[] }
  if (values.every(isBatchedBenchLine)) return { kind: 'tables', tables: [batchedBenchTable(values as PlainObject[], name)] }
  const level = values.some((one) => isObject(one) && isObject(one.metadata) && isObject(one.metrics)) ? readAiperfRecords(values) : undefined
  if (level !== undefined) return { kind: 'aiperf', rank: 2, levels: [level] }
  const tables = readJsonTables(values, name)
  return tables.length === 0 ? { kind: 'unread', why: 'no rows of figures were found in these JSON lines' } : { kind: 'tables', tables }
}

function parseJson(text: string): { isLines: boolean; values: unknown[] } | undefined {
  const clean = text.replace(/^\ufeff/, '').trim()
  // NaN and Infinity are what Python writes for "none".
  const repaired = /\b(NaN|-?Infinity)\b/.test(clean) ? clean.replace(/([:[,]\s*)(NaN|-?Infinity)(?=\s*[,\]}])/g, '$1"NaN"') : clean
  try {
    return { isLines: false, values: [JSON.parse(repaired)] }
  } catch {
    try {
      return {
        isLines: true,
        values: repaired
          .split(/\r?\n/)
          .filter((line) => line.trim() !== '')
          .map((line) => JSON.parse(line) as unknown),
      }
    } catch {
      return undefined
    }
  }
}

function unread(name: string, why: string): Problem {
  return problem(
    'table-unreadable',
    `${name} could not be read as measurements: ${why}.`,
    'Expected a CSV, Markdown or JSON table with a column for the number of sessions, or a result file of GuideLLM, AIPerf, vllm bench serve, llama-batched-bench or Plimsoll.',
    'docs/analyse.md lists the columns that are understood.',
  )
}

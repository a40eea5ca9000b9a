/** Recorded requests to real Ollamas (test/fixtures/ollama-traces.jsonl) as sweeps of the direct leg: what a client saw, as the load driver would have stored it. */
import { readFileSync } from 'node:fs'
import { z } from 'zod'
import type { SweepId } from '../src/core/result/ids.ts'
import { problem } from '../src/core/result/problem.ts'
import type { ModelCall, Outcome } from '../src/core/session/timeline.ts'
import { sweepStateOf } from '../src/core/sweep/fold-sweep.ts'
import type { Cell, SweepPlan, Workload } from '../src/core/sweep/plan.ts'
import type { SweepEvent } from '../src/core/sweep/sweep-event.ts'
import type { TurnRow } from '../src/core/sweep/turn-row.ts'

const maybe = z.number().nullable()
const traceSchema = z.object({
  version: z.string(),
  parallel: z.number(),
  cell: z.string(),
  n: z.number(),
  i: z.number(),
  model: z.string(),
  num_ctx: maybe,
  num_predict: z.number(),
  sent_ms: z.number(),
  headers_ms: maybe,
  first_ms: maybe,
  last_ms: maybe,
  end_ms: z.number(),
  status: maybe,
  chunks: z.number(),
  load_ns: maybe,
  prompt_eval_count: maybe,
  prompt_eval_ns: maybe,
  eval_count: maybe,
  eval_ns: maybe,
  total_ns: maybe,
  error: z.string().nullable(),
})
export type Trace = z.infer<typeof traceSchema>

export function readTraces(): Trace[] {
  const text = readFileSync(new URL('./fixtures/ollama-traces.jsonl', import.meta.url), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => traceSchema.parse(JSON.parse(line)))
}

/** @param family the beginning of the cells' names: "burst", "long", "closed", "ctx-mix" */
export function traceState(traces: readonly Trace[], version: string, parallel: number, family: string) {
  const chosen = traces.filter((trace) => trace.version === version && trace.parallel === parallel && trace.cell.startsWith(family))
  const names = [...new Set(chosen.map((trace) => trace.cell))]
  const cells = names.map((name, index): Cell => {
    const n = chosen.find((trace) => trace.cell === name)?.n ?? 1
    return { index, leg: 'direct', n, repeat: 1, waves: 1, role: 'measure', plannedOffsetsMs: Array.from({ length: n }, (_, i) => i * 0.1) }
  })
  const events: SweepEvent[] = []
  let nowMs = 100
  for (const [index, name] of names.entries()) {
    const rows = chosen.filter((trace) => trace.cell === name).map((trace) => rowOf(trace, index, nowMs))
    events.push({ type: 'cell-started', atMs: nowMs, cell: index })
    events.push(...rows.map((row): SweepEvent => ({ type: 'turn-ended', atMs: row.endAtMs, row })))
    nowMs = Math.max(...rows.map((row) => row.endAtMs)) + 10
    events.push({ type: 'cell-ended', atMs: nowMs, cell: index, driver: null, drainMs: null })
    nowMs += 50
  }
  events.push({ type: 'sweep-ended', atMs: nowMs, outcome: 'completed', problem: null })
  const state = sweepStateOf([...opening(cells, chosen), ...events])
  if (state === undefined) throw new Error('a sweep that has started has a state')
  return state
}

function callOf(trace: Trace, startMs: number, outcome: Outcome): ModelCall {
  const at = (ms: number | null) => (ms === null ? null : startMs + ms)
  const { load_ns: loadNs, prompt_eval_ns: promptEvalNs, eval_ns: evalNs, total_ns: totalNs } = trace
  const told = loadNs !== null && promptEvalNs !== null && evalNs !== null && totalNs !== null
  return {
    index: 0,
    purpose: 'answer',
    model: trace.model,
    sentAtMs: startMs + trace.sent_ms,
    headersAtMs: at(trace.headers_ms),
    firstByteAtMs: at(trace.first_ms),
    firstDeltaAtMs: at(trace.first_ms),
    firstTextAtMs: at(trace.first_ms),
    lastDeltaAtMs: at(trace.last_ms),
    endAtMs: startMs + trace.end_ms,
    endMarker: outcome === 'completed',
    outcome,
    httpStatus: trace.status,
    problem: null,
    promptTokens: trace.prompt_eval_count,
    outputTokens: trace.eval_count ?? trace.chunks,
    tokensEstimated: trace.eval_count === null,
    server: told ? { totalNs, loadNs, promptEvalNs, evalNs } : null,
    maxChunksPerRead: 1,
    resent: false,
  }
}

function rowOf(trace: Trace, cell: number, startMs: number): TurnRow {
  const outcome: Outcome = trace.error === null ? 'completed' : trace.error === 'aborted by the client' ? 'cut' : 'failed'
  const call = callOf(trace, startMs, outcome)
  const why = outcome === 'failed' ? problem('server-error', trace.error ?? '', '', '') : null
  return {
    cell,
    wave: 0,
    session: trace.i,
    plannedAtMs: call.sentAtMs,
    submitAtMs: call.sentAtMs,
    acceptedAtMs: null,
    firstActivityAtMs: call.firstDeltaAtMs,
    doneAtMs: outcome === 'completed' ? call.endAtMs : null,
    endAtMs: call.endAtMs,
    outcome,
    problem: why,
    timeline: {
      acceptedAtMs: call.sentAtMs,
      runnerStartAtMs: call.sentAtMs,
      firstModelRequestAtMs: call.sentAtMs,
      firstActivityAtMs: call.firstDeltaAtMs,
      doneAtMs: outcome === 'completed' ? call.endAtMs : null,
      backgroundEndAtMs: call.endAtMs,
      outcome,
      problem: why,
      calls: [call],
      tools: [],
    },
    receiveLagMs: null,
  }
}

/** The client knew what it asked for. */
function variantsOf(traces: readonly Trace[]): Workload['variants'] {
  const variants = new Map(traces.map((trace) => [`${trace.model}/${trace.num_ctx}`, trace]))
  if (variants.size < 2) return []
  return [...variants.values()].map((trace) => ({
    model: trace.model,
    options: Object.fromEntries(trace.num_ctx === null ? [] : [['num_ctx', trace.num_ctx]]),
  }))
}

function opening(cells: readonly Cell[], traces: readonly Trace[]): SweepEvent[] {
  const [first] = traces
  const workload = { promptTokens: 42, outputTokens: 48, memoryNote: false, options: { num_thread: 1 }, variants: variantsOf(traces) }
  const slo = { ttfaMs: 2_000, targetRatio: 0.95, maxErrorRatio: 0.01 }
  const target = { kind: 'server' as const, url: 'http://127.0.0.1:11434', model: first?.model ?? 'mid' }
  const levels = [...new Set(cells.map((cell) => cell.n))]
  const plan: SweepPlan = {
    format: 1,
    sweepId: 'trace' as SweepId,
    request: {
      target,
      levels,
      repeats: 1,
      waves: 1,
      legs: ['direct'],
      workload,
      slo,
      turnDeadlineMs: 120_000,
      seed: 7,
      faults: { runnerBlockMs: 0 },
    },
    workload,
    slo,
    cells: [...cells],
    seed: 7,
    watchdogMs: 600_000,
  }
  const environment = {
    plimsoll: '0.1.0',
    node: 'v20.20.2',
    system: 'Linux',
    cpuModel: 'two cores',
    cores: 2,
    memoryBytes: 8e9,
    gpus: [],
    host: 'test' as const,
  }
  return [{ type: 'sweep-started', atMs: 0, epochMs: 1_760_000_000_000, plan, environment }]
}

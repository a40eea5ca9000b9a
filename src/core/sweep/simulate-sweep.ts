/**
 * Plays a plan in thought, against a server of which slots and service times are known: the same next-cells.ts decides as in a real sweep.
 * Behind the estimate of time and money, and behind the tests of the plan itself.
 */
import type { ModelCall } from '../session/timeline.ts'
import type { CellState } from './fold-sweep.ts'
import { mayStartWave } from './judge-cell.ts'
import { isOpen, spanMsOf } from './load-cells.ts'
import { nextCells } from './next-cells.ts'
import type { Cell, SweepPlan } from './plan.ts'
import type { TurnRow } from './turn-row.ts'

export type ThoughtServer = {
  readonly slots: number
  /** From slot to first token, when `busy` slots are. */
  readonly prefillMs: (busy: number, promptTokens: number) => number
  /** From first to last token of `tokens`, when `busy` slots are. */
  readonly decodeMs: (busy: number, tokens: number) => number
  /** The same turn through nothing but Plimsoll. */
  readonly nullSessionMs: number
  readonly promptTokens: number
  readonly answerTokens: number
  /** 0 = no background work after the answer. */
  readonly noteTokens: number
}

export type SimulatedSweep = {
  readonly cells: readonly CellState[]
  readonly rows: readonly TurnRow[]
  readonly ms: number
  readonly sessions: number
}

/** Connecting, draining and writing, seen on two cores. */
const CELL_OVERHEAD_MS = 250
const WAVE_OVERHEAD_MS = 20
/** A plan that goes on for longer than this is no plan. */
const MOST_CELLS = 2_000

export function simulateSweep(plan: SweepPlan, server: ThoughtServer): SimulatedSweep {
  const cells: CellState[] = plan.cells.map((cell) => stateOf(cell, 'planned', null))
  const rows: TurnRow[] = []
  let nowMs = 0
  let sessions = 0
  for (let played = 0; played < MOST_CELLS; played++) {
    const step = nextCells({ plan, cells, rows, elapsedMs: nowMs })
    for (const { cell, because } of step.skip) patch(cells, cell, { status: 'skipped', because })
    for (const { cell, because, leftOut } of step.add) cells.push(stateOf(cell, leftOut ? 'skipped' : 'planned', because))
    const next = cells.find(({ status }) => status === 'planned')
    if (next === undefined) break
    const startedAtMs = nowMs
    const wavesPlayed = playCell(next.cell, server, nowMs, rows)
    nowMs = wavesPlayed.endMs + CELL_OVERHEAD_MS
    sessions += wavesPlayed.waves * next.cell.n
    patch(cells, next.cell.index, { status: 'done', startedAtMs, endedAtMs: nowMs, wavesStarted: wavesPlayed.waves })
  }
  return { cells, rows, ms: nowMs, sessions }
}

function stateOf(cell: Cell, status: CellState['status'], because: string | null): CellState {
  return { cell, status, startedAtMs: null, endedAtMs: null, wavesStarted: 0, driver: null, drainMs: null, voidReason: null, because }
}

function patch(cells: CellState[], index: number, change: Partial<CellState>): void {
  const at = cells.findIndex(({ cell }) => cell.index === index)
  const cell = cells[at]
  if (cell !== undefined) cells[at] = { ...cell, ...change }
}

function playCell(cell: Cell, server: ThoughtServer, fromMs: number, rows: TurnRow[]): { endMs: number; waves: number } {
  const warmMs = cell.ownWarmUp === undefined ? 0 : Math.min(cell.ownWarmUp.budgetMs, cell.ownWarmUp.waves * cell.n * server.nullSessionMs)
  const startMs = fromMs + warmMs
  const spanMs = spanMsOf(cell)
  if (spanMs !== null) return playSpan(cell, server, startMs, spanMs)
  let nowMs = startMs
  let waves = 0
  let lastWaveMs = 0
  for (; mayStartWave(cell, { waves, elapsedMs: nowMs - startMs, lastWaveMs }); waves++) {
    const wave = playWave(cell, waves, server, nowMs)
    rows.push(...wave)
    const endMs = wave.reduce((last, row) => Math.max(last, row.endAtMs), nowMs) + WAVE_OVERHEAD_MS
    lastWaveMs = endMs - nowMs
    nowMs = endMs
  }
  return { endMs: nowMs, waves }
}

/** As many waves as fit: the turns in flight at the end of the span are let finish. */
function playSpan(cell: Cell, server: ThoughtServer, startMs: number, spanMs: number): { endMs: number; waves: number } {
  const alone = playWave({ ...cell, n: 1, plannedOffsetsMs: [0] }, 0, server, startMs)
  const wave = isOpen(cell) ? alone : playWave(cell, 0, server, startMs)
  const tookMs = Math.max(1, wave.reduce((last, row) => Math.max(last, row.endAtMs), startMs) - startMs)
  return { endMs: startMs + spanMs + tookMs, waves: isOpen(cell) ? 1 : Math.ceil(spanMs / tookMs) }
}

/** First come, first served: answers first, then each session's note. */
function playWave(cell: Cell, wave: number, server: ThoughtServer, startMs: number): TurnRow[] {
  if (cell.leg === 'null') {
    const endMs = startMs + server.nullSessionMs * cell.n
    return Array.from({ length: cell.n }, (_, session) => rowOf(cell, wave, session, startMs, [callOf(startMs, startMs, endMs, 1, 'answer')]))
  }
  const busy = Math.min(cell.n, cell.arm?.slots ?? server.slots)
  const prefillMs = server.prefillMs(busy, cell.arm?.promptTokens ?? server.promptTokens)
  /** Moments from which a slot is free, ascending. */
  const free = Array.from({ length: busy }, () => startMs)
  const serve = (sentAtMs: number, tokens: number, purpose: ModelCall['purpose']): ModelCall => {
    const firstMs = Math.max(sentAtMs, free.shift() ?? startMs) + prefillMs
    const call = callOf(sentAtMs, firstMs, firstMs + server.decodeMs(busy, tokens), tokens, purpose)
    insert(free, call.endAtMs)
    return call
  }
  const answers = Array.from({ length: cell.n }, (_, session) =>
    serve(startMs + (cell.plannedOffsetsMs[session] ?? 0), server.answerTokens, 'answer'),
  )
  const hasNote = cell.leg === 'runner' && server.noteTokens > 0
  return answers.map((answer, session) =>
    rowOf(cell, wave, session, startMs, hasNote ? [answer, serve(answer.endAtMs, server.noteTokens, 'memory')] : [answer]),
  )
}

function insert(ascending: number[], value: number): void {
  let [low, high] = [0, ascending.length]
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((ascending[middle] ?? 0) < value) low = middle + 1
    else high = middle
  }
  ascending.splice(low, 0, value)
}

function rowOf(cell: Cell, wave: number, session: number, startMs: number, calls: readonly ModelCall[]): TurnRow {
  const plannedAtMs = startMs + (cell.plannedOffsetsMs[session] ?? 0)
  const endAtMs = calls.at(-1)?.endAtMs ?? plannedAtMs
  const firstActivityAtMs = calls[0]?.firstDeltaAtMs ?? null
  const doneAtMs = calls[0]?.endAtMs ?? null
  const shared = { firstActivityAtMs, doneAtMs, outcome: 'completed', problem: null } as const
  return {
    ...{ cell: cell.index, wave, session, plannedAtMs, submitAtMs: plannedAtMs, acceptedAtMs: plannedAtMs, endAtMs, receiveLagMs: 0, ...shared },
    timeline: {
      ...{ acceptedAtMs: plannedAtMs, runnerStartAtMs: plannedAtMs, firstModelRequestAtMs: plannedAtMs, backgroundEndAtMs: endAtMs },
      ...{ ...shared, calls: [...calls], tools: [] },
    },
  }
}

function callOf(sentAtMs: number, firstMs: number, endAtMs: number, tokens: number, purpose: ModelCall['purpose']): ModelCall {
  return {
    ...{ index: 0, purpose, model: '', sentAtMs, headersAtMs: firstMs, firstByteAtMs: firstMs, firstDeltaAtMs: firstMs },
    ...{ firstTextAtMs: firstMs, lastDeltaAtMs: endAtMs, endAtMs, endMarker: true, outcome: 'completed', httpStatus: 200, problem: null },
    ...{ promptTokens: null, outputTokens: tokens, tokensEstimated: false, server: null, maxChunksPerRead: 1, resent: false },
  }
}

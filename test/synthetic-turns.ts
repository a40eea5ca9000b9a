/** Plays one cell of a synthetic sweep: waves of turns through a runner whose loop may block, on the simulated server. */
import { type Problem, problem } from '../src/core/result/problem.ts'
import type { CallPurpose, ModelCall, ToolSpan, TurnTimeline } from '../src/core/session/timeline.ts'
import type { Cell } from '../src/core/sweep/plan.ts'
import type { SweepEvent } from '../src/core/sweep/sweep-event.ts'
import type { TurnRow } from '../src/core/sweep/turn-row.ts'
import { type Arrival, type Served, type ServerModel, simulateServer } from './synthetic-server.ts'
import type { SyntheticFaults } from './synthetic-sweep.ts'

export type CallTruth = {
  readonly cell: number
  readonly wave: number
  readonly session: number
  readonly call: number
  readonly queueMs: number
  readonly swapMs: number
  readonly slotAtMs: number | null
}

export type CellToPlay = {
  readonly cell: Cell
  readonly startMs: number
  readonly server: ServerModel
  readonly outputTokens: number
  readonly promptTokens?: number
  readonly runnerMs: number
  readonly swapEvery: number
  readonly swapByModel: boolean
  readonly background: { readonly calls: number; readonly tokens: number }
  readonly steps: { readonly calls: number; readonly toolMs: number }
  readonly faults: SyntheticFaults
  readonly serverTimes: boolean
  readonly noiseRatio: number
  readonly model: string
  readonly random: () => number
}

type Start = {
  session: number
  plannedAtMs: number
  submitAtMs: number
  acceptedAtMs: number
  runnerStartAtMs: number
  firstModelRequestAtMs: number
  variant: number
}
type Block = { readonly fromMs: number; readonly toMs: number }

const refused = problem('server-error', 'The model server answered 500.', 'A streamed answer.', 'Look at its log.')

const late = problem('turn-deadline', 'The turn did not end before its deadline.', '', '')

export function playCell(play: CellToPlay): { events: SweepEvent[]; truth: CallTruth[]; endMs: number } {
  const { cell } = play
  const events: SweepEvent[] = [{ type: 'cell-started', atMs: play.startMs, cell: cell.index }]
  const truth: CallTruth[] = []
  let nowMs = play.startMs + 1
  for (let wave = 0; wave < cell.waves; wave += 1) {
    events.push({ type: 'wave-started', atMs: nowMs, cell: cell.index, wave })
    const { rows, log } = playWave(play, wave, nowMs + 1)
    truth.push(...log)
    for (const row of rows.sort((a, b) => a.endAtMs - b.endAtMs)) events.push({ type: 'turn-ended', atMs: row.endAtMs, row })
    nowMs = Math.max(nowMs, ...rows.map((row) => row.endAtMs)) + 5
  }
  return { events, truth, endMs: nowMs }
}

function playWave(play: CellToPlay, wave: number, startMs: number): { rows: TurnRow[]; log: CallTruth[] } {
  const { cell, faults, random } = play
  const { starts, blocks } = startTurns(play, startMs)
  // Starts that wait in line block one after another, before anything else is read or written.
  const freeAtMs = blocks.at(-1)?.toMs ?? 0
  const afterBlock = (atMs: number) => (blocks[0] !== undefined && atMs > blocks[0].fromMs ? Math.max(atMs, freeAtMs) : atMs)
  const purposes: CallPurpose[] = [
    ...Array.from({ length: play.steps.calls }, (): CallPurpose => 'answer'),
    ...Array.from({ length: play.background.calls }, (_, i): CallPurpose => (i === 0 ? 'title' : 'memory')),
  ]
  const failing = (session: number) => faults.failEvery !== undefined && (session + 1) % faults.failEvery === 0
  const cutting = (session: number) => faults.cutEvery !== undefined && (session + 1) % faults.cutEvery === 0
  const arrival = (session: number, call: number, sentAtMs: number, variant: number): Arrival => ({
    id: session * 64 + call,
    // What was written while the loop was blocked leaves when it is free again.
    atMs: afterBlock(sentAtMs) + 0.1,
    variant,
    tokens: tokensOf(session, call),
    scale: 1 + (random() - 0.5) * 2 * play.noiseRatio,
    leaveAtMs: leaveAtMs(session, call, sentAtMs),
  })
  const leaveAtMs = (session: number, call: number, sentAtMs: number) => {
    if (call === 0 && cutting(session)) return sentAtMs + (faults.cutAfterMs ?? 100)
    const planned = starts[session]?.plannedAtMs ?? sentAtMs
    return faults.deadlineMs === undefined ? null : Math.max(sentAtMs, planned + faults.deadlineMs)
  }
  const tokensOf = (session: number, call: number) => {
    if (purposes[call] !== 'answer') return play.background.tokens
    const place = wave * cell.n + session + 1
    return faults.runawayEvery !== undefined && place % faults.runawayEvery === 0 ? (faults.runawayTokens ?? 500) : play.outputTokens
  }
  /** A pool of connections: the others leave when one before them has ended. */
  const held = faults.poolLimit === undefined ? [] : starts.splice(faults.poolLimit)
  const gapMs = (call: number) => (purposes[call] === 'answer' && purposes[call + 1] === 'answer' ? play.steps.toolMs + 0.2 : 0.3)
  const all = [...starts, ...held]
  const served = simulateServer(
    play.server,
    starts.filter((start) => !failing(start.session)).map((start) => arrival(start.session, 0, start.firstModelRequestAtMs, start.variant)),
    ({ arrival: done, endAtMs, left }) => {
      const call = (done.id % 64) + 1
      if (!left && call < purposes.length) {
        return [arrival(Math.floor(done.id / 64), call, afterBlock(endAtMs + 0.1) + gapMs(call - 1), done.variant)]
      }
      const next = held.shift()
      if (next === undefined) return []
      next.firstModelRequestAtMs = endAtMs + 1
      return [arrival(next.session, 0, next.firstModelRequestAtMs, next.variant)]
    },
  )
  const bySession = new Map<number, Served[]>()
  for (const one of served) {
    const session = Math.floor(one.arrival.id / 64)
    bySession.set(session, [...(bySession.get(session) ?? []), one])
  }
  const rows = all.map((start) => {
    const calls = (bySession.get(start.session) ?? []).map((one, index) => {
      const sentAtMs = index === 0 ? start.firstModelRequestAtMs : one.arrival.atMs - 0.1
      return modelCallOf(play, one, index, sentAtMs, purposes[index] ?? 'answer', afterBlock)
    })
    if (failing(start.session)) calls.push(failedCall(play, start.firstModelRequestAtMs))
    if (faults.deadlineMs !== undefined) for (const call of calls) if (call.outcome === 'cut') call.outcome = 'failed'
    return rowOf(play, wave, start, calls, afterBlock)
  })
  const log = served.map((one) => ({
    cell: cell.index,
    wave,
    session: Math.floor(one.arrival.id / 64),
    call: one.arrival.id % 64,
    queueMs: one.queueMs,
    swapMs: one.loadMs,
    slotAtMs: one.slotAtMs,
  }))
  return { rows, log }
}

function startTurns(play: CellToPlay, startMs: number): { starts: Start[]; blocks: Block[] } {
  const { cell, faults, random } = play
  const starts: Start[] = []
  const blocks: Block[] = []
  let freeAtMs = 0
  for (let session = 0; session < cell.n; session += 1) {
    const plannedAtMs = startMs + (cell.plannedOffsetsMs[session] ?? 0)
    const submitAtMs = plannedAtMs + 0.02 + 0.05 * random() + session * (faults.driverLagMs ?? 0)
    const variant = play.swapEvery > 0 && (session + 1) % play.swapEvery === 0 ? 1 : 0
    if (cell.leg === 'direct') {
      starts.push({
        session,
        plannedAtMs,
        submitAtMs,
        acceptedAtMs: submitAtMs,
        runnerStartAtMs: submitAtMs,
        firstModelRequestAtMs: submitAtMs,
        variant,
      })
      continue
    }
    const acceptedAtMs = Math.max(submitAtMs + 0.3, freeAtMs)
    const runnerStartAtMs = acceptedAtMs + 0.05
    const blockMs = faults.runnerBlockMs ?? 0
    if (blockMs > 0) {
      freeAtMs = runnerStartAtMs + blockMs
      blocks.push({ fromMs: runnerStartAtMs, toMs: freeAtMs })
    }
    const firstModelRequestAtMs = runnerStartAtMs + blockMs + play.runnerMs * (1 + (random() - 0.5) * play.noiseRatio)
    starts.push({ session, plannedAtMs, submitAtMs, acceptedAtMs, runnerStartAtMs, firstModelRequestAtMs, variant })
  }
  return { starts, blocks }
}

function modelCallOf(
  play: CellToPlay,
  one: Served,
  index: number,
  sentAtMs: number,
  purpose: CallPurpose,
  afterBlock: (atMs: number) => number,
): ModelCall {
  const receive = (atMs: number) => afterBlock(atMs + 0.1 + 0.3 * play.random())
  const first = one.firstTokenAtMs === null ? null : receive(one.firstTokenAtMs)
  const last = first === null || one.lastTokenAtMs === null ? null : Math.max(first, receive(one.lastTokenAtMs))
  const ns = (ms: number) => Math.round(ms * 1e6)
  const done = !one.left && one.firstTokenAtMs !== null && one.lastTokenAtMs !== null && one.slotAtMs !== null
  return {
    index,
    purpose,
    model: play.swapByModel && one.arrival.variant === 1 ? `${play.model}-b` : play.model,
    sentAtMs,
    headersAtMs: first,
    firstByteAtMs: first,
    firstDeltaAtMs: first,
    firstTextAtMs: first,
    lastDeltaAtMs: last,
    endAtMs: Math.max(last ?? 0, one.endAtMs + 0.2),
    endMarker: done,
    outcome: one.left ? 'cut' : 'completed',
    httpStatus: first === null ? null : 200,
    problem: null,
    promptTokens: done ? (play.promptTokens ?? 64) : null,
    outputTokens: first === null ? null : one.tokens,
    tokensEstimated: !done,
    server:
      done && play.serverTimes
        ? {
            totalNs: ns(one.endAtMs - one.arrival.atMs),
            loadNs: ns(one.loadMs + (play.cell.leg === 'null' ? 0 : 1.5)),
            promptEvalNs: ns(one.prefillMs ?? 0),
            evalNs: ns((one.lastTokenAtMs ?? 0) - (one.firstTokenAtMs ?? 0)),
          }
        : null,
    maxChunksPerRead: 1,
    resent: false,
  }
}

function failedCall(play: CellToPlay, sentAtMs: number): ModelCall {
  return {
    index: 0,
    purpose: 'answer',
    model: play.model,
    sentAtMs,
    headersAtMs: sentAtMs + 2,
    firstByteAtMs: sentAtMs + 2,
    firstDeltaAtMs: null,
    firstTextAtMs: null,
    lastDeltaAtMs: null,
    endAtMs: sentAtMs + 2.2,
    endMarker: false,
    outcome: 'failed',
    httpStatus: 500,
    problem: refused,
    promptTokens: null,
    outputTokens: null,
    tokensEstimated: false,
    server: null,
    maxChunksPerRead: 0,
    resent: false,
  }
}

function rowOf(play: CellToPlay, wave: number, start: Start, calls: readonly ModelCall[], afterBlock: (atMs: number) => number): TurnRow {
  const { cell, random } = play
  const isDirect = cell.leg === 'direct'
  const answers = calls.filter((call) => call.purpose === 'answer')
  const outcome = calls.find((call) => call.outcome !== 'completed')?.outcome ?? 'completed'
  const why: Problem | null = outcome !== 'failed' ? null : play.faults.deadlineMs === undefined ? refused : late
  const firstDelta = answers[0]?.firstDeltaAtMs ?? null
  const doneAtMs = outcome === 'completed' ? (answers.at(-1)?.endAtMs ?? null) : null
  const endAtMs = (calls.at(-1)?.endAtMs ?? start.firstModelRequestAtMs) + (calls.length > answers.length ? 0.2 : 0)
  const tools = answers.slice(1).map(
    (call, index): ToolSpan => ({
      name: 'search',
      startAtMs: (answers[index]?.endAtMs ?? 0) + 0.05,
      endAtMs: call.sentAtMs - 0.05,
      ok: true,
      summary: '3 hits in src/',
    }),
  )
  const timeline: TurnTimeline = {
    acceptedAtMs: start.acceptedAtMs,
    runnerStartAtMs: start.runnerStartAtMs,
    firstModelRequestAtMs: start.firstModelRequestAtMs,
    firstActivityAtMs: firstDelta,
    doneAtMs,
    backgroundEndAtMs: endAtMs,
    outcome,
    problem: why,
    calls: [...calls],
    tools,
  }
  const receive = (atMs: number | null) => (atMs === null || isDirect ? atMs : afterBlock(atMs + 0.1 + 0.2 * random()))
  return {
    cell: cell.index,
    wave,
    session: start.session,
    plannedAtMs: start.plannedAtMs,
    submitAtMs: start.submitAtMs,
    acceptedAtMs: isDirect ? null : start.acceptedAtMs + 0.2,
    firstActivityAtMs: receive(firstDelta),
    doneAtMs: receive(doneAtMs),
    endAtMs: Math.max(receive(endAtMs) ?? endAtMs, receive(doneAtMs) ?? 0),
    outcome,
    problem: why,
    timeline,
    receiveLagMs: isDirect ? null : 0.3 + 0.2 * random(),
  }
}

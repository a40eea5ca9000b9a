/** Whole sweeps that find their levels themselves, in memory: next-cells.ts decides, the simulated server of synthetic-server.ts plays, with jitter. */
import { createSweepFold, type SweepState } from '../src/core/sweep/fold-sweep.ts'
import { mayStartWave } from '../src/core/sweep/judge-cell.ts'
import { nextCells } from '../src/core/sweep/next-cells.ts'
import type { Cell, SweepPlan } from '../src/core/sweep/plan.ts'
import { createSeededRandom } from '../src/core/sweep/seeded-random.ts'
import type { SweepEvent } from '../src/core/sweep/sweep-event.ts'
import { syntheticEnvironment, syntheticFacts } from './synthetic-sweep.ts'
import { playCell } from './synthetic-turns.ts'

export type PlayedServer = {
  readonly slots: number
  readonly prefillMs: (prefilling: number) => number
  readonly tokenMs: (active: number) => number
}

const CELL_OVERHEAD_MS = 200
const NOTE_TOKENS = 16

/** @returns the ended sweep; `lastAtMs` is the time it took */
export function playModeSweep(plan: SweepPlan, server: PlayedServer, seed: number): SweepState {
  const fold = createSweepFold()
  const emit = (...events: SweepEvent[]) => {
    for (const event of events) fold.apply(event)
  }
  const random = createSeededRandom(`modes/${seed}`).next
  emit(
    { type: 'sweep-started', atMs: 0, epochMs: 1_760_000_000_000, plan, environment: syntheticEnvironment() },
    { type: 'server-read', atMs: 20, facts: { ...syntheticFacts({ slots: server.slots }), declaredSlots: null, declaredSlotsSource: null } },
  )
  let nowMs = 100
  for (;;) {
    const state = fold.state()
    if (state === undefined) throw new Error('The sweep never began.')
    const step = nextCells({ ...state, elapsedMs: nowMs })
    emit(...step.skip.map(({ cell, because }): SweepEvent => ({ type: 'cell-skipped', atMs: nowMs, cell, because })))
    for (const { cell, because, leftOut } of step.add) {
      emit({ type: 'cell-added', atMs: nowMs, cell, because })
      if (leftOut) emit({ type: 'cell-skipped', atMs: nowMs, cell: cell.index, because })
    }
    const next = fold.state()?.cells.find(({ status }) => status === 'planned')?.cell
    if (next === undefined) break
    nowMs = playWaves(plan, next, server, nowMs, random, emit) + CELL_OVERHEAD_MS
  }
  emit({ type: 'sweep-ended', atMs: nowMs, outcome: 'completed', problem: null })
  const ended = fold.state()
  if (ended === undefined) throw new Error('The sweep never began.')
  return ended
}

function playWaves(
  plan: SweepPlan,
  cell: Cell,
  server: PlayedServer,
  startMs: number,
  random: () => number,
  emit: (...events: SweepEvent[]) => void,
): number {
  emit({ type: 'cell-started', atMs: startMs, cell: cell.index })
  const fromMs = startMs + (cell.ownWarmUp?.budgetMs ?? 0)
  let nowMs = fromMs
  let lastWaveMs = 0
  for (let wave = 0; mayStartWave(cell, { waves: wave, elapsedMs: nowMs - fromMs, lastWaveMs }); wave++) {
    const played = playCell({
      cell: { ...cell, waves: 1 },
      startMs: nowMs,
      server:
        cell.leg === 'null'
          ? { slots: 1e9, prefillMs: () => 0.3, tokenMs: () => 0.05, loadMs: 0 }
          : { ...server, slots: cell.arm?.slots ?? server.slots, loadMs: 300 },
      outputTokens: plan.workload.outputTokens,
      runnerMs: 1.5,
      swapEvery: 0,
      swapByModel: false,
      background: cell.leg === 'runner' && plan.workload.memoryNote ? { calls: 1, tokens: NOTE_TOKENS } : { calls: 0, tokens: 0 },
      steps: { calls: 1, toolMs: 0 },
      faults: {},
      serverTimes: true,
      noiseRatio: 0.02,
      model: 'synthetic',
      random,
    })
    for (const event of played.events) {
      if (event.type === 'wave-started') emit({ ...event, wave })
      if (event.type === 'turn-ended') emit({ ...event, row: { ...event.row, wave } })
    }
    lastWaveMs = played.endMs - nowMs
    nowMs = played.endMs
  }
  const driver = { lagP50Ms: 0.1, lagP99Ms: 0.4, loopDelayP99Ms: 1.2, cpuPercent: 5, maxInFlight: cell.n }
  emit({ type: 'cell-ended', atMs: nowMs, cell: cell.index, driver, drainMs: 5 })
  return nowMs
}

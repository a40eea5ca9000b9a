/**
 * Whole sweeps with a known truth, seeded, without a server: for tests of analysis, report and page.
 * `syntheticSweep(settings)` gives the events; `syntheticSweepWithTruth` also the simulator's own log of each model call.
 */
import type { SweepId } from '../src/core/result/ids.ts'
import { problem } from '../src/core/result/problem.ts'
import type { Cell, Leg, Slo, SweepPlan } from '../src/core/sweep/plan.ts'
import { createSeededRandom } from '../src/core/sweep/seeded-random.ts'
import type { Environment, SweepEvent } from '../src/core/sweep/sweep-event.ts'
import type { ServerFacts } from '../src/core/sweep/target.ts'
import { syntheticSamples } from './synthetic-samples.ts'
import { type CallTruth, playCell } from './synthetic-turns.ts'

export type SyntheticSettings = {
  slots: number
  levels: readonly number[]
  repeats?: number
  waves?: number
  prefillMs: number | ((prefilling: number) => number)
  tokenMs: number | ((active: number) => number)
  outputTokens: number
  /** From admission to the first model request; a function of the level where it grows. */
  runnerMs?: number | ((n: number) => number)
  /** Each k-th session asks for another variant of the model (`swapBy`): swaps come in. */
  loadSwapEvery?: number
  swapBy?: 'model' | 'num_ctx'
  loadMs?: number
  /** Background calls after the answer, one after another. */
  background?: { calls: number; tokens: number }
  /** Model calls of the answer, with a tool between two of them. */
  steps?: { calls: number; toolMs: number | ((n: number) => number) }
  /** Prompts are read one after the other, by a server that tells of each only its own time. */
  serialPrefill?: boolean
  /** Slots by the place of the cell in the plan, for a server that changes under the sweep. */
  slotsOfCell?: (index: number) => number
  /** Interventions at the end of the plan. `slots` is what the server then has, `promptTokens` stretches its prefill. */
  arms?: readonly { n: number; slots?: number; promptTokens?: number }[]
  legs?: readonly Leg[]
  slo?: Partial<Slo>
  faults?: SyntheticFaults
  facts?: Partial<ServerFacts>
  /** False: the server tells no durations. */
  serverTimes?: boolean
  cores?: number
  /** Of one core, as a function of the answers in flight. */
  serverCpuPercent?: (active: number) => number
  gpuUtilPercent?: (active: number) => number
  /** 0 = no samples. */
  samplesPerSec?: number
  /** Jitter of stamps and service times as a share; 0 = none. */
  noiseRatio?: number
  closing?: boolean
  /** Stops after this many cells as if by Ctrl-C, or as if main had died. */
  endAfterCells?: number
  outcome?: 'completed' | 'cancelled' | 'failed' | 'interrupted'
  seed: number
}

export type SyntheticFaults = {
  /** The runner's loop is blocked this long at each start. */
  runnerBlockMs?: number
  /** Each k-th session's first call is answered 500. */
  failEvery?: number
  /** Each k-th session is cut by us `cutAfterMs` after its first request. */
  cutEvery?: number
  cutAfterMs?: number
  /** The driver submits session i this much later per session before it. */
  driverLagMs?: number
  /** The driver carries at most this many turns at once (reported; the turns themselves are not held back). */
  driverMaxInFlight?: number
  /** So many requests leave at once; each further one when another has ended. */
  poolLimit?: number | undefined
  /** A turn that has not ended by then has failed by our own deadline. */
  deadlineMs?: number
  /** Each k-th answer of a wave runs on to `runawayTokens`. */
  runawayEvery?: number
  runawayTokens?: number
  /** Service times have grown by this ratio by the last cell. */
  driftRatio?: number
  /** These cells are void. */
  voidCells?: readonly number[]
}

const PROMPT_TOKENS = 64

const asFunction = (value: number | ((x: number) => number)) => (typeof value === 'number' ? () => value : value)

export function syntheticSweep(settings: SyntheticSettings): SweepEvent[] {
  return syntheticSweepWithTruth(settings).events
}

export function syntheticSweepWithTruth(settings: SyntheticSettings): { events: SweepEvent[]; truth: CallTruth[] } {
  const random = createSeededRandom(`synthetic/${settings.seed}`).next
  const plan = syntheticPlan(settings, random)
  const facts = syntheticFacts(settings)
  const environment = syntheticEnvironment(settings)
  const events: SweepEvent[] = [
    { type: 'sweep-started', atMs: 0, epochMs: 1_760_000_000_000, plan, environment },
    { type: 'server-read', atMs: 20, facts },
  ]
  const truth: CallTruth[] = []
  const faults = settings.faults ?? {}
  let nowMs = 100
  for (const cell of plan.cells.slice(0, settings.endAfterCells ?? plan.cells.length)) {
    const drift = 1 + (faults.driftRatio ?? 0) * (cell.index / Math.max(1, plan.cells.length - 1))
    const runnerMs = asFunction(settings.runnerMs ?? 2)(cell.n)
    const arm = cell.arm ?? null
    const stretch = (arm?.promptTokens ?? PROMPT_TOKENS) / PROMPT_TOKENS
    const slots = arm?.slots ?? settings.slotsOfCell?.(cell.index) ?? settings.slots
    const prefillMs = asFunction(settings.prefillMs)
    const tokenMs = asFunction(settings.tokenMs)
    const played = playCell({
      cell,
      startMs: nowMs,
      server:
        cell.leg === 'null'
          ? { slots: 1e9, prefillMs: () => 0.3, tokenMs: () => 0.05, loadMs: 0 }
          : {
              slots,
              prefillMs: (k) => drift * stretch * prefillMs(k),
              tokenMs: (k) => drift * tokenMs(k),
              loadMs: settings.loadMs ?? 300,
              serialPrefill: settings.serialPrefill ?? false,
            },
      promptTokens: PROMPT_TOKENS * stretch,
      outputTokens: settings.outputTokens,
      runnerMs,
      swapEvery: cell.leg === 'null' || cell.role !== 'measure' ? 0 : (settings.loadSwapEvery ?? 0),
      swapByModel: settings.swapBy === 'model',
      background: cell.leg === 'runner' ? (settings.background ?? { calls: 0, tokens: 0 }) : { calls: 0, tokens: 0 },
      steps:
        cell.leg === 'runner'
          ? { calls: settings.steps?.calls ?? 1, toolMs: asFunction(settings.steps?.toolMs ?? 0)(cell.n) }
          : { calls: 1, toolMs: 0 },
      // A pool of the runner's own holds nothing back without the runner.
      faults: cell.leg === 'direct' ? { ...faults, poolLimit: undefined } : faults,
      serverTimes: settings.serverTimes ?? true,
      noiseRatio: settings.noiseRatio ?? 0.01,
      model: facts.model,
      random,
    })
    events.push(...played.events)
    truth.push(...played.truth)
    nowMs = played.endMs + 5
    const lag = (cell.n - 1) * (faults.driverLagMs ?? 0)
    const driver = {
      lagP50Ms: 0.1 + lag / 2,
      lagP99Ms: 0.4 + lag,
      loopDelayP99Ms: 1.2,
      cpuPercent: 3 + cell.n / 10,
      maxInFlight: Math.min(cell.n, faults.driverMaxInFlight ?? cell.n),
    }
    if (faults.voidCells?.includes(cell.index) === true) {
      const reason = problem('model-reloaded', 'The model was loaded again in mid-cell.', 'The model stays loaded.', 'The cell is run again.')
      events.push({ type: 'cell-void', atMs: nowMs, cell: cell.index, reason })
    } else events.push({ type: 'cell-ended', atMs: nowMs, cell: cell.index, driver, drainMs: 5 })
    nowMs += 50
  }
  const stopped = settings.endAfterCells !== undefined && settings.endAfterCells < plan.cells.length
  events.push({ type: 'sweep-ended', atMs: nowMs, outcome: settings.outcome ?? (stopped ? 'cancelled' : 'completed'), problem: null })
  const samples = syntheticSamples(events, settings, nowMs)
  events.push(...samples)
  const order = new Map(events.map((event, index) => [event, index]))
  events.sort((a, b) => a.atMs - b.atMs || (order.get(a) ?? 0) - (order.get(b) ?? 0))
  return { events, truth }
}

export function syntheticEnvironment({ cores, gpuUtilPercent }: Pick<SyntheticSettings, 'cores' | 'gpuUtilPercent'> = {}): Environment {
  return {
    plimsoll: '0.1.0',
    node: 'v20.20.2',
    system: 'Linux 6.1 x64',
    cpuModel: 'Synthetic CPU',
    cores: cores ?? 8,
    memoryBytes: 16 * 2 ** 30,
    gpus: gpuUtilPercent === undefined ? [] : ['Synthetic GPU'],
    host: 'test',
  }
}

function syntheticPlan(settings: SyntheticSettings, random: () => number): SweepPlan {
  const legs = settings.legs ?? ['runner']
  const [firstLeg] = legs
  const cells: Cell[] = []
  const add = (leg: Leg, n: number, repeat: number, waves: number, role: Cell['role'], arm?: Cell['arm']) =>
    cells.push({
      ...(arm === undefined ? {} : { arm }),
      index: cells.length,
      leg,
      n,
      repeat,
      waves,
      role,
      plannedOffsetsMs: Array.from({ length: n }, (_, i) => i * Math.min(0.1, 50 / n)),
    })
  if (firstLeg !== undefined) add(firstLeg, 1, 1, 1, 'warm-up')
  for (let repeat = 1; repeat <= (settings.repeats ?? 1); repeat += 1) {
    for (const leg of legs) {
      const order = settings.levels.map((n) => ({ n, key: repeat === 1 ? n : random() })).sort((a, b) => a.key - b.key)
      for (const { n } of order) add(leg, n, repeat, settings.waves ?? 2, 'measure')
    }
  }
  for (const { n, slots, promptTokens } of settings.arms ?? []) {
    add('runner', n, 1, settings.waves ?? 2, 'measure', { slots: slots ?? null, promptTokens: promptTokens ?? null })
  }
  if ((settings.closing ?? true) && firstLeg !== undefined && settings.levels.includes(1)) add(firstLeg, 1, 1, settings.waves ?? 2, 'closing')
  const options = { temperature: 0, seed: 7, num_ctx: 1024 }
  const model = 'synthetic'
  const other = settings.swapBy === 'model' ? { model: 'synthetic-b', options } : { model, options: { ...options, num_ctx: 2048 } }
  const workload = {
    promptTokens: PROMPT_TOKENS,
    outputTokens: settings.outputTokens,
    memoryNote: (settings.background?.calls ?? 0) > 0,
    options,
    variants: settings.loadSwapEvery === undefined ? [] : [...Array.from({ length: settings.loadSwapEvery - 1 }, () => ({ model, options })), other],
  }
  const slo = { ttfaMs: 2_000, targetRatio: 0.95, maxErrorRatio: 0.05, ...settings.slo }
  return {
    format: 1,
    sweepId: `synthetic-${settings.seed}` as SweepId,
    request: {
      target: { kind: 'built-in', engine: 'simulated', model, slots: settings.slots, settings: {} },
      levels: [...settings.levels],
      repeats: settings.repeats ?? 1,
      waves: settings.waves ?? 2,
      legs: [...legs],
      workload,
      slo,
      turnDeadlineMs: 120_000,
      seed: settings.seed,
      faults: { runnerBlockMs: settings.faults?.runnerBlockMs ?? 0 },
    },
    workload,
    slo,
    cells,
    seed: settings.seed,
    watchdogMs: 600_000,
  }
}

export function syntheticFacts(settings: Pick<SyntheticSettings, 'slots' | 'facts'>): ServerFacts {
  return {
    kind: 'plimsoll',
    url: 'http://127.0.0.1:11500',
    version: '0.1.0',
    versionKnown: true,
    simulated: true,
    engine: 'simulated',
    model: 'synthetic',
    modelSizeBytes: 27_500_000,
    quantization: 'Q8_0',
    family: 'llama',
    contextTokens: 1024,
    vramBytes: null,
    declaredSlots: settings.slots,
    declaredSlotsSource: '/plimsoll/info',
    supportsTools: true,
    pid: 4242,
    ...settings.facts,
  }
}

/**
 * From a request to the complete plan: cells, their order, the moment of every submit, the seed of every prompt. Pure: the same request and id give the same plan.
 * Order: warm-up (M4) → each repeat with its levels shuffled (M5) → null leg → N=1 again (M5).
 * Where the sweep is to find its levels itself, the plan holds the warm-up and N=1; next-cells.ts goes on from there.
 */
import type { SweepId } from '../result/ids.ts'
import { openDrafts, SUSTAINED_LEVELS, spanMsOf, withLoad } from './load-cells.ts'
import { findsLevels, MODES, modeOf, QUICK_ENDS_MS, repeatsOf } from './modes.ts'
import type { Cell, Leg, Slo, SweepPlan, SweepRequest, Workload } from './plan.ts'
import { createSeededRandom } from './seeded-random.ts'
import { workloadDefaults } from './workloads.ts'

/** Small enough that the built-in model ends a standard sweep within a minute on two cores. */
export const DEFAULT_WORKLOAD: Workload = {
  promptTokens: 60,
  outputTokens: 48,
  memoryNote: true,
  options: { temperature: 0 },
  variants: [],
}

export const DEFAULT_SLO: Slo = { ttfaMs: 2_000, targetRatio: 0.95, maxErrorRatio: 0.01 }

/** Gap between two submits of a burst, and the longest that a burst may take all in all (M1b). */
const BURST_GAP_MS = 0.1
const BURST_SPAN_MS = 50

/** Samples without which a p50 or p95 is not shown (M8). */
export const P50_SAMPLES = 6
const P95_SAMPLES = 59

/** Time in which waves beyond the necessary ones may be run, all measured cells together: so much a repeat, up to the most; and the least that one cell gets. */
const EXTRA_WAVES_MS = { perRepeat: 18_000, most: 36_000 }
const MIN_CELL_BUDGET_MS = 1_200
const WARM_UP = { maxN: 2, waves: 6, budgetMs: 1_500 }
/** After so many turns Node's compiler has seen all of our hot code; a busy machine gets fewer in the time. */
const OWN_WARM_UP = { turns: 2_000, budgetMs: 3_000 }
/** With those of the beginning they are the six of a p50. */
const QUICK_CLOSING_WAVES = 2
const NULL_SESSIONS = { sessions: P95_SAMPLES, maxWaves: 20, budgetMs: 3_000 }

/** Beyond its turns a cell may take this for connecting, draining and a restart of the driver. */
const CELL_OVERHEAD_MS = 30_000
/** A few waves that run into their deadline are what a hopeless level looks like. */
const WATCHDOG_DEADLINES = 5

/** Without moments of its own a cell's sessions come as a burst. */
export type CellDraft = Omit<Cell, 'index' | 'plannedOffsetsMs'> & { plannedOffsetsMs?: number[] }

export function planSweep(request: SweepRequest, { sweepId }: { sweepId: SweepId }): SweepPlan {
  const workload: Workload = { ...DEFAULT_WORKLOAD, ...workloadDefaults(request.workload.kind), ...request.workload }
  const slo: Slo = { ...DEFAULT_SLO, ...request.slo }
  const drafts = draftsOf(request)
  for (const leg of OWN_COST_LEGS) warmOwnCode(drafts.find((draft) => draft.leg === leg && draft.role === 'measure'))
  const cells = drafts.map((draft, index) => cellOf(request, draft, index))
  return { format: 1, sweepId, request, workload, slo, cells, seed: request.seed, watchdogMs: watchdogMs(request, cells) }
}

function draftsOf(request: SweepRequest): CellDraft[] {
  const { load } = request
  if (load?.kind === 'open') {
    const perSecond = [Math.min(64, Math.ceil(Math.max(...load.ratesPerSec)))]
    return [warmUp(request, [1]), ...openCells(request, load), ...nullLeg(request, perSecond)]
  }
  if (findsLevels(request)) return [warmUp(request, modeOf(request) === 'quick' ? [1] : [1, 2]), firstRung(request)]
  const given = request.levels.length === 0 ? SUSTAINED_LEVELS : request.levels
  const levels = [...new Set(given)].sort((a, b) => a - b)
  return [warmUp(request, levels), ...measured(request, levels), ...nullLeg(request, levels), ...closing(request, levels)]
}

function openCells(request: SweepRequest, load: Extract<SweepRequest['load'], { kind: 'open' }>): CellDraft[] {
  const random = createSeededRandom(`order/${request.seed}`)
  return Array.from({ length: repeatsOf(request) }, (_, i) => random.shuffle(openDrafts(request, load, sweptLegs(request), i + 1))).flat()
}

/** The one place where a cell gets its load, its number and its moments, planned and added ones alike. */
export function cellOf(request: SweepRequest, draft: CellDraft, index: number): Cell {
  return { ...withLoad(draft, request), index, plannedOffsetsMs: draft.plannedOffsetsMs ?? burstOffsetsMs(draft.n) }
}

/** Those whose figures are about Plimsoll itself: a few milliseconds, several times as many while its code is not compiled yet. */
const OWN_COST_LEGS: readonly Leg[] = ['direct', 'null']

export function warmOwnCode(first: CellDraft | undefined): void {
  if (first !== undefined) first.ownWarmUp = { waves: Math.ceil(OWN_WARM_UP.turns / first.n), budgetMs: OWN_WARM_UP.budgetMs }
}

/** M1b: planned moments of n submits, from the beginning of the wave. */
export function burstOffsetsMs(n: number): number[] {
  const gapMs = Math.min(BURST_GAP_MS, BURST_SPAN_MS / n)
  return Array.from({ length: n }, (_, i) => i * gapMs)
}

/** The legs whose levels are swept; the null leg only checks Plimsoll at the largest one, unless it is all that is asked for. */
export function sweptLegs(request: SweepRequest): Leg[] {
  const legs = [...new Set(request.legs)].filter((leg) => leg !== 'null')
  return legs.length === 0 ? ['null'] : legs
}

export function warmUp(request: SweepRequest, levels: readonly number[]): CellDraft {
  // Each variant of a mix is touched once.
  const n = Math.max(
    Math.min(WARM_UP.maxN, levels.at(-1) ?? 1),
    Math.min(request.workload.variants?.length ?? 0, findsLevels(request) ? 64 : (levels.at(-1) ?? 1)),
  )
  const leg = sweptLegs(request)[0] ?? 'runner'
  return { leg, n, repeat: 1, waves: WARM_UP.waves, minWaves: 1, budgetMs: WARM_UP.budgetMs, role: 'warm-up' }
}

/** Where the sweep finds its levels itself, it begins with one session alone. */
function firstRung(request: SweepRequest): CellDraft {
  const leg = sweptLegs(request)[0] ?? 'runner'
  const minWaves = modeOf(request) === 'quick' ? 1 : Math.ceil(P50_SAMPLES / repeatsOf(request))
  return { leg, n: 1, repeat: 1, ...rungWaves(request, 1, minWaves), role: 'measure' }
}

/** @param minWaves what is affordable of the six sessions that a p50 needs */
export function rungWaves(request: SweepRequest, n: number, minWaves: number): Pick<Cell, 'waves' | 'minWaves' | 'budgetMs'> {
  if (request.waves !== null) return { waves: request.waves, minWaves: request.waves, budgetMs: null }
  const waves = Math.max(minWaves, Math.ceil(P95_SAMPLES / (n * repeatsOf(request))))
  return { waves, minWaves, budgetMs: MODES[modeOf(request) ?? 'standard'].extraWavesMs }
}

function measured(request: SweepRequest, levels: readonly number[]): CellDraft[] {
  const legs = sweptLegs(request)
  const budgetMs = cellBudgetMs(request, levels)
  const random = createSeededRandom(`order/${request.seed}`)
  return Array.from({ length: repeatsOf(request) }, (_, i) => {
    const cells = legs.flatMap((leg) => levels.map((n): CellDraft => ({ leg, n, repeat: i + 1, ...wavesOf(request, n, budgetMs), role: 'measure' })))
    return random.shuffle(cells)
  }).flat()
}

function cellBudgetMs(request: SweepRequest, levels: readonly number[]): number {
  const extraMs = Math.min(EXTRA_WAVES_MS.most, EXTRA_WAVES_MS.perRepeat * repeatsOf(request))
  return Math.max(MIN_CELL_BUDGET_MS, extraMs / (levels.length * repeatsOf(request) * sweptLegs(request).length))
}

/** Short waves at small N get more of them: enough sessions for p50 in any case, for p95 if the time allows. */
function wavesOf(request: SweepRequest, n: number, budgetMs: number): Pick<Cell, 'waves' | 'minWaves' | 'budgetMs'> {
  if (request.waves !== null) return { waves: request.waves, minWaves: request.waves, budgetMs: null }
  const perWaveOfAllRepeats = n * repeatsOf(request)
  return { waves: Math.ceil(P95_SAMPLES / perWaveOfAllRepeats), minWaves: Math.ceil(P50_SAMPLES / perWaveOfAllRepeats), budgetMs }
}

export function nullLeg(request: SweepRequest, levels: readonly number[]): CellDraft[] {
  if (!request.legs.includes('null') || sweptLegs(request)[0] === 'null') return []
  const n = levels.at(-1) ?? 1
  const waves = Math.min(NULL_SESSIONS.maxWaves, Math.max(2, Math.ceil(NULL_SESSIONS.sessions / n)))
  return [{ leg: 'null', n, repeat: 1, waves, minWaves: 1, budgetMs: NULL_SESSIONS.budgetMs, role: 'measure' }]
}

/** M5: N=1 again, in the leg in which it was measured first; without N=1 among the levels there is nothing to repeat. */
export function closing(request: SweepRequest, levels: readonly number[]): CellDraft[] {
  const leg = sweptLegs(request)[0] ?? 'runner'
  if (levels[0] !== 1 || leg === 'null') return []
  const waves = request.waves ?? Math.max(P50_SAMPLES, Math.ceil(P95_SAMPLES / repeatsOf(request)))
  const minWaves = request.waves ?? (modeOf(request) === 'quick' ? QUICK_CLOSING_WAVES : P50_SAMPLES)
  return [{ leg, n: 1, repeat: 1, waves, minWaves, budgetMs: cellBudgetMs(request, levels), role: 'closing' }]
}

/** M2: even if each necessary wave ran into its deadline the sweep would end by then; one that finds its levels itself has its mode's limit. */
function watchdogMs(request: SweepRequest, cells: readonly Cell[]): number {
  const { turnDeadlineMs } = request
  const mode = modeOf(request)
  const plannedMs = cells.reduce((sum, cell) => {
    const warmUpMs = cell.ownWarmUp === undefined ? 0 : cell.ownWarmUp.budgetMs + turnDeadlineMs
    return sum + ((cell.minWaves ?? cell.waves) + 1) * turnDeadlineMs + (cell.budgetMs ?? 0) + (spanMsOf(cell) ?? 0) + warmUpMs + CELL_OVERHEAD_MS
  }, 0)
  if (mode === undefined) return plannedMs
  if (findsLevels(request)) return mode === 'quick' ? QUICK_ENDS_MS : 2 * MODES[mode].limitMs + WATCHDOG_DEADLINES * turnDeadlineMs
  return plannedMs + MODES[mode].limitMs
}

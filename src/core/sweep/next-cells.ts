/**
 * What a sweep that finds its levels itself does next, from what it has measured so far. Pure: run-sweep.ts asks after each cell and acts on the answer,
 * the estimate asks it of a server that is only thought of.
 * Ladder 1, 2, 4, 8 … until a ceiling is bracketed → levels between, so that the knee itself is measured → repeats in shuffled order (M5),
 * interventions, null leg, N=1 again.
 */
import { costsTooMuch } from './cost.ts'
import { risesWithoutEnd } from './hopeless.ts'
import { INTERVENTION, interventionsOf } from './intervention-cells.ts'
import { findsLevels, MODES, type ModeLimits, modeOf } from './modes.ts'
import type { Cell, SweepPlan } from './plan.ts'
import { type CellDraft, cellOf, closing, nullLeg, P50_SAMPLES, rungWaves, sweptLegs, warmOwnCode } from './plan-sweep.ts'
import { kneeOf, type Rung, type Rungs, rungsOf, type Seen } from './rung-facts.ts'
import { createSeededRandom } from './seeded-random.ts'

export type Addition = {
  readonly cell: Cell
  readonly because: string
  /** Added only to be left out at once, so that what was not measured stands in the record with its reason. */
  readonly leftOut: boolean
}

/** Nothing to add, nothing to skip, and no planned cell left: the sweep is done. */
export type NextStep = { readonly add: readonly Addition[]; readonly skip: readonly { readonly cell: number; readonly because: string }[] }

const NOTHING: NextStep = { add: [], skip: [] }

type Wish = { readonly draft: CellDraft; readonly because: string; readonly leftOut?: boolean }

/** Of the time that is left, the most that one more level may take, by what it is for. */
const SHARE_FOR_KNEE = 0.8
const SHARE_FOR_SURE = 0.7
const SHARE_FOR_SLO = 0.5
/** Of that, the most for more than one wave at it: the next level tells more. */
const SHARE_FOR_WAVES = 0.35
const SHARE_FOR_CLOSING = 0.15
/** Without a level this many times the knee, a plateau may be chance; and without this level no staircase of waits is seen. */
const SURE_TIMES = 2
const SURE_N = 4
/** Half of the turns failed: the next level would only fail more. */
const FAILED_RATIO = 0.5
/** Connecting, draining and writing, a cell. */
const CELL_OVERHEAD_MS = 300
/** Null leg with its warm-up, seen on two cores. */
const NULL_LEG_MS = 5_000

export function nextCells(seen: Seen): NextStep {
  const { plan, cells } = seen
  const needless = [...outOfMoney(seen), ...hopelessRates(seen)]
  if (needless.length > 0) return { add: [], skip: needless }
  const mode = modeOf(plan.request)
  if (mode === undefined) return NOTHING
  const limits = MODES[mode]
  if (cells.some(({ status }) => status === 'planned')) return { add: [], skip: outOfTime(seen, limits) }
  const rungs = rungsOf(seen)
  if (rungs.levels.length === 0) return NOTHING
  if (!findsLevels(plan.request)) {
    return limits.interventions && !isIntervened(seen) ? numbered(seen, warmed(interventionsOf(plan, rungs, limits))) : NOTHING
  }
  if (isIntervened(seen) || cells.some(({ cell }) => cell.role === 'closing' || cell.repeat > 1)) return NOTHING
  const ladder = [nextRung(seen, rungs, limits) ?? nextBetween(seen, rungs, limits)].filter((wish) => wish !== undefined)
  if (ladder.some((wish) => wish.leftOut !== true)) return numbered(seen, ladder)
  return numbered(seen, [...ladder, ...tail(seen, rungs, limits)])
}

function numbered({ plan, cells }: Seen, wishes: readonly Wish[]): NextStep {
  const next = cells.reduce((most, { cell }) => Math.max(most, cell.index + 1), 0)
  return {
    add: wishes.map(({ draft, because, leftOut }, i) => ({ cell: cellOf(plan.request, draft, next + i), because, leftOut: leftOut === true })),
    skip: [],
  }
}

/** Milliseconds that remain for levels, with what must follow them taken off. */
function msLeft(seen: Seen, rungs: Rungs, limits: ModeLimits, untilMs: number): number {
  const aloneMs = rungs.levels[0]?.waveMs ?? 0
  const restMs = NULL_LEG_MS + closingWaves(aloneMs, limits) * aloneMs
  const again = limits.repeats - 1
  // Each level is to come again so many times, and so is each one that is yet to be added.
  const repeatsMs = again * rungs.levels.reduce((sum, level) => sum + levelMs(level, limits), 0)
  return (untilMs - seen.elapsedMs - restMs - repeatsMs) / limits.repeats
}

/** Of a slow server a quick sweep takes one session alone at the end, where it would take so many. */
function closingWaves(aloneMs: number, limits: ModeLimits): number {
  return Math.max(1, Math.min(limits.repeats > 1 ? P50_SAMPLES : 2, Math.floor((SHARE_FOR_CLOSING * limits.limitMs) / Math.max(1, aloneMs))))
}

function levelMs(level: Rung, limits: ModeLimits): number {
  const necessary = Math.ceil(P50_SAMPLES / (level.n * limits.repeats))
  return Math.max(necessary * level.waveMs, Math.min(limits.extraWavesMs, (59 / (level.n * limits.repeats)) * level.waveMs)) + CELL_OVERHEAD_MS
}

/** The next level of the ladder; undefined when the ladder has what it is there for. Left out when it is wanted and can't be had. */
function nextRung(seen: Seen, rungs: Rungs, limits: ModeLimits): Wish | undefined {
  const { levels } = rungs
  const top = levels.at(-1)
  if (top === undefined || isLeftOut(seen)) return undefined
  const n = nextPower(top.n)
  const knee = kneeOf(rungs)
  if (top.failed >= FAILED_RATIO * top.turns) return undefined
  // Void, and void again when it was repeated: it can't be had.
  if (seen.cells.some(({ cell, status }) => cell.n === n && status === 'void')) return undefined
  const losesSlo = levels.some((level) => level.losesSlo)
  const reason = reasonFor(knee?.n ?? null, losesSlo, top)
  if (reason === undefined) return undefined
  const spare = (untilMs: number) => reason.share * msLeft(seen, rungs, limits, untilMs)
  const isFull = knee !== undefined
  const costMs = predictedWaveMs(rungs, n)
  const wish = (draft: Partial<CellDraft>): CellDraft => ({ ...rung(seen.plan, n, affordable(n, costMs, spare(limits.goalMs), limits)), ...draft })
  const most = isFull ? limits.fullN : limits.mostN
  if (n > most) {
    if (isFull) return undefined
    return { draft: wish({}), because: `${limits.mostN} is the highest level of this mode; nothing had given way by then.`, leftOut: true }
  }
  const untilMs = !isFull ? limits.limitMs : reason.isNeeded ? (limits.goalMs + limits.limitMs) / 2 : limits.goalMs
  if (costMs + CELL_OVERHEAD_MS <= spare(untilMs)) return { draft: wish({}), because: reason.because }
  const secondsLeft = Math.max(0, Math.round(msLeft(seen, rungs, limits, untilMs) / 1000))
  if (isFull && !reason.isNeeded) return undefined
  const because = `One wave at N=${n} would take about ${Math.round(costMs / 1000)} s; ${secondsLeft} s are left for it.`
  return { draft: wish({}), because, leftOut: true }
}

const isLeftOut = (seen: Seen) => seen.cells.some(({ cell, status }) => status === 'skipped' && cell.role === 'measure' && cell.arm === undefined)

function reasonFor(
  knee: number | null,
  losesSlo: boolean,
  top: Rung,
): { readonly because: string; readonly share: number; readonly isNeeded: boolean } | undefined {
  if (knee === null && !(losesSlo && top.n >= 4))
    return { because: `Nothing has given way at N=${top.n}.`, share: top.n === 1 ? 1 : SHARE_FOR_KNEE, isNeeded: true }
  if (knee !== null && top.n < Math.max(SURE_N, SURE_TIMES * knee))
    return { because: `To be sure of the ceiling at about ${knee}, a level well above it is needed.`, share: SHARE_FOR_SURE, isNeeded: true }
  if (!losesSlo) return { because: `At N=${top.n} enough sessions still hold the SLO.`, share: SHARE_FOR_SLO, isNeeded: false }
  return undefined
}

const nextPower = (n: number) => 2 ** (Math.floor(Math.log2(n)) + 1)

/** On a full server a wave grows with its sessions, else it lasts as long as the last one; half way between as long as that is not known. */
function predictedWaveMs(rungs: Rungs, n: number): number {
  const [before, top] = rungs.levels.slice(-2)
  const last = top ?? before
  if (last === undefined) return 0
  const isGrowing = kneeOf(rungs) !== undefined || (before !== undefined && top !== undefined && top.waveMs > 1.5 * before.waveMs)
  return last.waveMs * (isGrowing ? n / last.n : 1.25)
}

/** Waves for the six sessions of a p50, or as many as may be had. */
function affordable(n: number, waveMs: number, spareMs: number, limits: ModeLimits): number {
  const wanted = Math.ceil(P50_SAMPLES / (n * limits.repeats))
  return Math.max(1, Math.min(wanted, Math.floor((SHARE_FOR_WAVES * spareMs) / Math.max(1, waveMs))))
}

function rung(plan: SweepPlan, n: number, minWaves: number, repeat = 1): CellDraft {
  const leg = sweptLegs(plan.request)[0] ?? 'runner'
  return { leg, n, repeat, ...rungWaves(plan.request, n, minWaves), role: 'measure' }
}

/** The knee itself, then levels that halve what is left open around it. */
function nextBetween(seen: Seen, rungs: Rungs, limits: ModeLimits): Wish | undefined {
  const { levels } = rungs
  const measured = new Set(levels.map((level) => level.n))
  const tried = new Set(seen.cells.map(({ cell }) => cell.n))
  const knee = kneeOf(rungs)
  const at = (n: number, because: string, untilMs = limits.goalMs): Wish | undefined => {
    if (tried.has(n) || n < 1) return undefined
    const above = levels.find((level) => level.n > n) ?? levels.at(-1)
    const costMs = above?.waveMs ?? 0
    const spareMs = SHARE_FOR_KNEE * msLeft(seen, rungs, limits, untilMs)
    if (costMs > spareMs) return undefined
    return { draft: rung(seen.plan, n, affordable(n, costMs, spareMs, limits)), because }
  }
  if (knee?.isExact === true && !measured.has(knee.n)) {
    const exact = at(knee.n, `No more than ${knee.n} were under way at once: this level has to carry the best total rate.`, limits.limitMs)
    if (exact !== undefined) return exact
  }
  const betweens = seen.cells.filter(({ cell }) => cell.role === 'measure' && cell.repeat === 1 && !isPower(cell.n) && cell.n !== knee?.n).length
  if (betweens >= limits.betweens) return undefined
  return (knee?.isExact === false ? between(levels, knee.n, at) : undefined) ?? (limits.repeats > 1 ? betweenSlo(levels, at) : undefined)
}

const isPower = (n: number) => Number.isInteger(Math.log2(n))

type At = (n: number, because: string) => Wish | undefined

function between(levels: readonly Rung[], knee: number, at: At): Wish | undefined {
  const below = levels.findLast((level) => level.n < knee)
  const above = levels.find((level) => level.n > knee)
  const low = below?.n ?? 0
  if (knee - low > 1) return at(Math.round(Math.sqrt(low * knee)), `The total rate stops rising between ${low} and ${knee}.`)
  return above === undefined
    ? undefined
    : at(Math.round(Math.sqrt(knee * above.n)), `The total rate may rise further between ${knee} and ${above.n}.`)
}

function betweenSlo(levels: readonly Rung[], at: At): Wish | undefined {
  const lost = levels.find((level) => level.losesSlo)
  const held = levels.findLast((level) => level.n < (lost?.n ?? 0))
  if (lost === undefined || held === undefined || lost.n - held.n <= 1) return undefined
  return at(Math.round((held.n + lost.n) / 2), `The SLO is lost between ${held.n} and ${lost.n}.`)
}

/** All that follows the levels, in one go. */
function tail(seen: Seen, rungs: Rungs, limits: ModeLimits): readonly Wish[] {
  const { plan } = seen
  const { request } = plan
  const levels = rungs.levels.map((level) => level.n)
  const repeats = repeatsAgain(seen, rungs, limits)
  const arms = limits.interventions ? interventionsOf(plan, rungs, limits) : []
  const nulls = nullLeg(request, levels).map((draft) => ({ draft, because: 'What Plimsoll itself adds at this level (M10).' }))
  const ends = closing(request, levels).map((draft) => ({
    draft: { ...draft, minWaves: Math.min(draft.minWaves ?? draft.waves, closingWaves(rungs.levels[0]?.waveMs ?? 0, limits)) },
    because: 'N=1 once more: has the machine kept its pace? (M5)',
  }))
  return warmed([...repeats, ...oneMoreTry(seen, rungs, limits), ...surer(seen, rungs, limits), ...arms, ...nulls, ...ends])
}

/** More sessions at the highest level that holds the SLO: below a certain number, not even a level without a single miss can promise its target. */
function surer(seen: Seen, rungs: Rungs, limits: ModeLimits): Wish[] {
  const { targetRatio } = seen.plan.slo
  if (targetRatio >= 1 || targetRatio <= 0 || seen.plan.request.waves !== null) return []
  const needed = Math.ceil(Math.log(0.05) / Math.log(targetRatio))
  const lost = rungs.levels.find((level) => level.losesSlo)?.n ?? Number.POSITIVE_INFINITY
  const held = rungs.levels.findLast((level) => level.n < lost && level.misses === 0)
  if (held === undefined) return []
  const missing = needed - held.turns * limits.repeats
  const waves = Math.ceil(missing / held.n)
  const spareMs = limits.repeats * msLeft(seen, rungs, limits, limits.goalMs)
  if (waves <= 0 || waves * held.waveMs > spareMs) return []
  const because = `To promise ${Math.round(100 * targetRatio)} % at N=${held.n}, ${needed} sessions without a miss are needed.`
  return [{ draft: { ...rung(seen.plan, held.n, waves), waves, budgetMs: null }, because }]
}

/** A level of the ladder that was void and void again, since the machine was busy at that moment: a hole in the middle would say nothing of the server. */
function oneMoreTry(seen: Seen, rungs: Rungs, limits: ModeLimits): Wish[] {
  const measured = new Set(rungs.levels.map((level) => level.n))
  const lost = seen.cells.filter(({ cell, status }) => status === 'void' && cell.role === 'measure' && cell.arm === undefined && cell.leg !== 'null')
  const levels = [...new Set(lost.map(({ cell }) => cell.n))].filter((n) => !measured.has(n))
  return levels
    .filter((n) => predictedWaveMs(rungs, n) <= limits.repeats * msLeft(seen, rungs, limits, limits.limitMs))
    .map((n) => ({ draft: rung(seen.plan, n, 1), because: `N=${n} was void each time; once more, now that other levels are measured.` }))
}

/** Plimsoll's own code is warm before the first cell that is about itself. */
function warmed(wishes: readonly Wish[]): readonly Wish[] {
  for (const leg of ['direct', 'null'] as const) warmOwnCode(wishes.find(({ draft }) => draft.leg === leg)?.draft)
  return wishes
}

const isIntervened = (seen: Seen) => seen.cells.some(({ because }) => because?.startsWith(INTERVENTION) === true)

/** M5: each level again, shuffled within each repeat; the slowest levels are dropped where the time does not carry them. */
function repeatsAgain(seen: Seen, rungs: Rungs, limits: ModeLimits): Wish[] {
  const random = createSeededRandom(`order/${seen.plan.request.seed}`)
  const wishes: Wish[] = []
  let leftMs = limits.limitMs - seen.elapsedMs
  for (let repeat = 2; repeat <= limits.repeats; repeat++) {
    const drafts = rungs.levels.flatMap((level) => {
      leftMs -= levelMs(level, limits)
      if (leftMs < 0) return []
      return [rung(seen.plan, level.n, Math.ceil(P50_SAMPLES / (level.n * limits.repeats)), repeat)]
    })
    wishes.push(...random.shuffle(drafts).map((draft) => ({ draft, because: `Repeat ${repeat} of ${limits.repeats} (M5).` })))
  }
  return wishes
}

/** Under open load: what a rate can't keep up with, no higher rate can. */
function hopelessRates({ cells, rows }: Seen): NextStep['skip'] {
  const lost = cells
    .filter(({ status, cell }) => status === 'done' && cell.load?.kind === 'open' && risesWithoutEnd(rows.filter((row) => row.cell === cell.index)))
    .map(({ cell }) => cell.load?.ratePerSec ?? Number.POSITIVE_INFINITY)
  const lowest = Math.min(...lost)
  return cells
    .filter(({ status, cell }) => status === 'planned' && cell.load?.kind === 'open' && cell.leg !== 'null' && (cell.load.ratePerSec ?? 0) > lowest)
    .map(({ cell }) => ({
      cell: cell.index,
      because: `At ${lowest} a second the turns in flight and their waits rose without end; a higher rate only takes time.`,
    }))
}

/** M13: nothing is run that might cost more than was agreed to. */
function outOfMoney({ plan, cells, rows }: Seen): NextStep['skip'] {
  return cells
    .filter(({ status, cell }) => status === 'planned' && costsTooMuch(plan, cells, rows, cell))
    .map(({ cell }) => ({ cell: cell.index, because: `It might cost more than the $${plan.request.maxCostUsd} that were agreed to.` }))
}

/** Planned cells that the mode's time does not carry any more: N=1 again and the null leg are kept, they are short. */
function outOfTime(seen: Seen, limits: ModeLimits): NextStep['skip'] {
  if (!findsLevels(seen.plan.request) || seen.elapsedMs <= limits.limitMs) return []
  return seen.cells
    .filter(
      ({ status, cell }) => status === 'planned' && cell.role === 'measure' && cell.leg !== 'null' && (cell.repeat > 1 || cell.arm !== undefined),
    )
    .map(({ cell }) => ({ cell: cell.index, because: `The ${Math.round(limits.limitMs / 60_000)} min of this mode are over.` }))
}

/** Cells of the loads that are no bursts: sustained (closed loop) and open (Poisson). Pure; plan-sweep.ts puts them into their order. */
import type { Cell, Leg, Load, SweepRequest } from './plan.ts'
import { createSeededRandom } from './seeded-random.ts'

type LoadedDraft = Omit<Cell, 'index' | 'plannedOffsetsMs'> & { plannedOffsetsMs?: number[] }

/** Levels of a sustained load where none are given: a ladder would take a span for each rung that it looks at. */
export const SUSTAINED_LEVELS: readonly number[] = [1, 2, 4, 8]

/** More turns than this in one cell would be planned by mistake: a hundred thousand rows are what an analysis is made for. */
export const MOST_OPEN_TURNS = 20_000

/**
 * Moments of a Poisson process: gaps between two arrivals are exponential and know nothing of each other.
 * @returns ascending, each below `spanMs`; one in the middle where chance gave none
 */
export function openMomentsMs(ratePerSec: number, spanMs: number, seed: string | number): number[] {
  const random = createSeededRandom(`open/${seed}`)
  const moments: number[] = []
  const gapMs = () => (-Math.log(1 - random.next()) * 1_000) / ratePerSec
  for (let atMs = gapMs(); atMs < spanMs && moments.length < MOST_OPEN_TURNS; atMs += gapMs()) moments.push(atMs)
  return moments.length === 0 ? [spanMs / 2] : moments
}

/** Turns that a session of a sustained cell may take at most where they cost money (M13): how many fit into the span is not known before. */
const MOST_PAID_TURNS = 20

/** One cell a rate and leg, in one repeat. `n` is the number of its arrivals: how many are in flight at once is what the cell measures. */
export function openDrafts(request: SweepRequest, load: Extract<Load, { kind: 'open' }>, legs: readonly Leg[], repeat: number): LoadedDraft[] {
  const rates = [...new Set(load.ratesPerSec)].sort((a, b) => a - b)
  return legs.flatMap((leg) =>
    rates.map((ratePerSec): LoadedDraft => {
      // Both legs are asked at the same moments, so that their difference is theirs alone.
      const plannedOffsetsMs = openMomentsMs(ratePerSec, load.spanMs, `${request.seed}/${ratePerSec}/${repeat}`)
      return {
        ...{ leg, n: plannedOffsetsMs.length, repeat, waves: 1, minWaves: 1, budgetMs: null, role: 'measure', plannedOffsetsMs },
        load: { kind: 'open', spanMs: load.spanMs, ratePerSec },
      }
    }),
  )
}

/** A level's cell as the request's load has it. Warm-up and null leg stay bursts: the one only warms, the other shows what Plimsoll costs. */
export function withLoad<D extends LoadedDraft>(draft: D, { load, target }: SweepRequest): D {
  if (load?.kind !== 'sustained' || draft.role === 'warm-up' || draft.leg === 'null') return draft
  const isPriced = target.kind === 'server' && target.price !== undefined
  const bound = isPriced ? { mostTurns: draft.n * MOST_PAID_TURNS } : {}
  return { ...draft, waves: 1, minWaves: 1, budgetMs: null, load: { kind: 'sustained', spanMs: load.spanMs, ratePerSec: null, ...bound } }
}

/** The same cell as a burst, for what only warms code or server. */
export function asBurst(cell: Cell, mostN: number, offsetsMs: (n: number) => number[]): Cell {
  const { load, ...burst } = cell
  if (load === undefined || load.kind === 'burst') return cell
  const n = Math.min(cell.n, mostN)
  return { ...burst, n, plannedOffsetsMs: offsetsMs(n) }
}

export const isOpen = (cell: Cell): boolean => cell.load?.kind === 'open'
export const isSustained = (cell: Cell): boolean => cell.load?.kind === 'sustained'
/** Turns that a cell takes at most, as far as the plan knows: those of a sustained one depend on how long they take. */
export const plannedTurns = ({ load, n, waves }: Cell): number => load?.mostTurns ?? n * waves
/** The time in which a cell starts turns of its own accord; null for a burst. */
export const spanMsOf = ({ load }: Cell): number | null => (load === undefined || load.kind === 'burst' ? null : load.spanMs)
/** As sentences name it: `N=4`, or the rate of an open cell, whose number of sessions says nothing. */
export const levelName = ({ n, load }: Cell): string => (load?.ratePerSec == null ? `N=${n}` : `${load.ratePerSec} sessions a second`)

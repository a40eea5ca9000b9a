/** How a stored sweep goes on: the cells that were broken off are void and come again, those that were never run are run, or one level is measured some more. */
import { type Problem, problem } from '../result/problem.ts'
import { err, ok, type Result } from '../result/result.ts'
import type { CellState, SweepState } from './fold-sweep.ts'
import { nextCells } from './next-cells.ts'
import { type CellDraft, cellOf, sweptLegs, warmUp } from './plan-sweep.ts'
import type { SweepEvent } from './sweep-event.ts'

export type Continuation = {
  /** First of all: what is void now, and what is added. */
  readonly events: readonly SweepEvent[]
  /** Null = all planned cells, and what next-cells.ts adds to them; else these and nothing more. */
  readonly only: readonly number[] | null
}

/** @param atMs moment of the first event, on the sweep's clock */
export function resumeSweep(state: SweepState, atMs: number): Result<Continuation, Problem> {
  const cut = new Set(state.rows.filter((row) => row.outcome === 'cut').map((row) => row.cell))
  const broken = state.cells.filter((cell) => isBroken(cell, cut))
  const again = [...broken, ...state.cells.filter((cell) => isLost(cell, state.cells))].filter(({ cell }) => cell.role !== 'warm-up')
  const hasPlanned = state.cells.some(({ status }) => status === 'planned')
  const more = hasPlanned ? [] : nextCells({ plan: state.plan, cells: state.cells, rows: state.rows, elapsedMs: 0 }).add
  if (again.length === 0 && !hasPlanned && more.length === 0) return err(nothingLeft(state))
  const reason = problem('broken-off', 'The sweep was stopped in the middle of this cell.', '', 'It is measured again.')
  const voids = broken.map(({ cell }): SweepEvent => ({ type: 'cell-void', atMs, cell: cell.index, reason }))
  const added = numbered(state, [
    { ...warmUpOf(state), because: 'The sweep goes on: the server is warmed again (M4).' },
    ...again.map(({ cell: { index: _index, ...draft } }) => ({ draft, because: 'It was not measured to its end.' })),
  ])
  return ok({ events: [...voids, ...added.map((add): SweepEvent => ({ type: 'cell-added', atMs, ...add }))], only: null })
}

/** More waves at one level; as a repeat of its own, so that the analysis takes it as one. */
export function extendSweep(state: SweepState, n: number, waves: number, atMs: number): Continuation {
  const leg = sweptLegs(state.plan.request)[0] ?? 'runner'
  const repeat = 1 + Math.max(0, ...state.cells.filter(({ cell }) => cell.n === n && cell.leg === leg).map(({ cell }) => cell.repeat))
  const draft: CellDraft = { leg, n, repeat, waves, minWaves: waves, budgetMs: null, role: 'measure' }
  const added = numbered(state, [
    { ...warmUpOf(state), because: 'The sweep is extended: the server is warmed again (M4).' },
    { draft, because: `${waves} more ${waves === 1 ? 'wave' : 'waves'} at N=${n} were asked for.` },
  ])
  return { events: added.map((add): SweepEvent => ({ type: 'cell-added', atMs, ...add })), only: added.map(({ cell }) => cell.index) }
}

function warmUpOf({ plan }: SweepState): { readonly draft: CellDraft } {
  const levels = plan.cells.map(({ n }) => n).sort((a, b) => a - b)
  const [draft] = [warmUp(plan.request, levels)]
  return { draft }
}

function numbered(state: SweepState, wishes: readonly { readonly draft: CellDraft; readonly because: string }[]) {
  return wishes.map(({ draft, because }, i) => ({ cell: cellOf(state.plan.request, draft, state.cells.length + i), because }))
}

/** By the cancel, or by the end of Plimsoll; nothing else cuts a turn or ends a cell before its necessary waves. */
function isBroken({ cell, status, wavesStarted, driver }: CellState, cut: ReadonlySet<number>): boolean {
  return status === 'running' || (status === 'done' && (cut.has(cell.index) || (driver === null && wavesStarted < (cell.minWaves ?? cell.waves))))
}

/** Void, and never measured again. */
function isLost({ cell, status }: CellState, cells: readonly CellState[]): boolean {
  if (status !== 'void') return false
  const same = cells.filter((other) => key(other) === key({ cell }) && other.cell.index > cell.index)
  return same.length === 0
}

const key = ({ cell }: Pick<CellState, 'cell'>) =>
  JSON.stringify([cell.leg, cell.n, cell.repeat, cell.role, cell.arm ?? null, cell.load?.ratePerSec ?? null])

function nothingLeft(state: SweepState): Problem {
  const measured = state.cells.filter(({ status }) => status === 'done').length
  return problem(
    'nothing-left',
    `All ${measured} cells of this sweep were measured; there is nothing left to resume.`,
    'A sweep that was cancelled, failed or interrupted before its end.',
    'To measure one of its levels some more: plimsoll sweep --extend <sweep> --level N',
  )
}

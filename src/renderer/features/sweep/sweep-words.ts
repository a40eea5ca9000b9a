/** Sentences of the Sweep page that follow from what is known: where it stands, how far it came, what a cell is. Pure. */

import { formatCount, formatDuration } from '../../../core/report/format-number.ts'
import { sweepNumbers } from '../../../core/report/report-levels.ts'
import { problemText } from '../../../core/result/problem.ts'
import type { CellState, SweepState } from '../../../core/sweep/fold-sweep.ts'
import { repeatsOf } from '../../../core/sweep/modes.ts'
import type { Cell } from '../../../core/sweep/plan.ts'
import type { SweepLive } from '../../../core/sweep/sweep-event.ts'
import type { Target } from '../../../core/sweep/target.ts'

/** In the strip: the level, or the leg where it is not the real path. */
export function cellLabel(cell: Cell): string {
  if (cell.role === 'warm-up') return 'warm'
  if (cell.leg === 'null') return 'null'
  if (cell.arm !== undefined) return cell.arm.slots === null ? `p${cell.n}` : `s${cell.n}`
  return cell.leg === 'direct' ? `d${cell.n}` : String(cell.n)
}

function cellWords(cell: Cell): string {
  if (cell.role === 'warm-up') return `warm-up, N = ${cell.n}: counts nowhere`
  if (cell.role === 'closing') return `N = ${cell.n} again, for drift`
  if (cell.arm !== undefined) return `N = ${cell.n} ${armWords(cell.arm)}, to see what that changes`
  return `N = ${cell.n}, ${cell.leg} leg, repeat ${cell.repeat}`
}

export function armWords({ promptTokens, slots }: NonNullable<Cell['arm']>): string {
  const changed = [
    ...(promptTokens === null ? [] : [`with prompts of ${formatCount(promptTokens)} tokens`]),
    ...(slots === null ? [] : [`with ${slots} ${slots === 1 ? 'slot' : 'slots'}`]),
  ]
  return changed.join(' and ')
}

export function cellTitle({ cell, status, voidReason, because }: CellState): string {
  const state = status === 'void' ? `void: ${voidReason === null ? 'no reason was given' : problemText(voidReason)}` : status
  return `Cell ${cell.index + 1}, ${cellWords(cell)}; ${state}${because === null ? '' : `. ${because}`}`
}

function runningText(state: SweepState, live: SweepLive | undefined): string {
  const running = state.cells.findLast((cell) => cell.status === 'running')
  const next = running ?? state.cells.find((cell) => cell.status === 'planned')
  if (next === undefined) return 'ending'
  const { cell } = next
  const place = `cell ${cell.index + 1} of ${state.cells.length}`
  if (state.facts === null && running === undefined) return `${place}: asking the server`
  const wave = (live?.cell === cell.index ? live.wave : next.wavesStarted - 1) + 1
  const waves =
    wave > 0 ? `, wave ${Math.min(wave, cell.waves)} of ${cell.minWaves === cell.waves || cell.budgetMs == null ? '' : 'up to '}${cell.waves}` : ''
  if (cell.role === 'warm-up') return `${place}: warm-up${waves}`
  if (cell.arm !== undefined) return `${place}: N = ${cell.n} ${armWords(cell.arm)}${waves}`
  const again = cell.role === 'closing' ? ' again' : `, repeat ${cell.repeat} of ${repeatsOf(state.plan.request)}`
  return `${place}: N = ${cell.n}${again}${cell.leg === 'runner' ? '' : `, ${cell.leg} leg`}${waves}`
}

/** The level of the cell that was chosen, else the largest one measured: its interval is the widest. */
export function extendableN(state: SweepState, chosenCell: number | undefined): number | null {
  const measured = state.cells.flatMap(({ cell, status }) =>
    status === 'done' && cell.role === 'measure' && cell.leg === 'runner' && cell.arm === undefined ? [cell.n] : [],
  )
  const chosenN = state.cells.find(({ cell }) => cell.index === chosenCell)?.cell.n
  if (chosenN !== undefined && measured.includes(chosenN)) return chosenN
  return measured.length === 0 ? null : Math.max(...measured)
}

/** A sweep that was stopped before its plan was done. */
export const canResume = (state: SweepState): boolean =>
  (state.status === 'cancelled' || state.status === 'interrupted' || state.status === 'failed') && state.cells.some((cell) => cell.status !== 'done')

/** Beside the title: `cell 13 of 21: N = 8, repeat 3 of 3, wave 3 of 4`, `cancelled, 12 of 21 cells kept`. */
export function nowText(state: SweepState, live: SweepLive | undefined): string {
  const { cellsDone, cellsPlanned } = sweepNumbers(state)
  switch (state.status) {
    case 'running':
      return runningText(state, live)
    case 'completed':
      return `completed, ${cellsDone} cells`
    case 'cancelled':
    case 'interrupted':
    case 'failed':
      return `${state.status}, ${cellsDone} of ${cellsPlanned} cells kept`
  }
}

/** The small line: `3 min 58 s run, about 2 min 50 s left`, `3 min 58 s, 312 sessions, stored`. */
export function paceText(state: SweepState, live: SweepLive | undefined): string {
  const { sessions, durationMs } = sweepNumbers(state)
  if (state.status !== 'running') return `${formatDuration(durationMs)}, ${formatCount(sessions)} sessions, stored`
  const run = `${formatDuration(Math.max(durationMs, live?.nowMs ?? 0))} run`
  return live?.remainingMs == null ? run : `${run}, about ${formatDuration(live.remainingMs)} left`
}

export const modelOf = (target: Target): string =>
  target.kind === 'server' ? target.model : target.engine === 'llama' ? target.model : `${target.engine} server`

/** Where it is, in a line: an address, or that it is one of ours. */
export function placeOfTarget(target: Target): string {
  if (target.kind === 'server') return target.url.replace(/^https?:\/\//, '')
  return `built in, ${target.slots} ${target.slots === 1 ? 'slot' : 'slots'}; starts and ends with the sweep`
}

/** How far a sweep is, on standard error: one line that is written over on a terminal, a line a cell elsewhere. */
import { formatDuration, formatMs } from '../../../core/report/format-number.ts'
import { countingCells, sweepNumbers } from '../../../core/report/report-levels.ts'
import type { CellState, SweepState } from '../../../core/sweep/fold-sweep.ts'
import { levelName } from '../../../core/sweep/load-cells.ts'
import type { Cell } from '../../../core/sweep/plan.ts'
import type { SweepLive } from '../../../core/sweep/sweep-event.ts'
import type { CliIo } from './cli-io.ts'

export interface ProgressLine {
  update(state: SweepState): void
  live(live: SweepLive): void
  /** Takes the line away, so that what follows stands on its own. */
  end(): void
}

const CLEAR_LINE = '\r\u001b[2K'

export function createProgressLine(io: CliIo): ProgressLine {
  let state: SweepState | undefined
  let latest: SweepLive | undefined
  const told = new Set<number>()
  const draw = () => {
    if (!io.errIsTerminal || state === undefined) return
    io.err(`${CLEAR_LINE}${progressText(state, latest).slice(0, io.columns - 1)}`)
  }
  return {
    update(next) {
      state = next
      if (io.errIsTerminal) return draw()
      for (const cell of next.cells) {
        if ((cell.status !== 'done' && cell.status !== 'void') || told.has(cell.cell.index)) continue
        told.add(cell.cell.index)
        io.err(`${cellText(next, cell)}\n`)
      }
    },
    live(next) {
      latest = next
      draw()
    },
    end() {
      if (io.errIsTerminal) io.err(CLEAR_LINE)
    },
  }
}

const shownLevel = (cell: Cell) => (cell.load?.kind === 'open' ? levelName(cell) : `N = ${cell.n}`)

function progressText(state: SweepState, live: SweepLive | undefined): string {
  const { cellsDone, cellsPlanned, sessions } = sweepNumbers(state)
  const running = state.cells.find((cell) => cell.status === 'running')
  const parts = [`Cell ${Math.min(cellsDone + 1, cellsPlanned)} of ${cellsPlanned}`]
  if (running !== undefined) parts.push(running.cell.role === 'warm-up' ? 'warm-up' : `${shownLevel(running.cell)}, ${running.cell.leg} leg`)
  parts.push(`${sessions} sessions`)
  if (live !== undefined && running !== undefined && live.cell === running.cell.index)
    parts.push(`${live.lanes.filter((lane) => lane.outcome === 'running').length} in flight`)
  if (live?.remainingMs != null) parts.push(`about ${formatDuration(live.remainingMs)} left`)
  return parts.join(' · ')
}

function cellText(state: SweepState, { cell, status, voidReason }: CellState): string {
  const { cellsPlanned } = sweepNumbers(state)
  const where = `[${cell.index + 1}/${cellsPlanned}] ${shownLevel(cell)}, ${cell.leg} leg, ${cell.role === 'measure' ? `repeat ${cell.repeat}` : cell.role}`
  if (status === 'void') return `${where}: void. ${voidReason?.happened ?? ''}`
  const rows = state.rows.filter((row) => row.cell === cell.index)
  const failed = rows.filter((row) => row.outcome === 'failed').length
  const ttfa = rows.flatMap((row) => (row.firstActivityAtMs === null ? [] : [row.firstActivityAtMs - row.plannedAtMs])).sort((a, b) => a - b)
  const [fastest, slowest] = [ttfa[0], ttfa.at(-1)]
  const range = fastest === undefined || slowest === undefined ? '' : `, ttfa ${formatMs(fastest)} to ${formatMs(slowest)}`
  const excluded = countingCells(state).some((counted) => counted.cell.index === cell.index) ? '' : ' (not counted)'
  return `${where}: ${rows.length} sessions${failed > 0 ? `, ${failed} failed` : ''}${range}${excluded}`
}

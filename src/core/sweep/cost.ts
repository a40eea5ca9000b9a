/** M13: what a sweep of a priced target costs, in US dollars; null where it costs nothing. */
import { type Problem, problem } from '../result/problem.ts'
import type { CellState } from './fold-sweep.ts'
import { plannedTurns } from './load-cells.ts'
import type { Cell, SweepPlan, SweepRequest } from './plan.ts'
import type { TurnRow } from './turn-row.ts'
import { mostTurnsOf } from './workloads.ts'

/** A prompt is counted in words here and in tokens there, and frames and instructions are added; rather too much than too little. */
const PROMPT_RATIO = 1.3
const FRAME_TOKENS = 60
const NOTE_TOKENS = 16

type Priced = Pick<SweepPlan, 'request' | 'workload'>

/** What so many sessions at most cost. */
export function sessionsUsd({ request, workload }: Priced, cell: Pick<Cell, 'leg' | 'arm'>, sessions: number): number | null {
  const price = priceOf(request)
  if (price === null) return null
  if (cell.leg === 'null') return 0
  const asked = PROMPT_RATIO * (cell.arm?.promptTokens ?? workload.promptTokens) + FRAME_TOKENS
  const hasNote = cell.leg === 'runner' && workload.memoryNote
  const input = asked + (hasNote ? asked + workload.outputTokens : 0)
  const output = workload.outputTokens + (hasNote ? NOTE_TOKENS : 0)
  return (sessions * (input * price.inputUsd + output * price.outputUsd)) / 1e6
}

/** By the counts that came back; a turn that told none is taken as a whole session. */
function spentUsd(plan: SweepPlan, cells: readonly CellState[], rows: readonly TurnRow[]): number | null {
  const price = priceOf(plan.request)
  if (price === null) return null
  return rows.reduce((sum, row) => {
    const cell = cells[row.cell]?.cell
    if (cell === undefined || cell.leg === 'null') return sum
    const calls = row.timeline?.calls ?? []
    if (calls.length === 0 || calls.some((call) => call.promptTokens === null)) return sum + (sessionsUsd(plan, cell, 1) ?? 0)
    return sum + calls.reduce((of, call) => of + (call.promptTokens ?? 0) * price.inputUsd + (call.outputTokens ?? 0) * price.outputUsd, 0) / 1e6
  }, 0)
}

/** Null when the sweep may start. @param costUsd as estimated */
export function priceProblem(request: SweepRequest, costUsd: number | null): Problem | null {
  if (costUsd === null) return null
  const { maxCostUsd } = request
  if (maxCostUsd !== undefined && costUsd <= maxCostUsd) return null
  const happened =
    maxCostUsd === undefined
      ? `This sweep would cost up to about ${usd(costUsd)}, and nobody has agreed to that.`
      : `This sweep would cost up to about ${usd(costUsd)}; at most ${usd(maxCostUsd)} were agreed to.`
  return problem(
    'cost-needs-yes',
    happened,
    'What costs money is swept only with a limit that covers it.',
    `Agree with --max-cost ${(Math.ceil(costUsd * 110) / 100).toFixed(2)}, or ask for less: a quicker mode, fewer levels, shorter answers.`,
  )
}

const usd = (dollars: number) => `$${dollars.toFixed(dollars < 0.1 ? 4 : 2)}`

/** A cell whose sessions, all of them, might go beyond what was agreed to. */
export function costsTooMuch(plan: SweepPlan, cells: readonly CellState[], rows: readonly TurnRow[], cell: Cell): boolean {
  const { maxCostUsd } = plan.request
  const spent = maxCostUsd === undefined ? null : spentUsd(plan, cells, rows)
  if (maxCostUsd === undefined || spent === null) return false
  return spent + (sessionsUsd(plan, cell, plannedTurns(cell) * mostTurnsOf(plan.workload)) ?? 0) > maxCostUsd
}

function priceOf({ target }: SweepPlan['request']) {
  const price = target.kind === 'server' ? target.price : undefined
  return price === undefined || price.inputUsd + price.outputUsd === 0 ? null : price
}

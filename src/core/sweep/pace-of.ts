/** What a sweep has shown of its target's pace: the next estimate goes by it. */

import type { SweepState } from './fold-sweep.ts'
import type { Pace } from './known-pace.ts'
import type { SweepRequest } from './plan.ts'
import { rungsOf } from './rung-facts.ts'

/** The same for two requests whose sessions take the same time. */
export function paceKey({ target, workload }: SweepRequest): string {
  const of =
    target.kind === 'server' ? [target.url, target.model] : [target.engine, target.model, String(target.slots), JSON.stringify(target.settings)]
  return [...of, JSON.stringify(workload)].join(' ')
}

/** Undefined when no session alone was measured. */
export function paceOf(state: SweepState): Pace | undefined {
  const { levels, slots } = rungsOf({ ...state, elapsedMs: 0 })
  const alone = levels.find((level) => level.n === 1)
  const top = levels.at(-1)
  if (alone === undefined || top === undefined || alone.waveMs <= 0) return undefined
  const first = state.rows.find((row) => row.cell === alone.cells[0]?.cell.index && row.outcome === 'completed')?.timeline?.calls[0]
  const prefillMs = first?.firstDeltaAtMs == null ? undefined : first.firstDeltaAtMs - first.sentAtMs
  // Without a plateau: how much quicker than one after the other the largest wave went.
  const carried = slots ?? Math.max(1, (top.n * alone.waveMs) / Math.max(top.waveMs, alone.waveMs))
  return { sessionMs: alone.waveMs, slots: carried, ...(prefillMs === undefined ? {} : { prefillMs }) }
}

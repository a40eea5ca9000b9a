/** A clock that jumped: stamps of one call that run backwards, or a call that the server says took far longer than it lasted here. */
import type { ModelCall } from '../../../session/timeline.ts'
import type { CaseFile } from '../case-file.ts'
import { count, percent } from '../phrases.ts'
import type { Doubt } from './doubt.ts'

/** Rounding of stamps of two processes. */
const ROUNDING_MS = 2
/** The server's own total may exceed ours by its rounding and by a clock that runs a little faster. */
const LONGER_RATIO = 1.5
const LONGER_MS = 500
/** Share of the calls from which it is no single slip. */
const IMPOSSIBLE_RATIO = 0.02

export function impossibleStamps({ levels }: CaseFile): Doubt | null {
  let [all, impossible] = [0, 0]
  for (const { facts } of levels) {
    for (const { row } of facts.turns) {
      const calls = row.timeline?.calls ?? []
      all += Math.max(1, calls.length)
      if (row.endAtMs < row.plannedAtMs - ROUNDING_MS) impossible += 1
      for (const call of calls) if (isImpossible(call)) impossible += 1
    }
  }
  if (impossible === 0 || impossible < IMPOSSIBLE_RATIO * all) return null
  return {
    mechanism: 'a clock jumped',
    sentence: `Times run backwards in ${percent(impossible / all)} of the requests: a clock jumped, or the machine slept while the sweep ran, so no figure can be trusted.`,
    toSettle: 'Sweep again on a machine that stays awake.',
    evidence: [
      `${count(impossible, 'request')} of ${all} have stamps that can't be: an end before its beginning, or less time than the server says it took.`,
    ],
  }
}

function isImpossible(call: ModelCall): boolean {
  const { sentAtMs, headersAtMs, firstDeltaAtMs, lastDeltaAtMs, endAtMs, server } = call
  const order = [sentAtMs, headersAtMs, firstDeltaAtMs, lastDeltaAtMs, endAtMs].filter((at) => at !== null)
  if (order.some((at, index) => at < (order[index - 1] ?? at) - ROUNDING_MS)) return true
  const wholeMs = endAtMs - sentAtMs
  return server !== null && call.outcome === 'completed' && server.totalNs / 1e6 > LONGER_RATIO * wholeMs + LONGER_MS
}

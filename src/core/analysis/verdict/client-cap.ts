/** A cap before the server: the requests under way stay at one number however many sessions there are, and each that waits leaves when another ends. */
import type { Evidence } from '../analysis.ts'
import type { CaseFile, MeasuredFacts } from './case-file.ts'
import { supports } from './finding.ts'
import { count, percent } from './phrases.ts'

export type ClientCap = { readonly n: number; readonly evidence: readonly Evidence[] }

/** A request that waited for a connection leaves within so long after another has ended; a few ms of two event loops. */
const HAND_OVER_MS = 15
/** Share of the late requests that have to leave so. */
const HAND_OVER_RATIO = 0.7
/** With a single level above it, N must be this many times the cap: just above, a burst may end before all were sent. */
const SURE_TIMES = 2

/** Null when requests go out as they come. A server that answers fewer at once than are sent is not held back by the client. */
export function clientCap({ levels, top }: CaseFile): ClientCap | null {
  if (top === null) return null
  const cap = top.facts.overlap.asked.lasting
  const above = levels.filter(({ summary }) => summary.n > cap)
  const isPinned = cap > 0 && cap < top.summary.n && above.every(({ facts }) => facts.overlap.asked.lasting === cap)
  if (!isPinned || (above.length < 2 && top.summary.n < SURE_TIMES * cap)) return null
  const ratio = handOverRatio(top)
  if (ratio === null || ratio < HAND_OVER_RATIO) return null
  const at = above.map(({ summary }) => summary.n).join(', ')
  return {
    n: cap,
    evidence: [
      supports(`Never more than ${count(cap, 'request')} were under way at once, at ${at} sessions: less than there were sessions.`),
      supports(
        `${percent(ratio)} of the first requests that left late did so within ${HAND_OVER_MS} ms of the end of another: they waited for its place.`,
      ),
    ],
  }
}

/** Of the first requests beyond those that a wave sends at once: the share that follows on an end. Null without any. */
function handOverRatio({ facts }: MeasuredFacts): number | null {
  const byWave = new Map<string, { sent: number[]; ends: number[] }>()
  for (const { row } of facts.turns) {
    const key = `${row.cell}/${row.wave}`
    const wave = byWave.get(key) ?? { sent: [], ends: [] }
    byWave.set(key, wave)
    const calls = row.timeline?.calls ?? []
    if (calls[0] !== undefined) wave.sent.push(calls[0].sentAtMs)
    for (const call of calls) wave.ends.push(call.endAtMs)
  }
  let [late, following] = [0, 0]
  for (const { sent, ends } of byWave.values()) {
    ends.sort((a, b) => a - b)
    sent.sort((a, b) => a - b)
    for (const atMs of sent.slice(facts.overlap.asked.lasting)) {
      late += 1
      const before = lastAtOrBefore(ends, atMs + 1)
      if (before !== null && atMs - before <= HAND_OVER_MS) following += 1
    }
  }
  return late === 0 ? null : following / late
}

function lastAtOrBefore(ascending: readonly number[], atMs: number): number | null {
  let low = 0
  let high = ascending.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((ascending[middle] ?? 0) <= atMs) low = middle + 1
    else high = middle
  }
  return ascending[low - 1] ?? null
}

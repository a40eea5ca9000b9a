/**
 * Does the server read prompts one after the other, without a pause, while earlier answers stream on? Then whoever waits, waits for the prompts before its own,
 * whatever the number of slots: few answers stream at once, and yet it is no limit of slots. Seen from the server's own prompt times.
 */
import type { ModelCall } from '../../session/timeline.ts'
import type { MeasuredLevel } from '../levels/measured-levels.ts'
import { createSpanTimes } from './lasting-overlap.ts'

/** Prompts that lie side by side by more than this share of their time are read together: late stamps of a busy machine make some of it. */
const APART_RATIO = 1.15
/** Share of the time from the first request to the last first token in which a prompt was read. */
const FILLED_RATIO = 0.85
/** Share of the prompts that began to be read while the answer before was not yet at its end: with one slot, or none free, there are none. */
const BESIDE_RATIO = 0.5
const FEWEST_CALLS = 4
const BESIDE_MS = 5

type Read = { readonly fromMs: number; readonly toMs: number; readonly endMs: number; readonly sentAtMs: number }

export function readsPromptsInTurn({ waves }: MeasuredLevel): boolean {
  let [sumMs, filledMs, spanMs, beside, following, calls] = [0, 0, 0, 0, 0, 0]
  for (const { rows } of waves) {
    const reads = readsOf(rows.flatMap((row) => row.timeline?.calls ?? []))
    const prompts = createSpanTimes(reads.length)
    let sentMs = Number.POSITIVE_INFINITY
    for (const [index, { fromMs, toMs, sentAtMs }] of reads.entries()) {
      prompts.add(fromMs, toMs)
      sumMs += toMs - fromMs
      sentMs = Math.min(sentMs, sentAtMs)
      const before = reads[index - 1]
      if (before === undefined) continue
      following += 1
      if (fromMs < before.endMs - BESIDE_MS) beside += 1
    }
    calls += reads.length
    filledMs += prompts.overlap().busyMs
    spanMs += Math.max(0, (reads.at(-1)?.toMs ?? 0) - sentMs)
  }
  if (calls < FEWEST_CALLS || following === 0) return false
  return sumMs <= APART_RATIO * filledMs && filledMs >= FILLED_RATIO * spanMs && beside >= BESIDE_RATIO * following
}

/** In the order of their first tokens. */
function readsOf(calls: readonly ModelCall[]): Read[] {
  const reads: Read[] = []
  for (const { server, firstDeltaAtMs, endAtMs, sentAtMs } of calls) {
    if (server === null || firstDeltaAtMs === null) continue
    reads.push({ fromMs: firstDeltaAtMs - server.promptEvalNs / 1e6, toMs: firstDeltaAtMs, endMs: endAtMs, sentAtMs })
  }
  return reads.sort((a, b) => a.toMs - b.toMs)
}

/** Answers that stand still once in the middle and then go on at their old pace: a second admission, not an engine that slows down (R33). */
import { median } from '../statistics/percentiles.ts'
import type { MeasuredFacts } from './case-file.ts'
import { count, duration, percent } from './phrases.ts'

/** Share of an answer's stream in one gap: an engine that slows down does so from token to token. */
const STALLED_RATIO = 0.4
/** With few sessions the answers must not stand still so: else that is how this server streams. */
const STEADY_RATIO = 0.2
const FEWEST_TOKENS = 8
const FEWEST_CALLS = 4

/** What is seen, as a sentence; null when answers slow down evenly, or gaps were not stamped. */
export function stalledStreams(base: MeasuredFacts, top: MeasuredFacts): string | null {
  const [alone, full] = [gapsOf(base), gapsOf(top)]
  if (full.length < FEWEST_CALLS) return null
  const [before, after] = [median(alone.map(({ ratio }) => ratio)), median(full.map(({ ratio }) => ratio))]
  if (before === null || after === null || after < STALLED_RATIO || before > STEADY_RATIO) return null
  const gapMs = median(full.map(({ gapMs }) => gapMs)) ?? 0
  return `At ${count(top.summary.n, 'session')} an answer stands still for ${duration(gapMs)} at once, ${percent(after)} of its stream (at ${base.summary.n}: ${percent(before)}).`
}

function gapsOf({ facts }: MeasuredFacts): { ratio: number; gapMs: number }[] {
  return facts.turns.flatMap(({ row }) =>
    (row.timeline?.calls ?? []).flatMap(({ outcome, longestGapMs, firstDeltaAtMs, lastDeltaAtMs, outputTokens }) => {
      if (outcome !== 'completed' || longestGapMs === undefined || longestGapMs === null || (outputTokens ?? 0) < FEWEST_TOKENS) return []
      const streamMs = (lastDeltaAtMs ?? 0) - (firstDeltaAtMs ?? 0)
      return streamMs > 0 ? [{ ratio: longestGapMs / streamMs, gapMs: longestGapMs }] : []
    }),
  )
}

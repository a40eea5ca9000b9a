/** The slots a server really has, as seen from outside: the plateau of the streaming overlap over N. No word from the server is needed. */
import { callsOf, type MeasuredLevel } from '../levels/measured-levels.ts'
import { createSpanTimes, type Overlap } from './lasting-overlap.ts'

export type LevelOverlap = {
  readonly leg: MeasuredLevel['leg']
  readonly n: number
  /** Answers between first and last token. */
  readonly streaming: Overlap
  /** Requests between sent and ended: what the server was asked to carry at once. */
  readonly asked: Overlap
}

export type EffectiveSlots = {
  readonly n: number | null
  /** False: the overlap is a lower bound only, no level asked for lastingly more than it got. */
  readonly plateau: boolean
}

/** With one level alone above the slots, the overlap must have held for this share of the busy time to be called a plateau. */
const LONE_LEVEL_RATIO = 0.25

export function levelOverlap(level: MeasuredLevel): LevelOverlap {
  const calls = callsOf(level)
  const streaming = createSpanTimes(calls.length)
  const asked = createSpanTimes(calls.length)
  for (const call of calls) {
    asked.add(call.sentAtMs, call.endAtMs)
    if (call.firstDeltaAtMs !== null && call.lastDeltaAtMs !== null) streaming.add(call.firstDeltaAtMs, call.lastDeltaAtMs)
  }
  return { leg: level.leg, n: level.n, streaming: streaming.overlap(), asked: asked.overlap() }
}

/** @param overlaps of the legs that reach the model server, any order */
export function effectiveSlots(overlaps: readonly LevelOverlap[]): EffectiveSlots {
  const seen = overlaps.filter((level) => level.streaming.lasting > 0).sort((a, b) => a.n - b.n)
  const top = Math.max(0, ...seen.map((level) => level.streaming.lasting))
  if (top === 0) return { n: null, plateau: false }
  const limited = seen.filter((level) => level.streaming.lasting < level.asked.lasting)
  const highest = limited.at(-1)
  if (highest === undefined || highest.n < (seen.at(-1)?.n ?? 0)) return { n: top, plateau: false }
  const same = limited.filter((level) => level.streaming.lasting === top)
  const levels = new Set(same.map((level) => level.n)).size
  const holds = same.some((level) => level.streaming.lastingRatio >= LONE_LEVEL_RATIO)
  return { n: top, plateau: highest.streaming.lasting === top && (levels > 1 || holds) }
}

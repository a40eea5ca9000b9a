/**
 * The slots a server really has, as seen from outside: the plateau of the streaming overlap over N. No word from the server is needed.
 * Where the server tells how long it read each prompt, the slot is seen held from then on: a server that reads prompts one after the other streams few
 * answers at once although many hold a slot, and that is no limit of slots.
 */
import type { ModelCall } from '../../session/timeline.ts'
import { callsOf, type MeasuredLevel } from '../levels/measured-levels.ts'
import { createSpanTimes, type Overlap } from './lasting-overlap.ts'
import { readsPromptsInTurn } from './prompts-in-turn.ts'

export type LevelOverlap = {
  readonly leg: MeasuredLevel['leg']
  readonly n: number
  /** Answers between first and last token. */
  readonly streaming: Overlap
  /** Requests between sent and ended: what the server was asked to carry at once. */
  readonly asked: Overlap
  /** Answers from the beginning of their prompt's evaluation, as the server tells it, to the last token; absent = nothing is told. */
  readonly serving?: Overlap
  /** Whoever waited, waited for the prompts before its own (prompts-in-turn.ts): no limit of slots. Absent = no. */
  readonly promptsInTurn?: true
}

export type EffectiveSlots = {
  readonly n: number | null
  /** False: the overlap is a lower bound only, no level asked for lastingly more than it got. */
  readonly plateau: boolean
}

/** With one level alone above the slots, the overlap must have held for this share of the busy time to be called a plateau. */
const LONE_LEVEL_RATIO = 0.25
const MOSTLY_RATIO = 0.5

export function levelOverlap(level: MeasuredLevel): LevelOverlap {
  const calls = callsOf(level)
  const streaming = createSpanTimes(calls.length)
  const asked = createSpanTimes(calls.length)
  const serving = createSpanTimes(calls.length)
  let told = 0
  for (const call of calls) {
    asked.add(call.sentAtMs, call.endAtMs)
    const { firstDeltaAtMs: fromMs, lastDeltaAtMs: toMs } = call
    if (fromMs === null || toMs === null) continue
    streaming.add(fromMs, toMs)
    if (!isSoundlyTold(call)) continue
    serving.add(fromMs - (call.server?.promptEvalNs ?? 0) / 1e6, toMs)
    told += 1
  }
  const seen = { leg: level.leg, n: level.n, streaming: streaming.overlap(), asked: asked.overlap() }
  if (told === 0) return seen
  return { ...seen, serving: serving.overlap(), ...(level.n > 1 && readsPromptsInTurn(level) ? { promptsInTurn: true } : {}) }
}

/** Stamps that a blocked event loop delayed say nothing of when a slot was held; a prompt can't have been read before it was sent. */
function isSoundlyTold(call: ModelCall): boolean {
  const { server, firstDeltaAtMs: fromMs } = call
  if (server === null || fromMs === null || !call.endMarker) return false
  const wholeMs = call.endAtMs - call.sentAtMs
  return server.promptEvalNs / 1e6 <= fromMs - call.sentAtMs + TOLD_MS && wholeMs - server.totalNs / 1e6 <= Math.max(TOLD_MS, TOLD_RATIO * wholeMs)
}

/** As far apart as the server's times and ours may lie (attribute-calls.ts). */
const TOLD_MS = 20
const TOLD_RATIO = 0.05

/** @param overlaps of the legs that reach the model server, any order */
export function effectiveSlots(overlaps: readonly LevelOverlap[]): EffectiveSlots {
  const streaming = plateauOf(overlaps, (level) => level.streaming)
  const serving = plateauOf(overlaps, (level) => level.serving ?? level.streaming)
  return (serving.n ?? 0) > (streaming.n ?? 0) && isServedLastingly(overlaps, serving.n ?? 0) ? serving : streaming
}

/**
 * On a busy machine the end of one answer is received late while the next prompt is read already: for a few percent of the time more slots seem held
 * than there are (seen: 14 for 3.5 % and 8 for 2.5 %, at 12 and 7 slots). What a server really holds beside what streams, it holds for much longer.
 */
function isServedLastingly(overlaps: readonly LevelOverlap[], n: number): boolean {
  return overlaps.some(({ serving }) => serving !== undefined && serving.lasting >= n && serving.lastingRatio >= LONE_LEVEL_RATIO)
}

function plateauOf(overlaps: readonly LevelOverlap[], of: (level: LevelOverlap) => Overlap): EffectiveSlots {
  const seen = overlaps.filter((level) => of(level).lasting > 0).sort((a, b) => a.n - b.n)
  const top = Math.max(0, ...seen.map((level) => of(level).lasting))
  if (top === 0) return { n: null, plateau: false }
  const limited = seen.filter((level) => of(level).lasting < level.asked.lasting)
  const highest = limited.at(-1)
  if (highest === undefined || highest.n < (seen.at(-1)?.n ?? 0)) return { n: top, plateau: false }
  const same = limited.filter((level) => of(level).lasting === top)
  const levels = new Set(same.map((level) => level.n)).size
  const holds = same.some((level) => of(level).lastingRatio >= LONE_LEVEL_RATIO)
  // Slots that are a limit are taken most of the time while others wait; real Ollamas with two of them and long prompts: 54 %.
  const isIdle = highest.promptsInTurn === true && (highest.serving?.lastingRatio ?? 1) < MOSTLY_RATIO
  return { n: top, plateau: !isIdle && of(highest).lasting === top && (levels > 1 || holds) }
}

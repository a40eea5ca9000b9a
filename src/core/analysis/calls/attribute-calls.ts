/**
 * Where the time of each model call went: queue, load, swap, own prefill, neighbours' prefill, decode, and what lay outside the server.
 *
 * Queue (DESIGN.md section 5): slot occupancy is rebuilt from what the client saw. Calls take slots in the order of their first token;
 * a call gets the slot that is freed first, and not before it was sent and its model was loaded; it holds it to its end.
 * The server's own residual r = total - load - prompt_eval - eval is only the second opinion.
 */
import type { ModelCall } from '../../session/timeline.ts'
import { median } from '../statistics/percentiles.ts'
import { isLongLoad, loadKinds, loadMsOf } from './load-kinds.ts'

/** Milliseconds; all but the last three add up to `endAtMs - sentAtMs`. */
export type CallParts = {
  readonly queueMs: number
  readonly loadMs: number
  readonly swapMs: number
  readonly prefillMs: number
  readonly neighbourPrefillMs: number
  readonly decodeMs: number
  /** The server says that it was done sooner than we saw it: the delay is on our side, in the runner or the client. */
  readonly outsideMs: number
  /** The moment at which the call is taken to have got its slot. */
  readonly slotAtMs: number
  /** r less its baseline; null where the server tells no durations. */
  readonly residualMs: number | null
  readonly isUnresolved: boolean
}

/** What one call costs without a queue, by the purpose of the call: medians of the lowest level, empty when that is above the slots. */
export type Baseline = {
  readonly shortestLoadMs: number
  readonly gapMs: ReadonlyMap<ModelCall['purpose'], number>
  readonly residualMs: ReadonlyMap<ModelCall['purpose'], number>
}

/** Below this, the difference between the server's total and ours is transport and event loop in their normal state. */
const OUTSIDE_MS = 20
const OUTSIDE_RATIO = 0.05
/** Two estimates of the queue that differ by more than this are "unresolved" (bench-anchors 5.3). */
const UNRESOLVED_MS = 50
const UNRESOLVED_RATIO = 0.2

/** 0 when no server told. */
export function shortestLoadMs(calls: readonly ModelCall[]): number {
  let leastMs = Number.POSITIVE_INFINITY
  for (const call of calls) if (call.server !== null) leastMs = Math.min(leastMs, loadMsOf(call))
  return Number.isFinite(leastMs) ? leastMs : 0
}

/** @param lowest calls of the lowest level, completed ones; empty = nothing is known of a call alone */
export function baselineOf(lowest: readonly ModelCall[], shortestLoadMs: number): Baseline {
  const purposes = [...new Set(lowest.map((call) => call.purpose))]
  const medians = (figure: (call: ModelCall) => number | null) =>
    new Map(
      purposes.flatMap((purpose) => {
        const middle = median(lowest.flatMap((call) => (call.purpose === purpose ? (figure(call) ?? []) : [])))
        return middle === null ? [] : [[purpose, middle] as const]
      }),
    )
  return {
    shortestLoadMs,
    gapMs: medians((call) => (call.firstDeltaAtMs === null ? null : call.firstDeltaAtMs - call.sentAtMs)),
    residualMs: medians(residualOf),
  }
}

function residualOf(call: ModelCall): number | null {
  if (call.server === null) return null
  const { totalNs, loadNs, promptEvalNs, evalNs } = call.server
  return Math.max(0, (totalNs - loadNs - promptEvalNs - evalNs) / 1e6)
}

/**
 * @param calls of one wave, cut and failed ones too
 * @param slots null = no limit is known, so nothing is called queue
 */
export function attributeCalls(calls: readonly ModelCall[], slots: number | null, baseline: Baseline): Map<ModelCall, CallParts> {
  const parts = splitCalls(calls, slots, baseline)
  return new Map(parts.map((split, index) => [calls[index] as ModelCall, split]))
}

/** The same in the order of the calls, for whole sweeps: a map of each wave would cost more than the attribution. */
export function splitCalls(calls: readonly ModelCall[], slots: number | null, baseline: Baseline): CallParts[] {
  const kinds = calls.some((call) => isLongLoad(call, baseline.shortestLoadMs)) ? loadKinds(calls, baseline.shortestLoadMs) : null
  /** Moments at which the slots are free again, ascending; slots never used are not in it. */
  const freeAtMs: number[] = []
  const parts: CallParts[] = new Array(calls.length)
  for (const index of bySlot(calls)) {
    const call = calls[index] as ModelCall
    const turnMs = turnMsOf(call)
    const loadMs = Math.min(loadMsOf(call), turnMs - call.sentAtMs)
    const readyMs = call.sentAtMs + loadMs
    const mustWait = slots !== null && freeAtMs.length >= slots
    const freedMs = Math.min(turnMs, mustWait ? Math.max(readyMs, freeAtMs[0] ?? readyMs) : readyMs)
    const slotAtMs =
      slots === null || freedMs === readyMs || outsideMsOf(call) === 0 ? freedMs : Math.min(freedMs, readyMs + seenWaitMs(call, calls, slots))
    parts[index] = splitCall(call, slotAtMs, loadMs, kinds?.get(call) !== 'swap', baseline)
    // A call without a token was never seen in a slot: cut in the queue, refused, or lost.
    if (call.firstDeltaAtMs === null) continue
    if (mustWait) freeAtMs.shift()
    insertSorted(freeAtMs, call.endAtMs)
  }
  return parts
}

/** The moment at which a call was seen to have its turn. */
const turnMsOf = (call: ModelCall): number => call.firstDeltaAtMs ?? call.endAtMs

/** Places of the calls in the order in which they got a slot. */
function bySlot(calls: readonly ModelCall[]): number[] {
  const turns = calls.map(turnMsOf)
  const places = calls.map((_, index) => index)
  return places.sort((a, b) => (turns[a] ?? 0) - (turns[b] ?? 0) || (calls[a]?.sentAtMs ?? 0) - (calls[b]?.sentAtMs ?? 0))
}

/** What of the time from sent to ended the server's own total does not explain; 0 while that is within what is normal. */
function outsideMsOf(call: ModelCall): number {
  if (call.server === null) return 0
  const wholeMs = call.endAtMs - call.sentAtMs
  const beyondMs = wholeMs - call.server.totalNs / 1e6
  return beyondMs > Math.max(OUTSIDE_MS, OUTSIDE_RATIO * wholeMs) ? beyondMs : 0
}

/**
 * The most that a call can have queued whose stamps were delayed on our side (a blocked event loop sends and reads late): what the server's own
 * residual holds, or the time in which all slots were seen streaming answers of others.
 */
function seenWaitMs(call: ModelCall, calls: readonly ModelCall[], slots: number): number {
  const untilMs = call.firstDeltaAtMs ?? call.endAtMs
  const edges: { atMs: number; step: 1 | -1 }[] = []
  for (const other of calls) {
    if (other === call || other.firstDeltaAtMs === null) continue
    const [fromMs, toMs] = [Math.max(call.sentAtMs, other.firstDeltaAtMs), Math.min(untilMs, other.endAtMs)]
    if (toMs > fromMs) edges.push({ atMs: fromMs, step: 1 }, { atMs: toMs, step: -1 })
  }
  edges.sort((a, b) => a.atMs - b.atMs || a.step - b.step)
  let [open, busyMs, lastMs] = [0, 0, 0]
  for (const { atMs, step } of edges) {
    if (open >= slots) busyMs += atMs - lastMs
    open += step
    lastMs = atMs
  }
  return Math.max(residualOf(call) ?? 0, busyMs)
}

function insertSorted(ascending: number[], value: number) {
  let place = ascending.length
  while (place > 0 && (ascending[place - 1] ?? 0) > value) place -= 1
  ascending.splice(place, 0, value)
}

function splitCall(call: ModelCall, slotAtMs: number, loadMs: number, isLoad: boolean, baseline: Baseline): CallParts {
  const queueMs = slotAtMs - call.sentAtMs - loadMs
  const firstMs = call.firstDeltaAtMs ?? call.endAtMs
  const gapMs = firstMs - slotAtMs
  const streamMs = call.endAtMs - firstMs
  const { server } = call
  const ownMs = Math.min(gapMs, server === null ? (baseline.gapMs.get(call.purpose) ?? gapMs) : server.promptEvalNs / 1e6)
  const outsideMs = outsideMsOf(call)
  const outsideGapMs = Math.min(outsideMs, gapMs - ownMs)
  const slackMs = server === null ? 0 : Math.max(0, streamMs - server.evalNs / 1e6)
  const outsideStreamMs = Math.min(outsideMs - outsideGapMs, slackMs)
  const neighbourPrefillMs = gapMs - ownMs - outsideGapMs
  const residual = residualOf(call)
  const residualMs = residual === null ? null : Math.max(0, residual - (baseline.residualMs.get(call.purpose) ?? 0))
  return {
    queueMs,
    loadMs: isLoad ? loadMs : 0,
    swapMs: isLoad ? 0 : loadMs,
    prefillMs: ownMs,
    neighbourPrefillMs,
    decodeMs: streamMs - outsideStreamMs,
    outsideMs: outsideGapMs + outsideStreamMs,
    slotAtMs,
    residualMs,
    isUnresolved: residualMs !== null && isFarFrom(residualMs, queueMs, queueMs + neighbourPrefillMs),
  }
}

/** Newer Ollamas hold the neighbours' prefill in r too, so r may lie anywhere between queue alone and queue with it. */
function isFarFrom(residualMs: number, leastMs: number, mostMs: number): boolean {
  const distanceMs = Math.max(leastMs - residualMs, residualMs - mostMs)
  return distanceMs > Math.max(UNRESOLVED_MS, UNRESOLVED_RATIO * Math.max(residualMs, leastMs))
}

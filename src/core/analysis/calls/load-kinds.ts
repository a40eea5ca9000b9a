/**
 * What a call's `load` was: scheduling on a warm model, a cold start that all waited for, or a swap that only some waited for
 * (research: on a real Ollama the wait for another model or another num_ctx stands in `load_duration`).
 */
import type { ModelCall } from '../../session/timeline.ts'

export type LoadKind = 'warm' | 'cold' | 'swap'

/** A load is long when it exceeds the shortest one seen by this much and this many times; warm ones took 1 to 17 ms, real ones 260 and more. */
const LONG_OVER_MS = 100
const LONG_TIMES = 3
/** And when it is at least this share of its call: on a machine with too much to do, scheduling alone can take some hundred ms of a long call. */
const LONG_RATIO = 0.05
/** Calls whose loads end within this time of each other waited for the same load. */
const SAME_LOAD_MS = 100

export const loadMsOf = (call: ModelCall): number => (call.server?.loadNs ?? 0) / 1e6
export const readyAtMs = (call: ModelCall): number => call.sentAtMs + loadMsOf(call)

/** @param shortestMs shortest load of the sweep */
export function isLongLoad(call: ModelCall, shortestMs: number): boolean {
  return loadMsOf(call) > Math.max(LONG_TIMES * shortestMs, shortestMs + LONG_OVER_MS, LONG_RATIO * (call.endAtMs - call.sentAtMs))
}

/** @param calls of one wave, any order */
export function loadKinds(calls: readonly ModelCall[], shortestMs: number): Map<ModelCall, LoadKind> {
  const long = calls.filter((call) => isLongLoad(call, shortestMs))
  if (long.length === 0) return new Map(calls.map((call) => [call, 'warm']))
  const firstReadyMs = Math.min(...long.map(readyAtMs))
  const waitedForFirst = calls.filter((call) => call.sentAtMs < firstReadyMs && call.server !== null)
  const isCold =
    waitedForFirst.every((call) => isLongLoad(call, shortestMs) && readyAtMs(call) <= firstReadyMs + SAME_LOAD_MS) &&
    calls.every((call) => call.firstDeltaAtMs === null || call.firstDeltaAtMs >= firstReadyMs)
  const kindOf = (call: ModelCall): LoadKind => {
    if (!isLongLoad(call, shortestMs)) return 'warm'
    return isCold && readyAtMs(call) <= firstReadyMs + SAME_LOAD_MS ? 'cold' : 'swap'
  }
  return new Map(calls.map((call) => [call, kindOf(call)]))
}

/** How many loads there were behind the calls' waits: many calls may have waited for one (a cold start is counted once). */
export function countLoads(long: readonly ModelCall[]): number {
  const ready = long.map(readyAtMs).sort((a, b) => a - b)
  return ready.filter((at, index) => index === 0 || at - (ready[index - 1] ?? 0) > SAME_LOAD_MS).length
}

/** Splits the wall of one turn into its parts, in the order of time. Whatever the stamps say, the parts add up to the wall. */
import type { ModelCall } from '../../session/timeline.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import type { Part } from '../analysis.ts'
import type { CallParts } from './attribute-calls.ts'

export type TurnParts = Record<Part, number>
export type PartSegment = { readonly fromMs: number; readonly toMs: number; readonly part: Part }

export function noParts(): TurnParts {
  return { runner: 0, admission: 0, queue: 0, load: 0, swap: 0, prefill: 0, neighbourPrefill: 0, decode: 0, tools: 0, background: 0 }
}

/** Milliseconds of each part of the turn; their sum is its wall. */
export function decomposeTurn(row: TurnRow, partsOf: readonly (CallParts | undefined)[]): TurnParts {
  const parts = noParts()
  for (const { part, fromMs, toMs } of partSegments(row, partsOf)) parts[part] += toMs - fromMs
  return parts
}

/**
 * The turn as stretches in the order of time, without gap or overlap, from the planned submit to the end of background work as the client saw it.
 * Time in which nothing of the list below went on is the runner's, or background once the answer is whole and background calls follow.
 * @param partsOf attribution of each model call of the row, by its place in the time line
 */
export function partSegments(row: TurnRow, partsOf: readonly (CallParts | undefined)[]): PartSegment[] {
  const { timeline } = row
  const endMs = Math.max(row.endAtMs, row.plannedAtMs)
  const hasBackground = timeline?.calls.some((call) => call.purpose !== 'answer') === true
  const doneMs = hasBackground ? (timeline?.doneAtMs ?? endMs) : endMs
  const segments: PartSegment[] = []
  let cursorMs = row.plannedAtMs
  const add = (part: Part, toMs: number) => {
    if (toMs <= cursorMs) return
    segments.push({ part, fromMs: cursorMs, toMs })
    cursorMs = toMs
  }
  const rest = (toMs: number) => {
    add('runner', Math.min(Math.max(doneMs, cursorMs), toMs))
    add('background', toMs)
  }
  for (const seen of seenSegments(row, partsOf)) {
    const fromMs = Math.min(Math.max(seen.fromMs, cursorMs), endMs)
    const toMs = Math.min(seen.toMs, endMs)
    if (toMs <= fromMs) continue
    rest(fromMs)
    add(seen.part, toMs)
  }
  rest(endMs)
  return segments
}

/** What the stamps tell: admission, tools and model calls, by their beginning; they may overlap. */
function seenSegments({ timeline, endAtMs }: TurnRow, partsOf: readonly (CallParts | undefined)[]): PartSegment[] {
  if (timeline === null) return []
  const segments: PartSegment[] = [{ fromMs: timeline.acceptedAtMs, toMs: timeline.runnerStartAtMs ?? endAtMs, part: 'admission' }]
  for (const tool of timeline.tools) segments.push({ fromMs: tool.startAtMs, toMs: tool.endAtMs, part: 'tools' })
  timeline.calls.forEach((call, index) => {
    addCall(segments, call, partsOf[index])
  })
  return isAscending(segments) ? segments : segments.sort((a, b) => a.fromMs - b.fromMs)
}

/** Nearly always: looking is cheaper than sorting. */
function isAscending(segments: readonly PartSegment[]): boolean {
  let lastMs = Number.NEGATIVE_INFINITY
  for (const { fromMs } of segments) {
    if (!(fromMs >= lastMs)) return false
    lastMs = fromMs
  }
  return true
}

function addCall(segments: PartSegment[], call: ModelCall, split: CallParts | undefined) {
  const service = (part: Part): Part => (call.purpose === 'answer' ? part : 'background')
  let fromMs = call.sentAtMs
  const add = (part: Part, lengthMs: number) => {
    if (lengthMs <= 0) return
    segments.push({ fromMs, toMs: fromMs + lengthMs, part })
    fromMs += lengthMs
  }
  if (split === undefined) return add(service('decode'), call.endAtMs - call.sentAtMs)
  add('load', split.loadMs)
  add('swap', split.swapMs)
  add('queue', split.queueMs)
  add('runner', split.outsideMs)
  add(service('neighbourPrefill'), split.neighbourPrefillMs)
  add(service('prefill'), split.prefillMs)
  add(service('decode'), split.decodeMs)
}

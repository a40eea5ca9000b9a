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

const NO_PARTS = noParts()

/** Adds the parts to the sum, each by its name: a hundred thousand turns are too many to look names up. */
export function addParts(sum: TurnParts, parts: TurnParts) {
  sum.runner += parts.runner
  sum.admission += parts.admission
  sum.queue += parts.queue
  sum.load += parts.load
  sum.swap += parts.swap
  sum.prefill += parts.prefill
  sum.neighbourPrefill += parts.neighbourPrefill
  sum.decode += parts.decode
  sum.tools += parts.tools
  sum.background += parts.background
}

/** Milliseconds of each part of the turn; their sum is its wall. */
export function decomposeTurn(row: TurnRow, partsOf: readonly (CallParts | undefined)[]): TurnParts {
  const parts = noParts()
  decomposeInto(parts, row, partsOf)
  return parts
}

/** The same, over what the parts held before. */
export function decomposeInto(parts: TurnParts, row: TurnRow, partsOf: readonly (CallParts | undefined)[]) {
  Object.assign(parts, NO_PARTS)
  walkTurn(row, partsOf, (part, fromMs, toMs) => {
    parts[part] += toMs - fromMs
  })
}

/**
 * The turn as stretches in the order of time, without gap or overlap, from the planned submit to the end of background work as the client saw it.
 * Time in which nothing of the list below went on is the runner's, or background once the answer is whole and background calls follow.
 * @param partsOf attribution of each model call of the row, by its place in the time line
 */
export function partSegments(row: TurnRow, partsOf: readonly (CallParts | undefined)[]): PartSegment[] {
  const segments: PartSegment[] = []
  walkTurn(row, partsOf, (part, fromMs, toMs) => {
    segments.push({ fromMs, toMs, part })
  })
  return segments
}

type Visit = (part: Part, fromMs: number, toMs: number) => void

function walkTurn(row: TurnRow, partsOf: readonly (CallParts | undefined)[], visit: Visit) {
  const { timeline } = row
  const endMs = Math.max(row.endAtMs, row.plannedAtMs)
  const hasBackground = timeline?.calls.some((call) => call.purpose !== 'answer') === true
  const doneMs = hasBackground ? (timeline?.doneAtMs ?? endMs) : endMs
  let cursorMs = row.plannedAtMs
  const add = (part: Part, toMs: number) => {
    if (toMs <= cursorMs) return
    visit(part, cursorMs, toMs)
    cursorMs = toMs
  }
  const rest = (toMs: number) => {
    add('runner', Math.min(Math.max(doneMs, cursorMs), toMs))
    add('background', toMs)
  }
  walkSeen(row, partsOf, (part, seenFromMs, seenToMs) => {
    const fromMs = Math.min(Math.max(seenFromMs, cursorMs), endMs)
    const toMs = Math.min(seenToMs, endMs)
    if (toMs <= fromMs) return
    rest(fromMs)
    add(part, toMs)
  })
  rest(endMs)
}

/** What the stamps tell, by its beginning; pieces may overlap. */
function walkSeen(row: TurnRow, partsOf: readonly (CallParts | undefined)[], visit: Visit) {
  if (isOneAfterAnother(row)) return eachSeen(row, partsOf, visit)
  const seen: PartSegment[] = []
  eachSeen(row, partsOf, (part, fromMs, toMs) => {
    seen.push({ part, fromMs, toMs })
  })
  seen.sort((a, b) => a.fromMs - b.fromMs)
  for (const { part, fromMs, toMs } of seen) visit(part, fromMs, toMs)
}

/** Whether the order of the list is that of time, as in nearly every turn: looking is cheaper than sorting. */
function isOneAfterAnother({ timeline }: TurnRow): boolean {
  if (timeline === null) return true
  if (timeline.tools.length > 0) return false
  let lastMs = timeline.acceptedAtMs
  for (const call of timeline.calls) {
    if (!(call.sentAtMs >= lastMs)) return false
    lastMs = call.endAtMs
  }
  return true
}

/** Admission, tools and model calls. */
function eachSeen({ timeline, endAtMs }: TurnRow, partsOf: readonly (CallParts | undefined)[], visit: Visit) {
  if (timeline === null) return
  visit('admission', timeline.acceptedAtMs, timeline.runnerStartAtMs ?? endAtMs)
  for (const tool of timeline.tools) visit('tools', tool.startAtMs, tool.endAtMs)
  for (const [index, call] of timeline.calls.entries()) eachOfCall(call, partsOf[index], visit)
}

function eachOfCall(call: ModelCall, split: CallParts | undefined, visit: Visit) {
  const isAnswer = call.purpose === 'answer'
  let fromMs = call.sentAtMs
  const add = (part: Part, lengthMs: number) => {
    if (lengthMs <= 0) return
    visit(part, fromMs, fromMs + lengthMs)
    fromMs += lengthMs
  }
  if (split === undefined) return add(isAnswer ? 'decode' : 'background', call.endAtMs - call.sentAtMs)
  add('load', split.loadMs)
  add('swap', split.swapMs)
  add('queue', split.queueMs)
  add('runner', split.outsideMs)
  add(isAnswer ? 'neighbourPrefill' : 'background', split.neighbourPrefillMs)
  add(isAnswer ? 'prefill' : 'background', split.prefillMs)
  add(isAnswer ? 'decode' : 'background', split.decodeMs)
}

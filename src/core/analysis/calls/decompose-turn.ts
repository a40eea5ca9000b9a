/** Splits the wall of one turn into its parts, in the order of time. Whatever the stamps say, the parts add up to the wall. */
import type { TurnRow } from '../../sweep/turn-row.ts'
import { PARTS, type Part } from '../analysis.ts'
import type { CallParts } from './attribute-calls.ts'

export type TurnParts = Record<Part, number>
export type PartSegment = { readonly fromMs: number; readonly toMs: number; readonly part: Part }

export function noParts(): TurnParts {
  return Object.fromEntries(PARTS.map((part) => [part, 0])) as TurnParts
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
  const found: PartSegment[] = timeline === null ? [] : [...waitOf(row), ...toolsOf(row), ...callsOf(row, partsOf)]
  found.sort((a, b) => a.fromMs - b.fromMs)
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
  for (const segment of found) {
    const fromMs = Math.min(Math.max(segment.fromMs, cursorMs), endMs)
    const toMs = Math.min(segment.toMs, endMs)
    if (toMs <= fromMs) continue
    rest(fromMs)
    add(segment.part, toMs)
  }
  rest(endMs)
  return segments
}

function waitOf({ timeline, endAtMs }: TurnRow): PartSegment[] {
  return timeline === null ? [] : [{ fromMs: timeline.acceptedAtMs, toMs: timeline.runnerStartAtMs ?? endAtMs, part: 'admission' }]
}

function toolsOf({ timeline }: TurnRow): PartSegment[] {
  return (timeline?.tools ?? []).map((tool) => ({ fromMs: tool.startAtMs, toMs: tool.endAtMs, part: 'tools' }))
}

function callsOf({ timeline }: TurnRow, partsOf: readonly (CallParts | undefined)[]): PartSegment[] {
  return (timeline?.calls ?? []).flatMap((call, index) => {
    const split = partsOf[index]
    const isAnswer = call.purpose === 'answer'
    const service = (part: Part): Part => (isAnswer ? part : 'background')
    if (split === undefined) return [{ fromMs: call.sentAtMs, toMs: call.endAtMs, part: service('decode') }]
    const spans: readonly (readonly [Part, number])[] = [
      ['load', split.loadMs],
      ['swap', split.swapMs],
      ['queue', split.queueMs],
      ['runner', split.outsideMs],
      [service('neighbourPrefill'), split.neighbourPrefillMs],
      [service('prefill'), split.prefillMs],
      [service('decode'), split.decodeMs],
    ]
    let fromMs = call.sentAtMs
    return spans.map(([part, lengthMs]) => {
      const segment = { fromMs, toMs: fromMs + lengthMs, part }
      fromMs = segment.toMs
      return segment
    })
  })
}

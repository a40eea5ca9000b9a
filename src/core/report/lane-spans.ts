/** One turn as a row of spans in the order of time, for swim-lanes: where each stretch of its wall went. */
import type { Part } from '../analysis/analysis.ts'
import type { ModelCall } from '../session/timeline.ts'
import type { TurnRow } from '../sweep/turn-row.ts'

export type LaneSpan = { readonly part: Part; readonly fromMs: number; readonly toMs: number }

/** How the wait of a call for its first token splits, in the order in which it is drawn. Milliseconds. */
export type CallWait = {
  readonly queueMs: number
  readonly swapMs: number
  readonly loadMs: number
  readonly neighbourPrefillMs: number
  readonly prefillMs: number
}

const WAIT_ORDER = [
  ['queue', 'queueMs'],
  ['swap', 'swapMs'],
  ['load', 'loadMs'],
  ['neighbourPrefill', 'neighbourPrefillMs'],
  ['prefill', 'prefillMs'],
] as const

/** Below this a span would not be seen. */
const SHORTEST_MS = 0.05

/**
 * @param waitOf the analysis's split of a call's wait; what it leaves over is drawn as prefill
 * @returns spans from the planned moment to the end of the turn, without gaps or overlap
 */
export function laneSpans(row: TurnRow, waitOf: (call: ModelCall) => CallWait): LaneSpan[] {
  const spans: LaneSpan[] = []
  let cursorMs = row.plannedAtMs
  const until = (part: Part, toMs: number | null) => {
    if (toMs === null || toMs <= cursorMs) return
    const end = Math.min(toMs, row.endAtMs)
    const last = spans.at(-1)
    if (last !== undefined && last.part === part) spans[spans.length - 1] = { ...last, toMs: end }
    else if (end - cursorMs >= SHORTEST_MS) spans.push({ part, fromMs: cursorMs, toMs: end })
    else return
    cursorMs = end
  }
  const { timeline } = row
  if (timeline !== null) {
    until('runner', timeline.acceptedAtMs)
    until('admission', timeline.runnerStartAtMs)
    for (const call of [...timeline.calls].sort((a, b) => a.sentAtMs - b.sentAtMs)) {
      for (const tool of timeline.tools) {
        if (tool.startAtMs < call.sentAtMs && tool.endAtMs > cursorMs) {
          until('runner', tool.startAtMs)
          until('tools', Math.min(tool.endAtMs, call.sentAtMs))
        }
      }
      until(call.purpose === 'answer' ? 'runner' : 'background', call.sentAtMs)
      callSpans(call, waitOf(call), until, () => cursorMs)
    }
    until('runner', timeline.doneAtMs)
  }
  until(row.doneAtMs === null ? 'runner' : 'background', row.endAtMs)
  return spans
}

function callSpans(call: ModelCall, wait: CallWait, until: (part: Part, toMs: number | null) => void, cursor: () => number): void {
  const background = call.purpose !== 'answer'
  const firstAtMs = call.firstDeltaAtMs ?? call.endAtMs
  for (const [part, key] of WAIT_ORDER) {
    const own = background && part !== 'queue' ? 'background' : part
    if (wait[key] > 0) until(own, Math.min(firstAtMs, Math.max(cursor(), call.sentAtMs) + wait[key]))
  }
  until(background ? 'background' : call.firstDeltaAtMs === null ? 'queue' : 'prefill', firstAtMs)
  until(background ? 'background' : 'decode', call.endAtMs)
}

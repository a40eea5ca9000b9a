/** Moves a row from the machine's clock to the sweep's: all stamps count from its beginning afterwards. */
import type { ModelCall, TurnTimeline } from '../session/timeline.ts'
import type { Lane } from './sweep-event.ts'
import type { TurnRow } from './turn-row.ts'

const moved = (atMs: number | null, originMs: number) => (atMs === null ? null : atMs - originMs)

/** @param originMs the sweep's beginning on the machine's clock */
export function shiftRow(row: TurnRow, originMs: number): TurnRow {
  return {
    ...row,
    plannedAtMs: row.plannedAtMs - originMs,
    submitAtMs: row.submitAtMs - originMs,
    acceptedAtMs: moved(row.acceptedAtMs, originMs),
    firstActivityAtMs: moved(row.firstActivityAtMs, originMs),
    doneAtMs: moved(row.doneAtMs, originMs),
    endAtMs: row.endAtMs - originMs,
    timeline: row.timeline === null ? null : shiftTimeline(row.timeline, originMs),
  }
}

export function shiftLane(lane: Lane, originMs: number): Lane {
  return {
    ...lane,
    plannedAtMs: lane.plannedAtMs - originMs,
    runnerStartAtMs: moved(lane.runnerStartAtMs, originMs),
    sentAtMs: moved(lane.sentAtMs, originMs),
    firstActivityAtMs: moved(lane.firstActivityAtMs, originMs),
    doneAtMs: moved(lane.doneAtMs, originMs),
    endAtMs: moved(lane.endAtMs, originMs),
  }
}

function shiftTimeline(timeline: TurnTimeline, originMs: number): TurnTimeline {
  return {
    ...timeline,
    acceptedAtMs: timeline.acceptedAtMs - originMs,
    runnerStartAtMs: moved(timeline.runnerStartAtMs, originMs),
    firstModelRequestAtMs: moved(timeline.firstModelRequestAtMs, originMs),
    firstActivityAtMs: moved(timeline.firstActivityAtMs, originMs),
    doneAtMs: moved(timeline.doneAtMs, originMs),
    backgroundEndAtMs: timeline.backgroundEndAtMs - originMs,
    calls: timeline.calls.map((call) => shiftCall(call, originMs)),
    tools: timeline.tools.map((tool) => ({ ...tool, startAtMs: tool.startAtMs - originMs, endAtMs: tool.endAtMs - originMs })),
  }
}

function shiftCall(call: ModelCall, originMs: number): ModelCall {
  return {
    ...call,
    sentAtMs: call.sentAtMs - originMs,
    headersAtMs: moved(call.headersAtMs, originMs),
    firstByteAtMs: moved(call.firstByteAtMs, originMs),
    firstDeltaAtMs: moved(call.firstDeltaAtMs, originMs),
    firstTextAtMs: moved(call.firstTextAtMs, originMs),
    lastDeltaAtMs: moved(call.lastDeltaAtMs, originMs),
    endAtMs: call.endAtMs - originMs,
  }
}

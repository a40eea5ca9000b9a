/**
 * One turn's time line as segments in the order of time, for a bar: which part of the turn each stretch belongs to.
 * This looks at one turn alone: what the server calls its own time is taken at its word, and the waiting that nothing explains before the first
 * token is shown as queue. A sweep, which sees all sessions at once, attributes waiting by the slots that were busy (core/analysis).
 */
import type { ModelCall, TurnTimeline } from './timeline.ts'

/** The seven parts that a bar shows; admission is waiting and drawn as queue, a swap is drawn as load. */
export type SegmentPart = 'runner' | 'queue' | 'load' | 'prefill' | 'decode' | 'tools' | 'background'
/** Monotonic milliseconds on the time line's own axis; `toMs > fromMs`. */
export type Segment = { readonly part: SegmentPart; readonly fromMs: number; readonly toMs: number }

const NS_PER_MS = 1e6

/** From sent to the end of one call: queue, load, prefill, decode, in this order. */
function callSegments(call: ModelCall, untilMs: number): Segment[] {
  const endMs = Math.min(call.lastDeltaAtMs ?? call.endAtMs, untilMs)
  const firstMs = Math.min(call.firstDeltaAtMs ?? endMs, endMs)
  const gapMs = Math.max(0, firstMs - call.sentAtMs)
  const loadMs = call.server === null ? 0 : Math.min(gapMs, call.server.loadNs / NS_PER_MS)
  const prefillMs = call.server === null ? 0 : Math.min(gapMs - loadMs, call.server.promptEvalNs / NS_PER_MS)
  // Without the server's word the wait before the first token can't be parted; it is drawn as prefill, never as a queue that nobody saw.
  const queueMs = call.server === null ? 0 : gapMs - loadMs - prefillMs
  const queueEnd = call.sentAtMs + queueMs
  const loadEnd = queueEnd + loadMs
  return [
    { part: 'queue', fromMs: call.sentAtMs, toMs: queueEnd },
    { part: 'load', fromMs: queueEnd, toMs: loadEnd },
    { part: 'prefill', fromMs: loadEnd, toMs: firstMs },
    { part: 'decode', fromMs: firstMs, toMs: endMs },
  ]
}

/** @returns segments without overlap that cover accepted to end; empty stretches are left out */
export function turnSegments(timeline: TurnTimeline): Segment[] {
  const endMs = timeline.backgroundEndAtMs
  const doneMs = timeline.doneAtMs ?? endMs
  const startMs = timeline.runnerStartAtMs ?? endMs
  const inner: Segment[] = [
    ...timeline.calls.filter((call) => call.purpose === 'answer').flatMap((call) => callSegments(call, doneMs)),
    ...timeline.tools.map((tool): Segment => ({ part: 'tools', fromMs: tool.startAtMs, toMs: Math.min(tool.endAtMs, doneMs) })),
  ].sort((a, b) => a.fromMs - b.fromMs)

  const segments: Segment[] = []
  let atMs = timeline.acceptedAtMs
  const add = (part: SegmentPart, toMs: number) => {
    if (toMs <= atMs) return
    segments.push({ part, fromMs: atMs, toMs })
    atMs = toMs
  }
  add('queue', startMs)
  for (const segment of inner) {
    add('runner', segment.fromMs)
    add(segment.part, segment.toMs)
  }
  add('runner', doneMs)
  add('background', endMs)
  return segments
}

/** A turn's time line as the four durations that the dock charts, from the moment at which the runner accepted it. Pure. */
import type { TurnTimeline } from './timeline.ts'
import type { TurnLatency } from './turn-latency.ts'

export function latencyOf(timeline: TurnTimeline, origin: TurnLatency['origin'], endedEpochMs: number): TurnLatency {
  const since = (atMs: number | null) => (atMs === null ? null : atMs - timeline.acceptedAtMs)
  return {
    endedEpochMs,
    origin,
    outcome: timeline.outcome,
    ttfaMs: since(timeline.firstActivityAtMs),
    firstModelRequestMs: since(timeline.firstModelRequestAtMs),
    doneMs: since(timeline.doneAtMs),
    wallMs: timeline.backgroundEndAtMs - timeline.acceptedAtMs,
  }
}

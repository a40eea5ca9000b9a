/** One turn's time as a bar of its parts, with the four times under it and the largest part named. */

import { formatMs } from '../../../core/report/format-number.ts'
import type { TurnTimeline } from '../../../core/session/timeline.ts'
import { type SegmentPart, turnSegments } from '../../../core/session/turn-segments.ts'
import { partFill } from '../../ui/part-patterns.tsx'
import styles from './chat-pane.module.css'

const since = (timeline: TurnTimeline, atMs: number | null) => (atMs === null ? '–' : formatMs(atMs - timeline.acceptedAtMs))

function largestPart(segments: ReturnType<typeof turnSegments>): { part: SegmentPart; ms: number } | undefined {
  const sums = new Map<SegmentPart, number>()
  for (const { part, fromMs, toMs } of segments) sums.set(part, (sums.get(part) ?? 0) + toMs - fromMs)
  return [...sums].map(([part, ms]) => ({ part, ms })).sort((a, b) => b.ms - a.ms)[0]
}

export function TurnBar({ timeline }: { timeline: TurnTimeline }) {
  const segments = turnSegments(timeline)
  const wallMs = timeline.backgroundEndAtMs - timeline.acceptedAtMs
  const largest = largestPart(segments)
  if (wallMs <= 0) return null
  const label = segments.map((s) => `${s.part} ${formatMs(s.toMs - s.fromMs)}`).join(', ')
  return (
    <div className={styles.line}>
      <svg role="img" aria-label={`Time of this turn: ${label}`}>
        {segments.map((s) => (
          <rect
            key={`${s.part}${s.fromMs}`}
            x={`${((s.fromMs - timeline.acceptedAtMs) / wallMs) * 100}%`}
            width={`${((s.toMs - s.fromMs) / wallMs) * 100}%`}
            height="6"
            style={{ fill: partFill(s.part) }}
          />
        ))}
      </svg>
      <dl>
        {(
          [
            ['ttfa', timeline.firstActivityAtMs],
            ['first model request', timeline.firstModelRequestAtMs],
            ['done', timeline.doneAtMs],
            ['wall', timeline.backgroundEndAtMs],
          ] as const
        ).map(([name, atMs]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{since(timeline, atMs)}</dd>
          </div>
        ))}
        {largest === undefined ? null : (
          <div className={styles.largest}>
            <dd style={{ color: `var(--part-${largest.part}-text)` }}>
              {largest.part} {formatMs(largest.ms)}
            </dd>
          </div>
        )}
      </dl>
    </div>
  )
}

/** The lanes: one bar a session, parts in their hues and patterns. Own SVG, since no chart library draws this. */
import { formatMs } from '../../../core/report/format-number.ts'
import { partFill } from '../../ui/part-patterns.tsx'
import type { LaneBar, LaneView, WaveView } from './lane-model.ts'
import styles from './wave-panel.module.css'

/** Room that the lanes may take; with more sessions each lane gets lower, then they scroll. */
const MOST_PX = 180
const LANE_PX = { most: 18, least: 9 }

const laneHeight = (lanes: number): number => Math.max(LANE_PX.least, Math.min(LANE_PX.most, Math.floor(MOST_PX / Math.max(1, lanes))))

const percent = (ms: number, axisMs: number) => `${Math.round((ms / axisMs) * 100_000) / 1000}%`

/** The runner's share is mostly a millisecond; it is drawn all the same, since "the runner was innocent" must be seen. */
const RUNNER_LEAST = { percent: 0.3, px: 2 }

const barWidth = (bar: LaneBar, axisMs: number) => {
  const share = (bar.toMs - bar.fromMs) / axisMs
  return bar.part === 'runner' && share * 100 < RUNNER_LEAST.percent ? RUNNER_LEAST.px : percent(bar.toMs - bar.fromMs, axisMs)
}

function LaneBars({ lane, axisMs, y, height }: { lane: LaneView; axisMs: number; y: number; height: number }) {
  return (
    <g>
      {lane.bars.map((bar) => (
        <rect
          key={`${bar.part}${bar.fromMs}`}
          x={percent(bar.fromMs, axisMs)}
          y={y}
          width={barWidth(bar, axisMs)}
          height={height}
          style={{ fill: partFill(bar.part) }}
        />
      ))}
      {lane.state === 'failed' ? (
        <svg x={percent(lane.endMs, axisMs)} y={y + height / 2} overflow="visible" width="1" height="1" aria-hidden="true">
          <path className={styles.cross} d="M3-4l8 8M11-4l-8 8" />
        </svg>
      ) : null}
    </g>
  )
}

function LaneText({ lane, outputTokens }: { lane: LaneView; outputTokens: number }) {
  const { state, ttfaMs, doneMs, endMs, sentMs, tokens } = lane
  if (state === 'failed')
    return (
      <>
        <span className="fail">failed</span> after <b>{formatMs(endMs)}</b>
      </>
    )
  if (state === 'cut')
    return (
      <>
        cut after <b>{formatMs(endMs)}</b>
      </>
    )
  if (ttfaMs === null)
    return (
      <>
        {sentMs === null ? 'not sent ' : 'waits '}
        <b>{formatMs(endMs - (sentMs ?? 0))}</b>
      </>
    )
  return (
    <>
      ttfa <b>{formatMs(ttfaMs).padStart(6)}</b>
      <span className={styles.wide}>
        {doneMs !== null ? (
          <>
            {'  '}done <b>{formatMs(doneMs)}</b>
          </>
        ) : tokens !== null && tokens > 0 ? (
          <>
            {'  '}
            <b>{tokens}</b> of {outputTokens} tokens
          </>
        ) : null}
      </span>
    </>
  )
}

/** All ticks in the unit that the axis needs. */
const tickText = (ms: number, axisMs: number) => (axisMs >= 1000 ? `${Number((ms / 1000).toFixed(2))} s` : `${ms} ms`)

export function WaveLanes({ wave, outputTokens }: { wave: WaveView; outputTokens: number }) {
  const { lanes, axisMs, tickMs, nowMs } = wave
  const step = laneHeight(lanes.length)
  const bar = Math.max(5, step - 8 + (step < 14 ? 3 : 0))
  const height = step * lanes.length
  const ticks = Array.from({ length: Math.round(axisMs / tickMs) + 1 }, (_, i) => i * tickMs)
  // Names that would overlap are left out, evenly.
  const every = step >= 14 ? 1 : 2
  const line = { height: step, lineHeight: `${step}px` }
  return (
    <>
      <div className={styles.grid}>
        <div aria-hidden="true">
          {lanes.map((lane, i) => (
            <div key={lane.session} className={styles.id} style={line}>
              {i % every === 0 ? `s${lane.session + 1}` : ''}
            </div>
          ))}
        </div>
        <svg
          className={styles.lanes}
          height={height}
          role="img"
          aria-label={`Where the time of ${lanes.length} of ${wave.sessions} sessions goes in this wave, up to ${formatMs(nowMs ?? axisMs)}`}
        >
          {ticks.slice(1).map((tick) => (
            <line key={tick} className={styles.gridLine} x1={percent(tick, axisMs)} x2={percent(tick, axisMs)} y1={0} y2={height} />
          ))}
          {lanes.map((lane, i) => (
            <LaneBars key={lane.session} lane={lane} axisMs={axisMs} y={i * step + (step - bar) / 2} height={bar} />
          ))}
          {nowMs === null ? null : <line className={styles.now} x1={percent(nowMs, axisMs)} x2={percent(nowMs, axisMs)} y1={-4} y2={height + 4} />}
        </svg>
        <div>
          {lanes.map((lane, i) => (
            <div key={lane.session} className={styles.value} style={line}>
              {i % every === 0 ? <LaneText lane={lane} outputTokens={outputTokens} /> : null}
            </div>
          ))}
        </div>
      </div>
      <div className={styles.axisRow}>
        <span />
        <svg height={18} width="100%" overflow="visible" aria-hidden="true">
          {ticks.map((tick, i) => (
            <text key={tick} className={styles.axis} x={percent(tick, axisMs)} y={13} textAnchor={i === 0 ? 'start' : 'middle'}>
              {tickText(tick, axisMs)}
            </text>
          ))}
        </svg>
        <span />
      </div>
    </>
  )
}

/** One small live chart: dots of turns, p50 solid, p95 dashed. Nothing in it moves by itself. */
import { CartesianGrid, ComposedChart, Line, ResponsiveContainer, Scatter, XAxis, YAxis } from 'recharts'
import { formatMs } from '../../../core/report/format-number.ts'
import { plainMs } from '../../ui/plain-ms.ts'
import styles from './dock.module.css'
import { axisTop, type LatencyPoint } from './rolling-latency.ts'

const AXIS = { stroke: 'transparent', tick: { fill: 'var(--text-2)', fontSize: 11, fontFamily: 'var(--font-mono)' } } as const

function clockTime(epochMs: number): string {
  const at = new Date(epochMs)
  return `${String(at.getHours()).padStart(2, '0')}:${String(at.getMinutes()).padStart(2, '0')}`
}

type LatencyChartProps = { name: string; points: readonly LatencyPoint[]; fromEpochMs: number; toEpochMs: number; showTime: boolean }

export function LatencyChart({ name, points, fromEpochMs, toEpochMs, showTime }: LatencyChartProps) {
  const last = points.at(-1)
  const drawn = points.filter((point) => point.ms !== null)
  const top = axisTop(drawn.map((point) => point.ms ?? 0))
  return (
    <section className={styles.mini} aria-label={`${name}: ${drawn.length} turns`}>
      <header>
        <h3>{name}</h3>
        <span className={styles.figures}>
          p50 <b>{last?.p50 == null ? '–' : formatMs(last.p50)}</b> p95 <b>{last?.p95 == null ? '–' : formatMs(last.p95)}</b>
        </span>
      </header>
      {drawn.length === 0 ? (
        <p className={styles.none}>no turn ended in this span</p>
      ) : (
        <div className={styles.plot} aria-hidden="true">
          <ResponsiveContainer width="100%" height="100%">
            <ComposedChart data={points as LatencyPoint[]} margin={{ top: 6, right: 4, bottom: showTime ? 0 : 6, left: 0 }}>
              <CartesianGrid vertical={false} stroke="var(--hairline)" />
              <XAxis
                dataKey="epochMs"
                type="number"
                domain={[fromEpochMs, toEpochMs]}
                ticks={[fromEpochMs, toEpochMs]}
                tickFormatter={clockTime}
                hide={!showTime}
                height={16}
                {...AXIS}
              />
              <YAxis width={52} domain={[0, top]} ticks={[0, top / 2, top]} interval={0} tickFormatter={plainMs} {...AXIS} />
              <Scatter dataKey="ms" fill="var(--dot)" fillOpacity={0.75} isAnimationActive={false} shape={<Dot />} />
              <Line dataKey="p50" stroke="var(--text-1)" strokeWidth={1.75} dot={false} isAnimationActive={false} connectNulls />
              <Line
                dataKey="p95"
                stroke="var(--text-1)"
                strokeWidth={1.25}
                strokeDasharray="4 3"
                dot={false}
                isAnimationActive={false}
                connectNulls
              />
            </ComposedChart>
          </ResponsiveContainer>
        </div>
      )}
    </section>
  )
}

function Dot({ cx, cy }: { cx?: number; cy?: number }) {
  return cx === undefined || cy === undefined || Number.isNaN(cy) ? null : <circle cx={cx} cy={cy} r={1.7} fill="var(--dot)" fillOpacity={0.75} />
}

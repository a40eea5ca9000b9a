/** Latency by sessions in flight: p50 solid, p95 dashed, single sessions as dots, the load line. The table under it holds the same figures. */
import { memo, useRef } from 'react'
import { Area, CartesianGrid, ComposedChart, Line, XAxis, YAxis } from 'recharts'
import { plainMs } from '../../ui/plain-ms.ts'
import { useSize } from '../../ui/use-size.ts'
import { type ChartColumn, type ChartModel, frameKey } from './chart-model.ts'
import styles from './latency-chart.module.css'
import { DotsContext, LoadLineOverlay, SessionDots } from './load-line-overlay.tsx'

/** The table below has its columns under the levels, so it keeps the same margins. */
export const AXIS_WIDTH = 60
export const RIGHT_MARGIN = 20
const TICK = { fontSize: 11, fontFamily: 'var(--font-mono)', fill: 'var(--text-2)' }
const MARGIN = { top: 10, right: 0, bottom: 0, left: 0 }

function spoken(model: ChartModel): string {
  const { loadLine, metric, columns } = model
  const line =
    loadLine.kind === 'found'
      ? `The load line is at ${loadLine.n} sessions.`
      : loadLine.kind === 'not-reached'
        ? `The load line is not reached: more than ${loadLine.n} sessions.`
        : loadLine.kind === 'none-holds'
          ? 'No level holds the SLO.'
          : 'The load line is not known yet.'
  const seen = columns.filter((column) => column.sessions > 0).map((column) => column.n)
  return `${metric} by sessions in flight, levels ${seen.join(', ') || 'none yet'}: p50, p95 and single sessions. ${line} The table below has the figures.`
}

/** Curves are drawn solid through exact percentiles and dotted where too few samples make them rough. */
const chartRows = (columns: readonly ChartColumn[]) =>
  columns.map((column, x) => ({
    x,
    p50: column.p50?.rough === false ? column.p50.ms : null,
    p95: column.p95?.rough === false ? column.p95.ms : null,
    rough50: column.p50?.ms ?? null,
    rough95: column.p95?.ms ?? null,
    band: column.p50 === null || column.p95 === null ? null : [column.p50.ms, column.p95.ms],
  }))

const SOLID_DOT = { r: 3, fill: 'var(--text-1)', stroke: 'var(--text-1)', strokeWidth: 1.25 }
const OPEN_DOT = { r: 2.5, fill: 'var(--surface-1)', stroke: 'var(--text-1)', strokeWidth: 1.25, strokeDasharray: '0' }

type ChartFrameProps = { model: ChartModel }

/** The chart with its single sessions. Dots come four times a second, curves once a cell: so recharts redraws only with the curves. */
export function LatencyChart({ model }: ChartFrameProps) {
  return (
    <DotsContext value={model.dots}>
      <ChartFrame model={model} />
    </DotsContext>
  )
}

const sameFrame = (a: ChartFrameProps, b: ChartFrameProps) => frameKey(a.model) === frameKey(b.model)

const ChartFrame = memo(function ChartFrame({ model }: ChartFrameProps) {
  const box = useRef<HTMLDivElement>(null)
  const { width, height } = useSize(box, { width: 760, height: 360 })
  const { columns, ticks } = model
  const rows = chartRows(columns)
  const domain = [ticks[0] ?? 1, ticks.at(-1) ?? 10]
  const isRough = (key: 'p50' | 'p95') => columns.some((column) => column[key]?.rough === true)
  const line = { type: 'linear' as const, isAnimationActive: false, stroke: 'var(--text-1)', activeDot: false }
  return (
    <div className={styles.plot} role="img" aria-label={spoken(model)}>
      <div ref={box}>
        <ComposedChart width={width} height={height} data={rows} margin={MARGIN} accessibilityLayer={false}>
          <CartesianGrid vertical={false} stroke="var(--hairline)" syncWithTicks />
          <XAxis
            dataKey="x"
            type="number"
            domain={[-0.5, columns.length - 0.5]}
            ticks={columns.map((_, i) => i)}
            tickFormatter={(i: number) => String(columns[i]?.n ?? '')}
            interval={0}
            height={24}
            tick={TICK}
            tickLine={false}
            stroke="var(--edge)"
          />
          <YAxis
            type="number"
            scale="log"
            domain={domain}
            ticks={[...ticks]}
            tickFormatter={plainMs}
            interval={0}
            width={AXIS_WIDTH}
            tick={TICK}
            tickLine={false}
            axisLine={false}
            allowDataOverflow
          />
          <Area
            dataKey="band"
            type="linear"
            isAnimationActive={false}
            stroke="none"
            fill="var(--band)"
            fillOpacity={0.7}
            dot={false}
            activeDot={false}
          />
          <SessionDots />
          {isRough('p95') ? <Line {...line} dataKey="rough95" stroke="var(--text-2)" strokeWidth={1} strokeDasharray="1 3" dot={false} /> : null}
          {isRough('p50') ? <Line {...line} dataKey="rough50" stroke="var(--text-2)" strokeWidth={1} strokeDasharray="1 3" dot={false} /> : null}
          <Line {...line} dataKey="p95" strokeWidth={1.25} strokeDasharray="4 3" dot={OPEN_DOT} />
          <Line {...line} dataKey="p50" strokeWidth={1.75} strokeLinecap="round" dot={SOLID_DOT} />
          <LoadLineOverlay model={model} />
        </ComposedChart>
      </div>
    </div>
  )
}, sameFrame)

/** For cells that are too few to draw: `N = 4: 3 of 6 samples`. */
export function missingSamples(model: ChartModel): string | undefined {
  const begun = model.columns.filter((column) => column.sessions > 0)
  const [only] = begun
  if (begun.length !== 1 || only === undefined || only.sessions >= 6) return undefined
  return `N = ${only.n}: ${only.sessions} of 6 samples`
}

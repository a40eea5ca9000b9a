/** One gauge opened: its 60 s with axes and units. Waiting is the queue's hatch, here as everywhere. */
import { Area, AreaChart, CartesianGrid, XAxis, YAxis } from 'recharts'
import type { Gauge } from './gauges.ts'

const TICK = { fontSize: 11, fontFamily: 'var(--font-mono)', fill: 'var(--text-2)' }
const secondsAgo = (seconds: number) => (seconds === 0 ? 'now' : `${-seconds} s ago`)

type GaugeChartProps = { gauge: Gauge; times: readonly number[]; toMs: number; maxY: number }

export function GaugeChart({ gauge, times, toMs, maxY }: GaugeChartProps) {
  const rows = times.map((atMs, i) => ({
    x: (atMs - toMs) / 1000,
    ...Object.fromEntries(gauge.series.map((series) => [series.name, series.values[i] ?? null])),
  }))
  const stepped = gauge.id === 'sessions'
  return (
    <div role="img" aria-label={`${gauge.name} over the last 60 s, now ${gauge.value ?? 'no data'}`}>
      <AreaChart width={418} height={168} data={rows} margin={{ top: 12, right: 16, bottom: 4, left: 0 }} accessibilityLayer={false}>
        <CartesianGrid vertical={false} stroke="var(--hairline)" />
        <XAxis
          dataKey="x"
          type="number"
          domain={[-60, 0]}
          ticks={[-60, -30, 0]}
          tickFormatter={secondsAgo}
          tick={TICK}
          tickLine={false}
          stroke="var(--edge)"
        />
        <YAxis width={44} domain={[0, Math.ceil(maxY)]} tick={TICK} tickLine={false} axisLine={false} allowDecimals={false} tickCount={5} />
        {gauge.series.map((series) => (
          <Area
            key={series.name}
            dataKey={series.name}
            stackId="all"
            type={stepped ? 'stepAfter' : 'linear'}
            isAnimationActive={false}
            stroke={series.waiting ? 'var(--part-queue)' : 'var(--text-2)'}
            strokeWidth={1}
            fill={series.waiting ? 'url(#pt-queue)' : 'var(--band)'}
            fillOpacity={1}
            dot={false}
          />
        ))}
      </AreaChart>
    </div>
  )
}

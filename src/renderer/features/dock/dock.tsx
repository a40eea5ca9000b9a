/** The dock at the right of the terminals: latencies of the runner's turns as they end, and what is in flight. */
import { useEffect, useMemo, useState } from 'react'
import { useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { PanelHead } from '../../ui/panel.tsx'
import { Segmented } from '../../ui/segmented.tsx'
import styles from './dock.module.css'
import { InFlightChart } from './in-flight-chart.tsx'
import { LatencyChart } from './latency-chart.tsx'
import { latenciesOfPage } from './latency-store.ts'
import { type LatencyMetric, rollingLatency } from './rolling-latency.ts'

const SPANS = [
  { value: '10', label: '10 min' },
  { value: '60', label: '1 h' },
  { value: '1440', label: '24 h' },
] as const
type Span = (typeof SPANS)[number]['value']

const METRICS: readonly { metric: LatencyMetric; name: string }[] = [
  { metric: 'ttfaMs', name: 'ttfa' },
  { metric: 'firstModelRequestMs', name: 'first model request' },
  { metric: 'doneMs', name: 'done' },
  { metric: 'wallMs', name: 'wall' },
]

/** The time axis moves on in steps; a chart that crept would redraw for nothing. */
const AXIS_EVERY_MS = 5_000

function useAxisEnd(): number {
  const [end, setEnd] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setEnd(Date.now()), AXIS_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return end
}

/** Samples come four times a second: only this leaf follows them, the four charts beside it do not. */
function InFlight() {
  return <InFlightChart samples={useStore(useStores().metrics)} />
}

export function Dock() {
  const stores = useStores()
  const latencies = useStore(latenciesOfPage(stores))
  const [span, setSpan] = useState<Span>('10')
  const axisEnd = useAxisEnd()
  const toEpochMs = Math.max(axisEnd, latencies.at(-1)?.endedEpochMs ?? 0)
  const fromEpochMs = toEpochMs - Number(span) * 60_000
  const series = useMemo(
    () => METRICS.map(({ metric, name }) => ({ name, points: rollingLatency(latencies, metric, fromEpochMs) })),
    [latencies, fromEpochMs],
  )
  return (
    <aside className={styles.dock} aria-label="Live charts">
      <PanelHead title="Live">
        <Segmented<Span> label="Span" options={SPANS} value={span} onChange={setSpan} />
      </PanelHead>
      {series.map(({ name, points }, index) => (
        <LatencyChart key={name} name={name} points={points} fromEpochMs={fromEpochMs} toEpochMs={toEpochMs} showTime={index === series.length - 1} />
      ))}
      <InFlight />
      <footer>Solid p50, dashed p95 of the last 60 turns, from the sixth and the twentieth on. Sweeps are in it too.</footer>
    </aside>
  )
}

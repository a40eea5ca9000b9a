/** The strip at the foot: what runs, what the machine does, what the model server does. Each gauge opens its last 60 s as a chart. */
import { Popover } from 'radix-ui'
import { lazy, Suspense, useMemo } from 'react'
import { formatPercent } from '../../core/report/format-number.ts'
import type { ServerFacts } from '../../core/sweep/target.ts'
import { KEPT_MS } from '../stores/metrics-store.ts'
import { type ReadableStore, useSelected, useStore } from '../stores/store.ts'
import { useStores } from '../stores/stores.tsx'
import { runningSweep } from '../stores/sweep-list-store.ts'
import type { OpenSweep } from '../stores/sweep-store.ts'
import { classNames } from '../ui/class-names.ts'
import floating from '../ui/floating.module.css'
import { Sparkline } from '../ui/sparkline.tsx'
import { type Gauge, gaugesOf, type ServerView } from './gauges.ts'
import styles from './status-strip.module.css'

const GaugeChart = lazy(() => import('./gauge-chart.tsx').then((module) => ({ default: module.GaugeChart })))

const NO_SWEEP: ReadableStore<OpenSweep | undefined> = { get: () => undefined, subscribe: () => () => {} }

function serverName(facts: ServerFacts | null, builtIn: boolean): string {
  if (facts === null) return builtIn ? 'Built-in server' : 'Model server'
  switch (facts.kind) {
    case 'ollama':
      return 'Ollama'
    case 'plimsoll':
      return facts.simulated ? 'Simulated server' : 'Built-in server'
    case 'llama-server':
      return 'llama-server'
    case 'vllm':
      return 'vLLM'
    case 'lm-studio':
      return 'LM Studio'
    case 'openai':
    case 'unknown':
      return 'Model server'
  }
}

/** The model server of the running sweep, else of the plan. */
function useServerView(): { sweeping: boolean; server: ServerView } {
  const { sweepList, openSweeps, plan } = useStores()
  const running = useSelected(sweepList, runningSweep)
  const runningId = running?.sweepId
  const store = useMemo(
    (): ReadableStore<OpenSweep | undefined> => (runningId === undefined ? NO_SWEEP : openSweeps.get(runningId)),
    [runningId, openSweeps],
  )
  const open = useStore(store)
  const target = useSelected(plan, (now) => now.request?.target)
  const facts = open?.state?.facts
  const lanes = open?.live?.lanes
  return {
    sweeping: running !== undefined,
    server: {
      name: serverName(facts ?? null, target?.kind === 'built-in'),
      declaredSlots: facts?.declaredSlots ?? null,
      streaming:
        lanes === undefined
          ? null
          : lanes.filter((lane) => lane.firstActivityAtMs !== null && lane.doneAtMs === null && lane.endAtMs === null).length,
      waiting:
        lanes === undefined
          ? null
          : lanes.filter((lane) => lane.sentAtMs !== null && lane.firstActivityAtMs === null && lane.endAtMs === null).length,
    },
  }
}

export function StatusStrip() {
  const { metrics, connectionState } = useStores()
  const samples = useStore(metrics)
  const connected = useSelected(connectionState, (state) => state.status === 'open')
  const { sweeping, server } = useServerView()
  const latest = samples.at(-1)
  const gauges = gaugesOf(samples, latest?.host.corePercents.length ?? 0, sweeping, server)
  const toMs = latest?.atMs ?? 0
  const times = samples.map((sample) => sample.atMs)
  return (
    <section className={classNames(styles.strip, !connected && styles.stale)} aria-label="Status, last 60 s" data-region tabIndex={-1}>
      {gauges.map((gauge) => (
        <GaugeButton key={gauge.id} gauge={gauge} times={times} toMs={toMs} />
      ))}
      {latest === undefined ? null : (
        <span className={styles.end} title="What the sampler itself costs">
          Sampler {formatPercent(latest.sampler.cpuPercent)} of one core
        </span>
      )}
    </section>
  )
}

function GaugeButton({ gauge, times, toMs }: { gauge: Gauge; times: readonly number[]; toMs: number }) {
  const sums = times.map((x, i) => ({ x, y: gauge.series.reduce<number | null>((sum, series) => add(sum, series.values[i] ?? null), null) }))
  const maxY = Math.max(gauge.maxY, ...sums.map((point) => point.y ?? 0))
  return (
    <Popover.Root>
      <Popover.Trigger asChild>
        <button type="button" className={styles.gauge} title={gauge.title} data-gauge={gauge.id}>
          {gauge.name}
          <b className={gauge.fails ? styles.fails : undefined}>{gauge.value ?? '–'}</b>
          <Sparkline className={styles.spark} points={sums} fromX={toMs - KEPT_MS} toX={toMs} maxY={maxY} width={60} height={16} />
        </button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className={classNames(floating.float, styles.pop)}
          side="top"
          align="start"
          sideOffset={6}
          collisionPadding={8}
          aria-label={`${gauge.name}, last 60 s`}
        >
          <header className={floating.head}>
            <h2>{gauge.name}</h2>
            <span className="dim s">last 60 s{gauge.unit === '' ? '' : `, ${gauge.unit}`}</span>
            <span className="num s">{gauge.value ?? 'no data'}</span>
          </header>
          <Suspense fallback={<div style={{ height: 168 }} />}>
            <GaugeChart gauge={gauge} times={times} toMs={toMs} maxY={maxY} />
          </Suspense>
          <footer className={floating.foot}>{gauge.title}</footer>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

const add = (a: number | null, b: number | null): number | null => (b === null ? a : (a ?? 0) + b)

/** What the machine did during the wave, on the lanes' own axis. */
import type { Sample } from '../../../core/metric/sample.ts'
import { formatMs, formatPercent } from '../../../core/report/format-number.ts'
import { Sparkline } from '../../ui/sparkline.tsx'
import type { WaveView } from './lane-model.ts'
import styles from './wave-panel.module.css'

type Trace = {
  readonly name: string
  readonly maxY: number
  value(sample: Sample): number | null
  text(now: number, most: number, last: Sample): [string, string]
}

const serverCpu = (sample: Sample) =>
  sample.processes.find((process) => process.role === 'model-server' || process.role === 'model-host')?.cpuPercent ?? null
const whole = (percent: number) => formatPercent(Math.round(percent))

const TRACES: readonly Trace[] = [
  { name: 'Server', maxY: 100, value: serverCpu, text: (now, most) => [whole(now), ` of one core${most > now + 1 ? `, peak ${whole(most)}` : ''}`] },
  {
    name: 'Host',
    maxY: 100,
    value: (sample) => sample.host.cpuPercent,
    text: (now, most, last) => [whole(now), ` of ${last.host.corePercents.length} cores, peak ${whole(most)}`],
  },
  { name: 'Loop', maxY: 10, value: (sample) => sample.loop.delayP99Ms, text: (now, most) => [formatMs(now), ` delay, peak ${formatMs(most)}`] },
]

export function HardwareTraces({ wave, samples }: { wave: WaveView; samples: readonly Sample[] }) {
  const toMs = wave.startMs + wave.axisMs
  const endMs = wave.startMs + (wave.nowMs ?? Math.max(...wave.lanes.map((lane) => lane.endMs)))
  // One sample before the wave, so that a wave shorter than the sampler's beat still has a line.
  const first = Math.max(
    0,
    samples.findLastIndex((sample) => sample.atMs <= wave.startMs),
  )
  const seen = samples.slice(first).filter((sample) => sample.atMs <= endMs + 300)
  const last = seen.at(-1)
  if (last === undefined) return null
  return (
    <div className={styles.traces}>
      {TRACES.map((trace) => {
        const points = seen.map((sample) => ({ x: Math.max(wave.startMs, Math.min(sample.atMs, endMs)), y: trace.value(sample) }))
        const known = points.flatMap((point) => (point.y === null ? [] : [point.y]))
        const now = known.at(-1)
        const most = Math.max(0, ...known)
        const [value, rest] = now === undefined ? ['–', ' not watched'] : trace.text(now, most, last)
        return (
          <div key={trace.name} style={{ display: 'contents' }}>
            <span className={styles.traceName}>{trace.name}</span>
            <div className={styles.trace}>
              <Sparkline points={points} fromX={wave.startMs} toX={toMs} maxY={Math.max(trace.maxY, most)} width="100%" height={24} />
            </div>
            <span className={styles.traceValue}>
              <b>{value}</b>
              {rest}
            </span>
          </div>
        )
      })}
    </div>
  )
}

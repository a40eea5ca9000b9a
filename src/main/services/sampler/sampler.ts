/**
 * Samples host, processes, GPU and main's event loop on the clock that all our processes share: 4 times a second while somebody watches, else once.
 * It measures what it costs and how late it is, and says both in each sample (M10).
 */
import type { ProcessRef } from '../../../core/metric/process-ref.ts'
import type { Sample } from '../../../core/metric/sample.ts'
import type { Clock } from '../../platform/clock.ts'
import { createGpuWatch, type GpuWatch } from './gpu-watch.ts'
import { createLinuxProbe } from './linux-probe.ts'
import { createLoopMeter, type LoopMeter } from './loop-meter.ts'
import { createPortableProbe } from './portable-probe.ts'
import type { Probe } from './probe.ts'
import { createSampleHistory } from './sample-history.ts'

const WATCHED_PERIOD_MS = 250
const IDLE_PERIOD_MS = 1_000

export interface Sampler {
  /** Gives each new sample. Returns what stops it. */
  watch(listener: (sample: Sample) => void): () => void
  /** Oldest first, at most 300; the last hour is kept. */
  history(seconds: number): Sample[]
  /** Undefined during the first second. */
  latest(): Sample | undefined
  close(): Promise<void>
}

export interface SamplerDeps {
  clock: Clock
  /** Asked at each sample: those that are there now. */
  processes(): readonly ProcessRef[]
  runnerGauges(): Sample['runner']
  /** Undefined: no server is asked, or it does not say. */
  serverGauges?(): Sample['server']
  /** By default those of this system. */
  probe?: Probe
  loop?: LoopMeter
  gpu?: GpuWatch
}

export function createSampler({ clock, processes, runnerGauges, serverGauges = () => undefined, ...parts }: SamplerDeps): Sampler {
  const probe = parts.probe ?? (process.platform === 'linux' ? createLinuxProbe() : createPortableProbe())
  const loop = parts.loop ?? createLoopMeter()
  const gpu = parts.gpu ?? createGpuWatch({ clock })
  const history = createSampleHistory()
  const watchers = new Set<(sample: Sample) => void>()
  let latest: Sample | undefined
  let lastAtMs = clock.nowMs()
  let dueAtMs = lastAtMs
  let cancelTimer: (() => void) | undefined

  const periodMs = () => (watchers.size > 0 ? WATCHED_PERIOD_MS : IDLE_PERIOD_MS)

  function arm(): void {
    cancelTimer?.()
    cancelTimer = clock.after(Math.max(0, dueAtMs - clock.nowMs()), tick)
  }

  function take(): Sample {
    const atMs = clock.nowMs()
    const before = process.cpuUsage()
    const driftMs = Math.max(0, atMs - dueAtMs)
    const refs = processes()
    const server = serverGauges()
    const toolPid = gpu.pid()
    const reading = probe.read(toolPid === undefined ? refs : [...refs, { pid: toolPid, tree: false }], atMs)
    const sample: Omit<Sample, 'sampler'> = {
      atMs,
      host: reading.host,
      processes: refs.flatMap(({ role, pid }, index) => {
        const use = reading.processes[index]
        return use ? [{ role, pid, ...use }] : []
      }),
      gpus: gpu.latest(),
      loop: loop.read(driftMs),
      runner: runnerGauges(),
      ...(server === undefined ? {} : { server }),
    }
    const spent = process.cpuUsage(before)
    const ownPercent = (spent.user + spent.system) / 10 / Math.max(1, atMs - lastAtMs)
    lastAtMs = atMs
    return { ...sample, sampler: { cpuPercent: ownPercent + (reading.processes[refs.length]?.cpuPercent ?? 0), driftMs } }
  }

  function tick(): void {
    const sample = take()
    latest = sample
    history.add(sample)
    // Moments that a blocked loop has missed are not made up for.
    const nowMs = clock.nowMs()
    dueAtMs += periodMs()
    if (dueAtMs <= nowMs) dueAtMs = nowMs + periodMs()
    arm()
    for (const listener of watchers) listener(sample)
  }

  probe.read(processes(), lastAtMs)
  dueAtMs += IDLE_PERIOD_MS
  arm()

  return {
    watch(listener) {
      // Each call is a watcher of its own, whatever function it brings.
      const watcher = (sample: Sample) => listener(sample)
      watchers.add(watcher)
      const soonestMs = clock.nowMs() + WATCHED_PERIOD_MS
      if (dueAtMs > soonestMs) {
        dueAtMs = soonestMs
        arm()
      }
      return () => void watchers.delete(watcher)
    },
    history: (seconds) => history.since(seconds, clock.nowMs()),
    latest: () => latest,
    async close() {
      cancelTimer?.()
      watchers.clear()
      loop.close()
      probe.close()
      await gpu.close()
    },
  }
}

/** Joins the sampler's rows to a level by time: what host, server and event loop did while the level was under load. */
import type { ProcessRole, Sample } from '../../metric/sample.ts'
import { mean, roughQuantile } from '../statistics/percentiles.ts'
import type { MeasuredLevel } from './measured-levels.ts'

/** @param samples ascending by `atMs` */
export function levelSamples(level: MeasuredLevel, samples: readonly Sample[]): Sample[] {
  const spans = level.waves.map((wave) => ({
    fromMs: wave.rows.reduce((least, row) => Math.min(least, row.submitAtMs), Number.POSITIVE_INFINITY),
    toMs: wave.rows.reduce((most, row) => Math.max(most, row.endAtMs), Number.NEGATIVE_INFINITY),
  }))
  const within = spans.flatMap((span) => between(samples, span.fromMs, span.toMs))
  if (within.length > 0) return within
  // Waves shorter than the sampler's step: then the cell's own span is the best there is.
  return level.cells.flatMap((cell) =>
    cell.startedAtMs === null || cell.endedAtMs === null ? [] : between(samples, cell.startedAtMs, cell.endedAtMs),
  )
}

function between(samples: readonly Sample[], fromMs: number, toMs: number): readonly Sample[] {
  return samples.slice(firstAt(samples, fromMs), firstAt(samples, toMs))
}

/** Index of the first sample at or after the moment, by bisection. */
function firstAt(samples: readonly Sample[], atMs: number): number {
  let low = 0
  let high = samples.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((samples[middle]?.atMs ?? 0) < atMs) low = middle + 1
    else high = middle
  }
  return low
}

export type LevelHardware = {
  readonly samples: number
  readonly hostCpuPercentMean: number | null
  readonly hostCpuPercentMax: number | null
  readonly serverCpuPercentMean: number | null
  readonly serverCpuPercentMax: number | null
  readonly mainCpuPercentMean: number | null
  readonly gpuUtilPercentMean: number | null
  readonly memoryUsedBytesMax: number | null
  readonly swapUsedBytesMax: number | null
  readonly loopDelayMsP99: number | null
  /** Share of the samples in which main's event loop was blocked for more than 100 ms. */
  readonly loopBlockedRatio: number | null
  /** Mean of the runner's gauge: turns in flight. */
  readonly inFlightMean: number | null
}

/** Above this an event loop counts as blocked (field-reports B2; our threshold). */
export const LOOP_BLOCKED_MS = 100

export function levelHardware(samples: readonly Sample[]): LevelHardware {
  const of = (figure: (sample: Sample) => number | null) => samples.flatMap((sample) => figure(sample) ?? [])
  const largest = (values: readonly number[]) => (values.length === 0 ? null : values.reduce((most, value) => Math.max(most, value)))
  const host = of((sample) => sample.host.cpuPercent)
  const server = of((sample) => cpuOf(sample, 'model-server') ?? cpuOf(sample, 'model-host'))
  return {
    samples: samples.length,
    hostCpuPercentMean: mean(host),
    hostCpuPercentMax: largest(host),
    serverCpuPercentMean: mean(server),
    serverCpuPercentMax: largest(server),
    mainCpuPercentMean: mean(of((sample) => cpuOf(sample, 'main'))),
    gpuUtilPercentMean: mean(of((sample) => mean(sample.gpus.map((gpu) => gpu.utilPercent)))),
    memoryUsedBytesMax: largest(of((sample) => sample.host.memoryUsedBytes)),
    swapUsedBytesMax: largest(of((sample) => sample.host.swapUsedBytes)),
    loopDelayMsP99: roughQuantile(
      of((sample) => sample.loop.delayP99Ms),
      0.99,
    ),
    loopBlockedRatio: mean(of((sample) => (sample.loop.delayMaxMs > LOOP_BLOCKED_MS ? 1 : 0))),
    inFlightMean: mean(of((sample) => sample.runner.inFlight)),
  }
}

function cpuOf(sample: Sample, role: ProcessRole): number | null {
  const rows = sample.processes.filter((row) => row.role === role)
  return rows.length === 0 ? null : rows.reduce((sum, row) => sum + row.cpuPercent, 0)
}

/** Joins the sampler's rows to a level by time: what host, server and event loop did while the level was under load. */
import type { ProcessRole, Sample } from '../../metric/sample.ts'
import { mean, median, roughQuantile } from '../statistics/percentiles.ts'
import type { MeasuredLevel } from './measured-levels.ts'

/** A sample, and the time since the one before it (since the wave's beginning for the first): a blocked event loop delays the sampler as well. */
export type TimedSample = { readonly sample: Sample; readonly gapMs: number }

/** @param samples ascending by `atMs` */
export function levelSamples(level: MeasuredLevel, samples: readonly Sample[]): TimedSample[] {
  const within = level.waves.flatMap((wave) =>
    between(
      samples,
      wave.slice?.span.fromMs ?? wave.rows.reduce((least, row) => Math.min(least, row.submitAtMs), Number.POSITIVE_INFINITY),
      wave.slice?.span.toMs ?? wave.rows.reduce((most, row) => Math.max(most, row.endAtMs), Number.NEGATIVE_INFINITY),
    ),
  )
  if (within.length > 0) return within
  // Waves shorter than the sampler's step: then the cell's own span is the best there is.
  return level.cells.flatMap((cell) =>
    cell.startedAtMs === null || cell.endedAtMs === null ? [] : between(samples, cell.startedAtMs, cell.endedAtMs),
  )
}

function between(samples: readonly Sample[], fromMs: number, toMs: number): TimedSample[] {
  const first = firstAt(samples, fromMs)
  return samples.slice(first, firstAt(samples, toMs)).map((sample, index) => ({
    sample,
    gapMs: sample.atMs - Math.max(fromMs, samples[first + index - 1]?.atMs ?? fromMs),
  }))
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
  /** Share of the time in which main's event loop was blocked for more than 100 ms at once. */
  readonly loopBlockedRatio: number | null
  /** Mean share of the time in which main's event loop was busy. */
  readonly loopUtilizationMean: number | null
  /** Mean of the runner's gauge: turns in flight. */
  readonly inFlightMean: number | null
}

/** Above this an event loop counts as blocked (field-reports B2; our threshold). */
export const LOOP_BLOCKED_MS = 100

export function levelHardware(samples: readonly TimedSample[]): LevelHardware {
  const of = (figure: (sample: Sample) => number | null) => {
    const values: number[] = []
    for (const { sample } of samples) {
      const value = figure(sample)
      if (value !== null) values.push(value)
    }
    return values
  }
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
    loopBlockedRatio: loopBlockedRatio(samples),
    loopUtilizationMean: mean(of((sample) => sample.loop.utilizationRatio)),
    inFlightMean: mean(of((sample) => sample.runner.inFlight)),
  }
}

/** A sample tells the longest block since the one before; when the sampler itself came late, all of its lateness was block. */
function loopBlockedRatio(samples: readonly TimedSample[]): number | null {
  const stepMs = median(samples.map(({ gapMs }) => gapMs)) ?? 0
  const spanMs = samples.reduce((sum, { gapMs }) => sum + gapMs, 0)
  if (spanMs <= 0) return null
  const blockedMs = samples.reduce((sum, { sample, gapMs }) => {
    if (sample.loop.delayMaxMs <= LOOP_BLOCKED_MS) return sum
    return sum + Math.min(gapMs, Math.max(sample.loop.delayMaxMs, gapMs - Math.min(stepMs, USUAL_STEP_MS)))
  }, 0)
  return blockedMs / spanMs
}

/** The sampler's step while something is watched. */
const USUAL_STEP_MS = 250

function cpuOf(sample: Sample, role: ProcessRole): number | null {
  let percent: number | null = null
  for (const row of sample.processes) if (row.role === role) percent = (percent ?? 0) + row.cpuPercent
  return percent
}

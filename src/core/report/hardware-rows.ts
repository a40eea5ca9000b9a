/** What the machine did at each level, on the same N axis as the latencies: mean and peak of each gauge that there is. */
import type { LevelSummary } from '../analysis/analysis.ts'
import type { Sample } from '../metric/sample.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { formatBytes, formatMs, formatPercent } from './format-number.ts'
import { countingCells } from './report-levels.ts'

export type HardwareRow = {
  readonly name: string
  /** "of 2 cores", "of one core". */
  readonly of: string
  readonly levels: readonly { readonly n: number; readonly mean: number | null; readonly peak: number | null }[]
  /** Top of the scale. */
  readonly full: number
  readonly format: (value: number) => string
}

/** Rows without a single value are left out. */
export function hardwareRows(state: SweepState, levels: readonly LevelSummary[]): HardwareRow[] {
  const { environment } = state
  const memoryBytes = Math.max(environment.memoryBytes, ...levels.map((level) => level.memoryUsedBytesMax ?? 0))
  const rows: HardwareRow[] = [
    {
      name: 'Host CPU',
      of: environment.cores === 1 ? 'of 1 core' : `of ${environment.cores} cores`,
      levels: levels.map(({ n, hostCpuPercentMean, hostCpuPercentMax }) => ({ n, mean: hostCpuPercentMean, peak: hostCpuPercentMax })),
      full: 100,
      format: formatPercent,
    },
    {
      name: 'Server CPU',
      of: 'of one core',
      levels: levels.map(({ n, serverCpuPercentMean, serverCpuPercentMax }) => ({ n, mean: serverCpuPercentMean, peak: serverCpuPercentMax })),
      full: wholeCores(levels),
      format: formatPercent,
    },
    ...gpuRow(state, levels),
    {
      name: 'Memory used',
      of: `of ${formatBytes(memoryBytes)}`,
      levels: levels.map(({ n, memoryUsedBytesMax }) => ({ n, mean: null, peak: memoryUsedBytesMax })),
      full: memoryBytes,
      format: formatBytes,
    },
    msRow('Loop delay', 'of main, p99', levels, (level) => level.loopDelayMsP99),
    msRow('Driver lag', 'p99', levels, (level) => level.driverLagMsP99),
  ]
  return rows.filter((row) => row.levels.some(({ mean, peak }) => mean !== null || peak !== null))
}

function msRow(name: string, of: string, levels: readonly LevelSummary[], value: (level: LevelSummary) => number | null): HardwareRow {
  const peaks = levels.map((level) => ({ n: level.n, mean: null, peak: value(level) }))
  const largest = Math.max(...peaks.map(({ peak }) => peak ?? 0))
  return { name, of, levels: peaks, full: [5, 10, 25, 50, 100, 250, 500, 1000].find((top) => top >= largest) ?? largest, format: formatMs }
}

function wholeCores(levels: readonly LevelSummary[]): number {
  const peak = Math.max(100, ...levels.map((level) => level.serverCpuPercentMax ?? 0))
  return Math.ceil(peak / 100 - 0.05) * 100
}

function gpuRow(state: SweepState, levels: readonly LevelSummary[]): HardwareRow[] {
  if (!state.samples.some((sample) => sample.gpus.length > 0)) return []
  const leg = levels[0]?.leg
  const perLevel = levels.map(({ n }) => {
    const spans = countingCells(state).filter(({ cell }) => cell.leg === leg && cell.n === n)
    const busy = state.samples
      .filter((sample) =>
        spans.some(
          ({ startedAtMs, endedAtMs }) =>
            startedAtMs !== null && sample.atMs >= startedAtMs && sample.atMs <= (endedAtMs ?? Number.POSITIVE_INFINITY),
        ),
      )
      .map(gpuPercent)
      .filter((percent) => percent !== null)
    return busy.length === 0
      ? { n, mean: null, peak: null }
      : { n, mean: busy.reduce((sum, percent) => sum + percent, 0) / busy.length, peak: Math.max(...busy) }
  })
  const [first] = state.environment.gpus
  return [{ name: 'GPU', of: first ?? 'utilisation', levels: perLevel, full: 100, format: formatPercent }]
}

const gpuPercent = (sample: Sample): number | null =>
  sample.gpus.length === 0 ? null : sample.gpus.reduce((sum, gpu) => sum + gpu.utilPercent, 0) / sample.gpus.length

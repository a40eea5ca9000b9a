/** The figures of a sweep, one line a leg and level: `plimsoll.levels/1`, documented in docs/exports.md. Within a version columns are added at the end, never renamed. */
import { type Analysis, type LevelSummary, PARTS, type Percentiles } from '../analysis/analysis.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { type CsvColumn, csvOf, snake } from './csv.ts'

export const LEVELS_CSV_SCHEMA = 'plimsoll.levels/1'

type Line = { readonly sweepId: string; readonly level: LevelSummary }

const percentiles = (name: string, of: (level: LevelSummary) => Percentiles): CsvColumn<Line>[] =>
  (['p50', 'p95', 'p99'] as const).map((which) => [`${name}_${which}_ms`, ({ level }) => of(level)[which]])

export const LEVEL_COLUMNS: readonly CsvColumn<Line>[] = [
  ['schema', () => LEVELS_CSV_SCHEMA],
  ['sweep_id', ({ sweepId }) => sweepId],
  ['leg', ({ level }) => level.leg],
  ['n', ({ level }) => level.n],
  ['cells', ({ level }) => level.cells],
  ['waves', ({ level }) => level.waves],
  ['sessions', ({ level }) => level.sessions],
  ['failures', ({ level }) => level.failures],
  ['cut', ({ level }) => level.cut],
  ...percentiles('ttfa', (level) => level.ttfaMs),
  ...percentiles('first_model_request', (level) => level.firstModelRequestMs),
  ...percentiles('ttft', (level) => level.ttftMs),
  ...percentiles('done', (level) => level.doneMs),
  ...percentiles('wall', (level) => level.wallMs),
  ...percentiles('queue_wait', (level) => level.queueWaitMs),
  ['tokens_per_sec', ({ level }) => level.tokensPerSec],
  ['decode_tokens_per_sec', ({ level }) => level.decodeTokensPerSec],
  ['slots_in_use', ({ level }) => level.slotsInUse],
  ['held_ratio', ({ level }) => level.held.ratio],
  ['held_lower_bound_ratio', ({ level }) => level.held.lowerBound],
  ['error_upper_bound_ratio', ({ level }) => level.errorRatioUpperBound],
  ...PARTS.map((part): CsvColumn<Line> => [`${snake(part)}_part_mean_ms`, ({ level }) => level.partsMs[part]]),
  ['host_cpu_mean_percent', ({ level }) => level.hostCpuPercentMean],
  ['host_cpu_max_percent', ({ level }) => level.hostCpuPercentMax],
  ['server_cpu_mean_percent', ({ level }) => level.serverCpuPercentMean],
  ['server_cpu_max_percent', ({ level }) => level.serverCpuPercentMax],
  ['memory_used_max_bytes', ({ level }) => level.memoryUsedBytesMax],
  ['loop_delay_p99_ms', ({ level }) => level.loopDelayMsP99],
  ['driver_lag_p99_ms', ({ level }) => level.driverLagMsP99],
  ['receive_lag_p99_ms', ({ level }) => level.receiveLagMsP99],
  ['little_gap_ratio', ({ level }) => level.littleGapRatio],
  ['slowest_over_fastest', ({ level }) => level.fairness?.slowestOverFastest],
  ['jain_index', ({ level }) => level.fairness?.jainIndex],
  ['starved', ({ level }) => level.fairness?.starved],
]

export function levelsCsv(state: SweepState, analysis: Analysis): string {
  const { sweepId } = state.plan
  return csvOf(
    LEVEL_COLUMNS,
    analysis.levels.map((level) => ({ sweepId, level })),
  )
}

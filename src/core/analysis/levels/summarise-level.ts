/** One level as figures: percentiles, rates, parts, SLO attainment, hardware. Every figure is defined in docs/measurement.md. */
import type { ModelCall } from '../../session/timeline.ts'
import type { Slo } from '../../sweep/plan.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { type LevelSummary, PARTS } from '../analysis.ts'
import { noParts } from '../calls/decompose-turn.ts'
import { lowerBound, upperBound } from '../statistics/binomial-bounds.ts'
import { median, percentilesOf, roughQuantile } from '../statistics/percentiles.ts'
import { fairnessOf } from './fairness.ts'
import { type LevelFacts, meanParts, tokenRate, wallMsOf } from './level-facts.ts'
import type { LevelHardware } from './level-samples.ts'
import { isCompleted, isCounted } from './measured-levels.ts'

/** With fewer samples than this the mean of the runner's gauge says too little about the turns in flight (M9). */
const LITTLE_SAMPLES = 40

export function holdsSlo(row: TurnRow, slo: Slo): boolean {
  return isCompleted(row) && row.firstActivityAtMs !== null && row.firstActivityAtMs - row.plannedAtMs <= slo.ttfaMs
}

export function summariseLevel(facts: LevelFacts, hardware: LevelHardware, slo: Slo): LevelSummary {
  const { level, turns, waves, overlap } = facts
  const rows = turns.map((turn) => turn.row).filter(isCounted)
  const completed = rows.filter(isCompleted)
  const failures = rows.length - completed.length
  const held = rows.filter((row) => holdsSlo(row, slo)).length
  const means = meanParts(waves)
  const partsMs = means?.parts ?? noParts()
  const wallMs = means?.wallMs ?? 0
  const shares = noParts()
  for (const part of PARTS) shares[part] = wallMs > 0 ? partsMs[part] / wallMs : 0
  const reports = level.cells.flatMap((cell) => cell.driver ?? [])
  const lags = rows.map((row) => row.submitAtMs - row.plannedAtMs)
  return {
    leg: level.leg,
    n: level.n,
    cells: level.cells.length,
    waves: level.waves.length,
    sessions: rows.length,
    failures,
    cut: level.cut,
    ttfaMs: percentilesOf(since(completed, (row) => row.firstActivityAtMs)),
    firstModelRequestMs: percentilesOf(since(completed, (row) => row.timeline?.firstModelRequestAtMs ?? null)),
    ttftMs: percentilesOf(gathered(completed, ttftMs)),
    doneMs: percentilesOf(since(completed, (row) => row.doneAtMs)),
    wallMs: percentilesOf(completed.map(wallMsOf)),
    queueWaitMs: percentilesOf(turns.filter((turn) => isCompleted(turn.row)).map((turn) => turn.parts.queue)),
    tokensPerSec: tokenRate(waves),
    decodeTokensPerSec: decodeRate(completed),
    partsMs,
    shares,
    slotsInUse: overlap.streaming.lasting === 0 ? null : overlap.streaming.lasting,
    held: { count: held, ratio: rows.length === 0 ? null : held / rows.length, lowerBound: lowerBound(held, rows.length) },
    errorRatioUpperBound: upperBound(failures, rows.length),
    hostCpuPercentMean: hardware.hostCpuPercentMean,
    hostCpuPercentMax: hardware.hostCpuPercentMax,
    serverCpuPercentMean: hardware.serverCpuPercentMean,
    serverCpuPercentMax: hardware.serverCpuPercentMax,
    memoryUsedBytesMax: hardware.memoryUsedBytesMax,
    loopDelayMsP99: hardware.loopDelayMsP99,
    driverLagMsP99: reports.length > 0 ? reports.reduce((most, report) => Math.max(most, report.lagP99Ms), 0) : roughQuantile(lags, 0.99),
    receiveLagMsP99: roughQuantile(
      gathered(rows, (row) => row.receiveLagMs),
      0.99,
    ),
    littleGapRatio: littleGap(facts, hardware),
    fairness: fairnessOf(level),
  }
}

function since(rows: readonly TurnRow[], stamp: (row: TurnRow) => number | null): number[] {
  return gathered(rows, (row) => {
    const atMs = stamp(row)
    return atMs === null ? null : atMs - row.plannedAtMs
  })
}

/** What there is of a figure, in the order of the rows. A plain loop: of 100,000 rows `flatMap` makes as many arrays. */
function gathered(rows: readonly TurnRow[], figure: (row: TurnRow) => number | null): number[] {
  const values: number[] = []
  for (const row of rows) {
    const value = figure(row)
    if (value !== null) values.push(value)
  }
  return values
}

/** Of the turn's first model call, from sent to the first delta of any channel. */
function ttftMs(row: TurnRow): number | null {
  const first = row.timeline?.calls.find((call) => call.purpose === 'answer')
  return first?.firstDeltaAtMs === undefined || first.firstDeltaAtMs === null ? null : first.firstDeltaAtMs - first.sentAtMs
}

const NO_CALLS: readonly ModelCall[] = []

/** Median over the answers' calls of (tokens - 1) / (last - first). */
function decodeRate(rows: readonly TurnRow[]): number | null {
  const rates: number[] = []
  for (const { timeline } of rows) {
    for (const call of timeline?.calls ?? NO_CALLS) {
      if (call.purpose !== 'answer' || call.firstDeltaAtMs === null || call.lastDeltaAtMs === null || call.outputTokens === null) continue
      const streamMs = call.lastDeltaAtMs - call.firstDeltaAtMs
      if (call.outputTokens >= 2 && streamMs > 0) rates.push((1000 * (call.outputTokens - 1)) / streamMs)
    }
  }
  return median(rates)
}

/** Turns in flight by the rows (throughput times mean response) against the runner's own gauge: two counts that share nothing (M9). */
function littleGap({ level, turns, waves }: LevelFacts, hardware: LevelHardware): number | null {
  const gauge = hardware.inFlightMean
  const busyMs = waves.reduce((sum, wave) => sum + wave.busyMs, 0)
  if (level.leg === 'direct' || gauge === null || gauge <= 0 || hardware.samples < LITTLE_SAMPLES || busyMs <= 0) return null
  const heldMs = turns.reduce((sum, { row }) => sum + row.endAtMs - row.submitAtMs, 0)
  return (heldMs / busyMs - gauge) / gauge
}

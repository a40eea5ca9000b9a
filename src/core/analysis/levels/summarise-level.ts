/** One level as figures: percentiles, rates, parts, SLO attainment, hardware. Every figure is defined in docs/measurement.md. */
import type { Slo } from '../../sweep/plan.ts'
import { type LevelSummary, PARTS } from '../analysis.ts'
import { noParts } from '../calls/decompose-turn.ts'
import { lowerBound, upperBound } from '../statistics/binomial-bounds.ts'
import { percentilesOfSorted, quantile } from '../statistics/percentiles.ts'
import { fairnessOf } from './fairness.ts'
import { type LevelFacts, meanParts, tokenRate } from './level-facts.ts'
import type { LevelHardware } from './level-samples.ts'
import { littleGap } from './little-gap.ts'
import { turnFigures } from './turn-figures.ts'

export function summariseLevel(facts: LevelFacts, hardware: LevelHardware, slo: Slo): LevelSummary {
  const { level, turns, waves, overlap } = facts
  const figures = turnFigures(turns, slo)
  const { sessions, failures, held } = figures
  const means = meanParts(waves)
  const partsMs = means?.parts ?? noParts()
  const wallMs = means?.wallMs ?? 0
  const shares = noParts()
  for (const part of PARTS) shares[part] = wallMs > 0 ? partsMs[part] / wallMs : 0
  const reports = level.cells.flatMap((cell) => cell.driver ?? [])
  return {
    leg: level.leg,
    n: level.n,
    ...(level.ratePerSec === undefined ? {} : { ratePerSec: level.ratePerSec }),
    cells: level.cells.length,
    waves: level.waves.length,
    sessions,
    failures,
    cut: level.cut,
    ttfaMs: percentilesOfSorted(figures.ttfaMs),
    firstModelRequestMs: percentilesOfSorted(figures.firstModelRequestMs),
    ttftMs: percentilesOfSorted(figures.ttftMs),
    doneMs: percentilesOfSorted(figures.doneMs),
    wallMs: percentilesOfSorted(figures.wallMs),
    queueWaitMs: percentilesOfSorted(figures.queueMs),
    tokensPerSec: tokenRate(waves),
    decodeTokensPerSec: quantileOrNull(figures.decodeRates, 0.5),
    partsMs,
    shares,
    slotsInUse: overlap.streaming.lasting === 0 ? null : overlap.streaming.lasting,
    held: { count: held, ratio: sessions === 0 ? null : held / sessions, lowerBound: lowerBound(held, sessions) },
    errorRatioUpperBound: upperBound(failures, sessions),
    hostCpuPercentMean: hardware.hostCpuPercentMean,
    hostCpuPercentMax: hardware.hostCpuPercentMax,
    serverCpuPercentMean: hardware.serverCpuPercentMean,
    serverCpuPercentMax: hardware.serverCpuPercentMax,
    memoryUsedBytesMax: hardware.memoryUsedBytesMax,
    loopDelayMsP99: hardware.loopDelayMsP99,
    driverLagMsP99:
      reports.length > 0 ? reports.reduce((most, report) => Math.max(most, report.lagP99Ms), 0) : quantileOrNull(figures.submitLagMs, 0.99),
    receiveLagMsP99: quantileOrNull(figures.receiveLagMs, 0.99),
    littleGapRatio: littleGap(facts, hardware),
    fairness: fairnessOf(level),
  }
}

const quantileOrNull = (sorted: Float64Array, ratio: number) => (sorted.length === 0 ? null : quantile(sorted, ratio))

/**
 * From a sweep to what can be said of it. Pure and deterministic: the same state gives the same bytes; random draws are seeded by the plan.
 * Rows → levels with attributed calls → figures, ceilings, growth → verdict. Linear in the rows but for sorting.
 */
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { Analysis } from './analysis.ts'
import { candidatesOf } from './candidates.ts'
import { drawnFits } from './curves/fit-curves.ts'
import { levelCurves } from './curves/level-curves.ts'
import { errorCeiling, sloCeiling } from './levels/ceilings.ts'
import { driftOf } from './levels/drift.ts'
import { type Growth, growthBetween } from './levels/growth.ts'
import { sweepFacts } from './levels/level-facts.ts'
import { levelHardware, levelSamples } from './levels/level-samples.ts'
import { summariseLevel } from './levels/summarise-level.ts'
import { throughputCeiling } from './levels/throughput-ceiling.ts'
import { caseFile, completedOf, type MeasuredFacts, topLevel } from './verdict/case-file.ts'
import { findVerdict } from './verdict/find-verdict.ts'
import { findRunaways, type Runaways, withoutRunaways } from './verdict/runaways.ts'
import { warningsOf } from './warnings.ts'

export function analyse(state: SweepState): Analysis {
  const { slo, seed } = state.plan
  const sweep = sweepFacts(state)
  const all = sweep.levels.map((facts): MeasuredFacts => {
    const hardware = levelHardware(levelSamples(facts.level, state.samples))
    return { facts, hardware, summary: summariseLevel(facts, hardware, slo) }
  })
  // Under open load the server decides how many are in flight: no level of N, and no ceiling of it.
  const ofLeg = (leg: 'runner' | 'direct') => all.filter(({ summary }) => summary.leg === leg && summary.ratePerSec === undefined)
  const leading = ofLeg('runner').length > 0 ? ofLeg('runner') : ofLeg('direct')
  const levels = leading.filter(({ summary }) => completedOf(summary) > 0)
  const direct = ofLeg('direct').filter(({ summary }) => completedOf(summary) > 0)
  const runaways = findRunaways(levels.map((level) => level.facts))
  const growth = growthOf(levels, runaways, seed)
  const drift = driftOf(leading.find(({ summary }) => summary.n === 1)?.facts, seed)
  const summaries = leading.map((level) => level.summary)
  const curves = levelCurves(
    levels.map(({ summary, facts }) => ({ n: summary.n, waves: facts.waves, cells: facts.level.waves.map((wave) => wave.cell.cell.index) })),
    seed,
  )
  const throughput = throughputCeiling(curves, sweep.slots.plateau ? sweep.slots.n : null)
  const effectiveSlots = { ...sweep.slots, declared: state.facts?.declaredSlots ?? null }
  const file = caseFile({
    state,
    sweep,
    slots: sweep.slots,
    levels,
    all,
    growth,
    growthDirect: ofLeg('runner').length === 0 ? null : growthOf(direct, runaways, seed),
    drift,
    throughputReached: throughput.status === 'found',
    cliff: curves.curves.cliff,
    runaways,
  })
  const { verdict, interventions } = findVerdict(file)
  return {
    levels: all.map((level) => level.summary),
    effectiveSlots,
    ceilings: { slo: sloCeiling(summaries, slo), throughput, error: errorCeiling(summaries, slo) },
    growth: growth === null || !growth.isClear ? null : { fromN: growth.fromN, toN: growth.toN, parts: [...growth.parts] },
    ownCost: ownCost(all),
    driftRatio: drift?.value ?? null,
    fits: drawnFits(curves.curves),
    interventions,
    candidates: candidatesOf(file),
    verdict,
    warnings: warningsOf(state, all, effectiveSlots, drift),
  }
}

function growthOf(levels: readonly MeasuredFacts[], runaways: Runaways, seed: number): Growth | null {
  const [base] = levels
  const top = topLevel(levels)
  if (base === undefined || top === null || top.summary.n <= base.summary.n) return null
  return growthBetween(withoutRunaways(base.facts, runaways), top.facts, seed)
}

function ownCost(all: readonly MeasuredFacts[]): Analysis['ownCost'] {
  const last = all.filter(({ summary }) => summary.leg === 'null').at(-1)
  return last === undefined ? null : { n: last.summary.n, ttfaMs: last.summary.ttfaMs, cpuPercentMain: last.hardware.mainCpuPercentMean }
}

/** All that a verdict may rest on, gathered once: levels of the leading leg, growth, slots, reloads, drift, and the interventions that were run. */
import type { SweepState } from '../../sweep/fold-sweep.ts'
import type { LevelSummary } from '../analysis.ts'
import { countLoads } from '../calls/load-kinds.ts'
import type { Cliff } from '../curves/rate-points.ts'
import type { Drift } from '../levels/drift.ts'
import { GROUPS, type Growth } from '../levels/growth.ts'
import type { LevelFacts, SweepFacts } from '../levels/level-facts.ts'
import type { LevelHardware } from '../levels/level-samples.ts'
import { type LevelFailures, levelFailures } from './call-failures.ts'
import { queueSteps } from './queue-steps.ts'
import type { Runaways } from './runaways.ts'

export type MeasuredFacts = { readonly facts: LevelFacts; readonly summary: LevelSummary; readonly hardware: LevelHardware }

export type CaseFile = {
  readonly state: SweepState
  readonly sweep: SweepFacts
  readonly isSimulated: boolean
  readonly slots: SweepFacts['slots']
  /** Levels of the leading leg (runner, else direct) with at least one completed turn, ascending by n. */
  readonly levels: readonly MeasuredFacts[]
  /** All levels of all legs. */
  readonly all: readonly MeasuredFacts[]
  readonly base: MeasuredFacts | null
  /** The largest level of which at least half came through. */
  readonly top: MeasuredFacts | null
  readonly growth: Growth | null
  readonly growthDirect: Growth | null
  readonly nullTop: MeasuredFacts | null
  readonly drift: Drift | null
  readonly throughputReached: boolean
  readonly reload: Reload
  /** Levels that were planned but that the driver could not carry. */
  readonly limitedLevels: readonly number[]
  /** Steps of the queue at the top level, in service times; null without enough of them. */
  readonly steps: number | null
  /** Of the leading leg, ascending by n; levels of which nothing came through stand here as well. */
  readonly failures: readonly LevelFailures[]
  readonly runaways: Runaways
  /** The largest fall of the total rate from one level to the next; null without one. */
  readonly cliff: Cliff | null
}

export type Reload = {
  /** Loads behind the waits, each counted once. */
  readonly loads: number
  readonly swappedCalls: number
  readonly swappedTurnsRatio: number
  /** Largest share of the mean wall, over the levels. */
  readonly wallShare: number
  /** What differs between the sessions: "num_ctx 1024 and 2048"; null when nothing was seen to. */
  readonly differs: string | null
}

export type CaseParts = Pick<
  CaseFile,
  'state' | 'sweep' | 'slots' | 'all' | 'growth' | 'growthDirect' | 'drift' | 'throughputReached' | 'cliff' | 'runaways'
> & {
  readonly levels: readonly MeasuredFacts[]
}

export function caseFile(parts: CaseParts): CaseFile {
  const { state, levels, all, slots } = parts
  const top = topLevel(levels)
  const limited = new Set(parts.sweep.limited.map((cell) => cell.cell.n))
  const measured = new Set(levels.map((level) => level.summary.n))
  const { target } = state.plan.request
  return {
    state,
    sweep: parts.sweep,
    isSimulated: state.facts?.simulated ?? (target.kind === 'built-in' && target.engine === 'simulated'),
    slots,
    levels,
    all,
    base: levels[0] ?? null,
    top,
    growth: parts.growth,
    growthDirect: parts.growthDirect,
    nullTop: all.filter((level) => level.summary.leg === 'null' && completedOf(level.summary) > 0).at(-1) ?? null,
    drift: parts.drift,
    throughputReached: parts.throughputReached,
    reload: reloadOf(state, parts.sweep, levels),
    limitedLevels: [...limited].filter((n) => !measured.has(n)).sort((a, b) => a - b),
    steps: top === null || slots.n === null ? null : queueSteps(top.facts, slots.n),
    failures: all.filter(({ summary }) => summary.leg !== 'null' && summary.leg === all[0]?.summary.leg).map(levelFailures),
    runaways: parts.runaways,
    cliff: parts.cliff,
  }
}

export const completedOf = (summary: LevelSummary): number => summary.sessions - summary.failures

/** The largest level of which at least half came through. */
export function topLevel(levels: readonly MeasuredFacts[]): MeasuredFacts | null {
  return levels.filter(({ summary }) => completedOf(summary) * 2 >= summary.sessions).at(-1) ?? null
}

function reloadOf(state: SweepState, sweep: SweepFacts, levels: readonly MeasuredFacts[]): Reload {
  const turns = levels.reduce((sum, level) => sum + level.facts.turns.length, 0)
  const swapped = levels.flatMap((level) => level.facts.turns.filter((turn) => turn.calls.some((call) => call.swapMs > 0)))
  const shares = levels.map(({ summary }) => GROUPS.reload.reduce((sum, part) => sum + summary.shares[part], 0))
  return {
    loads: countLoads(sweep.longLoads),
    swappedCalls: swapped.flatMap((turn) => turn.calls.filter((call) => call.swapMs > 0)).length,
    swappedTurnsRatio: turns === 0 ? 0 : swapped.length / turns,
    wallShare: Math.max(0, ...shares),
    differs: variantsDiffer(state) ?? modelsDiffer(modelsOf(levels)),
  }
}

function modelsOf(levels: readonly MeasuredFacts[]): Set<string> {
  const models = new Set<string>()
  for (const { facts } of levels) for (const { row } of facts.turns) for (const call of row.timeline?.calls ?? []) models.add(call.model)
  return models
}

function modelsDiffer(models: Iterable<string>): string | null {
  const names = [...new Set(models)].sort()
  return names.length > 1 ? `models ${names.join(' and ')}` : null
}

function variantsDiffer(state: SweepState): string | null {
  const { variants } = state.plan.workload
  const models = modelsDiffer(variants.map((variant) => variant.model))
  const keys = [...new Set(variants.flatMap((variant) => Object.keys(variant.options)))].sort()
  const options = keys.flatMap((key) => {
    const values = [...new Set(variants.map((variant) => String(variant.options[key] ?? 'the default')))]
    return values.length > 1 ? [`${key} ${values.join(' and ')}`] : []
  })
  const all = [...(models === null ? [] : [models]), ...options]
  return all.length === 0 ? null : all.join(', ')
}

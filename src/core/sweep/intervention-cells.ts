/** Interventions as cells: one thing is changed, and what it was predicted to move is looked at (DESIGN.md section 7). The analysis reads them by `leg` and `arm`. */
import type { ModeLimits } from './modes.ts'
import type { SweepPlan } from './plan.ts'
import { type CellDraft, P50_SAMPLES, sweptLegs } from './plan-sweep.ts'
import { kneeOf, type Rung, type Rungs } from './rung-facts.ts'

/** How the reason of each begins; the analysis goes by `leg` and `arm`. */
export const INTERVENTION = 'Intervention: '

type Arm = { readonly draft: CellDraft; readonly because: string }

export function interventionsOf(plan: SweepPlan, rungs: Rungs, limits: ModeLimits): Arm[] {
  const { levels } = rungs
  if (sweptLegs(plan.request)[0] !== 'runner' || levels.length === 0) return []
  return [...directLeg(plan, levels, limits), ...promptArms(plan, rungs), ...slotsArm(plan, rungs)]
}

function cell(level: Rung, leg: CellDraft['leg'], repeat: number, arm?: CellDraft['arm']): CellDraft {
  const waves = Math.max(1, Math.ceil(P50_SAMPLES / level.n))
  return { leg, n: level.n, repeat, waves, minWaves: waves, budgetMs: null, role: 'measure', ...(arm === undefined ? {} : { arm }) }
}

/** The highest level, one session alone, and in a thorough sweep the knee: without the runner, does the same give way? */
function directLeg(plan: SweepPlan, levels: readonly Rung[], limits: ModeLimits): Arm[] {
  // Legs given as the runner alone mean just that; a direct leg that is swept already needs no second one.
  if (plan.request.legs.length === 1 || plan.cells.some((planned) => planned.leg === 'direct')) return []
  const sound = levels.filter((level) => level.failed * 2 <= level.turns)
  const chosen = new Set(
    [sound.at(-1), sound[0], sound[Math.floor(sound.length / 2)]].filter((level) => level !== undefined).slice(0, limits.directLevels),
  )
  return [...chosen].map((level) => ({ draft: cell(level, 'direct', 1), because: `${INTERVENTION}N=${level.n} without the runner in between.` }))
}

/** Half and double prompts at the highest level that is not saturated: does the time go where the prompt is read? */
function promptArms(plan: SweepPlan, rungs: Rungs): Arm[] {
  const { promptTokens, prompts, variants } = plan.workload
  // Own and recorded prompts have the length that they have; a mix measures swaps.
  if ((prompts?.length ?? 0) > 0 || variants.length > 0) return []
  const knee = kneeOf(rungs)?.n ?? Number.POSITIVE_INFINITY
  const level = rungs.levels.findLast(({ n }) => n <= knee) ?? rungs.levels[0]
  if (level === undefined) return []
  return [Math.max(1, Math.round(promptTokens / 2)), promptTokens * 2].map((tokens) => ({
    draft: cell(level, 'runner', 1, { promptTokens: tokens, slots: null }),
    because: `${INTERVENTION}prompts of ${tokens} tokens instead of ${promptTokens}, at the highest level below saturation.`,
  }))
}

/** Twice the slots on a server of ours, at a level that would fill them: does the ceiling move? */
function slotsArm(plan: SweepPlan, rungs: Rungs): Arm[] {
  const { target } = plan.request
  if (target.kind !== 'built-in' || target.engine === 'null' || target.slots < 1) return []
  const slots = target.slots * 2
  const level = rungs.levels.find(({ n }) => n >= slots) ?? rungs.levels.at(-1)
  if (level === undefined || level.n <= target.slots) return []
  const because = `${INTERVENTION}${slots} slots instead of ${target.slots}, at N=${level.n}.`
  return [{ draft: cell(level, 'runner', 1, { promptTokens: null, slots }), because }]
}

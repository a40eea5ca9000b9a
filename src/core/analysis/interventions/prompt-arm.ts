/** Prompts of another length: if reading them is what takes the time, the turn changes in proportion to what reading takes. */
import type { CaseFile } from '../verdict/case-file.ts'
import type { Finding } from '../verdict/finding.ts'
import { count, duration } from '../verdict/phrases.ts'
import { type ArmFacts, promptTokensOf } from './arm-facts.ts'
import type { InterventionOutcome } from './outcome.ts'
import { wallOf } from './slots-arm.ts'

/** A change that is predicted to be smaller than this share of the turn can't be told from noise. */
const TELLABLE_RATIO = 0.1
/** Of the predicted change: so much, and it came; less, and it did not. */
const HELD_RATIO = 0.5
const FAILED_RATIO = 0.25
/** A turn that moves by so much more than reading explains contradicts a cause that has nothing to do with prompts. */
const BEYOND = { times: 3, ofWall: 0.3 }

export function promptArm(file: CaseFile, finding: Finding, arm: ArmFacts): InterventionOutcome | null {
  const level = file.levels.find(({ summary }) => summary.n === arm.n)
  if (arm.arm.promptTokens === null || level === undefined) return null
  const wallMs = wallOf(level)
  const usual = promptTokensOf(level.facts.turns.map(({ row }) => row)) ?? file.state.plan.workload.promptTokens
  const tokens = arm.promptTokens ?? arm.arm.promptTokens
  const readMs = level.summary.partsMs.prefill + level.summary.partsMs.neighbourPrefill
  const predictedMs = (tokens / usual - 1) * readMs
  const seenMs = arm.wallMs - wallMs
  const text = `With prompts of ${Math.round(tokens)} tokens instead of ${Math.round(usual)}, at ${count(arm.n, 'session')}, a turn took ${duration(arm.wallMs)} instead of ${duration(wallMs)}; by the time that reading takes, ${duration(Math.max(0, wallMs + predictedMs))} was to be expected.`
  return { kind: 'prompt-length', text, ...judged(finding, predictedMs, seenMs, wallMs) }
}

function judged(finding: Finding, predictedMs: number, seenMs: number, wallMs: number): Pick<InterventionOutcome, 'agrees' | 'isProof'> {
  const isPrompts = finding.primary === 'model_server_engine' && finding.mechanism?.startsWith('prefill') === true
  const isEngine = finding.primary === 'model_server_engine' || finding.primary === 'hardware'
  if (isPrompts && Math.abs(predictedMs) >= TELLABLE_RATIO * wallMs) {
    const came = seenMs / predictedMs
    return { agrees: came >= HELD_RATIO ? true : came < FAILED_RATIO ? false : null, isProof: true }
  }
  // A decode-bound engine: the turn may move by what reading takes, and not by much more.
  const isBeyond = Math.abs(seenMs) > BEYOND.times * Math.abs(predictedMs) + BEYOND.ofWall * wallMs
  return { agrees: isEngine && !isPrompts && isBeyond ? false : null, isProof: true }
}

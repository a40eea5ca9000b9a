/** Two causes at once: an engine that gives way up to the slots, and a queue beyond them. Each needs evidence of its own. */
import type { CaseFile } from './case-file.ts'
import { rate } from './phrases.ts'
import { decodeRatioBeyond } from './shared-evidence.ts'

/** A second cause is named when even the low end of its share's interval is this much of the growth. */
export const MATERIAL_SHARE = 0.1
/** A step of the staircase, in service times. */
export const STEP = { least: 0.6, most: 1.6 }
/** Below this the answers themselves slow down beyond the slots, and the queue is not the whole story. */
export const FLAT_PACE_RATIO = 0.75
/** A total that rises by less than this from one session to as many as there are slots gains nothing by slots. */
const GAINS_RATIO = 1.2

/** Beyond the slots nothing but waiting is added: the overlap has its plateau, waits climb in steps, one answer keeps its pace. */
export function isQueueBeyondSlots(file: CaseFile): boolean {
  const { slots, steps } = file
  if (slots.n === null || !slots.plateau || steps === null) return false
  const pace = decodeRatioBeyond(file, slots.n)
  return steps >= STEP.least && steps <= STEP.most && (pace === null || pace.ratio >= FLAT_PACE_RATIO)
}

export type FullEngine = { readonly text: string }

/** The engine is full before the slots are: with all slots in use the total is about that of one session. Null with one slot, where it can't be seen. */
export function fullEngine(file: CaseFile): FullEngine | null {
  const { slots, levels } = file
  const [alone] = levels
  if (slots.n === null || !slots.plateau || slots.n < 2 || alone === undefined || alone.summary.n >= slots.n) return null
  const full = levels.find(({ summary }) => summary.n >= (slots.n ?? 0))
  const [before, after] = [alone.summary.tokensPerSec, full?.summary.tokensPerSec ?? null]
  const [paceBefore, paceAfter] = [alone.summary.decodeTokensPerSec, full?.summary.decodeTokensPerSec ?? null]
  if (full === undefined || before === null || after === null || paceBefore === null || paceAfter === null) return null
  if (after >= GAINS_RATIO * before || paceAfter >= FLAT_PACE_RATIO * paceBefore) return null
  return {
    text: `from ${alone.summary.n} to ${full.summary.n} sessions the total goes only from ${rate(before)} to ${rate(after)} tokens/s, since one answer falls from ${rate(paceBefore)} to ${rate(paceAfter)}`,
  }
}

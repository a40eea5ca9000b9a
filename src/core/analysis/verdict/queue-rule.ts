/** model_server_queue: its share of the growth leads and is clear, the overlap has a plateau below N, the waits climb in steps, the pace of one answer holds. */
import type { Verdict } from '../analysis.ts'
import { leadingGroup } from '../levels/growth.ts'
import type { CaseFile } from './case-file.ts'
import { type Finding, inconclusive, leavesOpen, type Rule, serverName, supports, weigh } from './finding.ts'
import { count, percent, rate, shareOf } from './phrases.ts'
import { decodeRatioBeyond, directLegEvidence, failureEvidence, nullLegEvidence, residualEvidence, shareLine, twoCauses } from './shared-evidence.ts'

/** A step of the staircase, in service times. */
const STEP = { least: 0.6, most: 1.6 }
/** Below this the answers themselves slow down beyond the slots, and the queue is not the whole story. */
const FLAT_PACE_RATIO = 0.75

export const queueRule: Rule = (file) => {
  const { growth, top, slots } = file
  if (growth === null || top === null || !growth.isClear) return null
  const lead = leadingGroup(growth)
  if (lead.group !== 'queue') return null
  const evidence = [weigh(lead.isClear, shareLine(file, 'queue')), ...slotEvidence(file), stepEvidence(file), paceEvidence(file)]
  const others = [residualEvidence(file), directLegEvidence(file, 'queue'), nullLegEvidence(file), failureEvidence(file)]
  evidence.push(...others.filter((line) => line !== null))
  // A stray long load is an accident; where models or options are mixed it is a swap, and swaps look like a queue.
  const swaps = file.reload.swappedCalls > 0 && file.reload.differs !== null
  if (swaps) evidence.push(weigh(false, `${count(file.reload.swappedCalls, 'request')} waited for another model or other options to be loaded.`))
  if (!lead.isClear || slots.n === null || !slots.plateau || swaps) {
    return inconclusive(
      lead.isClear
        ? `Most of the added time looks like waiting in ${serverName(file)}'s queue, but the evidence does not carry that verdict.`
        : twoCauses(file),
      swaps ? 'Sweep one model with one set of options.' : 'Add repeats, and a level well above the number of requests that are answered at once.',
      evidence,
    )
  }
  const against = evidence.filter((line) => line.stance === 'against').length
  const direct = directLegEvidence(file, 'queue')
  const isProven = direct?.stance === 'for' && nullLegEvidence(file)?.stance === 'for' && failureEvidence(file) === null
  const confidence: Verdict['confidence'] = against > 0 || file.steps === null ? 'suspected' : isProven ? 'confirmed' : 'likely'
  return { primary: 'model_server_queue', confidence, sentence: sentenceOf(file, slots.n), ...moves(file, slots.n), toSettle: null, evidence }
}

function sentenceOf(file: CaseFile, slots: number): string {
  const { growth } = file
  const share = shareOf(growth?.groups.queue.value ?? 0)
  const range = `from ${growth?.fromN} to ${growth?.toN} sessions`
  return `Beyond ${count(slots, 'session')} ${serverName(file)}'s queue gives way first: it answers ${count(slots, 'request')} at a time, and ${share} of the time added ${range} is spent waiting for a slot.`
}

function slotEvidence(file: CaseFile) {
  const { slots, top, state } = file
  const declared = state.facts?.declaredSlots ?? null
  const source = state.facts?.declaredSlotsSource
  const plateau = slots.plateau
    ? supports(`Never more than ${count(slots.n ?? 0, 'answer')} streamed at once, up to ${top?.summary.n} sessions.`)
    : leavesOpen('The number of answers that stream at once has no plateau yet.')
  if (declared === null || slots.n === null) return [plateau]
  const text = `The server declares ${count(declared, 'slot')}${source === null || source === undefined ? '' : ` (${source})`}.`
  return [plateau, declared === slots.n ? supports(`${text} The cap is a setting.`) : leavesOpen(text)]
}

function stepEvidence({ steps, slots }: CaseFile) {
  if (steps === null) return leavesOpen('Too few requests waited to see the steps of a staircase.')
  const isStaircase = steps >= STEP.least && steps <= STEP.most
  const climb = `The waits climb by ${steps.toFixed(2)} of what a queue in front of ${count(slots.n ?? 0, 'slot')} gives`
  return weigh(isStaircase, isStaircase ? `${climb}: a staircase, one service time a step.` : `${climb}: no staircase.`)
}

function paceEvidence(file: CaseFile) {
  const pace = decodeRatioBeyond(file, file.slots.n ?? 1)
  if (pace === null) return leavesOpen('No two levels at or above the slots tell whether one answer slows down beyond them.')
  return weigh(
    pace.ratio >= FLAT_PACE_RATIO,
    `Beyond the slots one answer keeps ${percent(Math.min(1, pace.ratio))} of its pace (${pace.fromN} to ${file.top?.summary.n} sessions).`,
  )
}

function moves(file: CaseFile, slots: number): Pick<Finding, 'wouldMove' | 'wouldNotMove'> {
  const alone = file.base?.summary
  const atSlots = file.levels.find(({ summary }) => summary.n === slots)?.summary
  const [before, after] = [alone?.tokensPerSec ?? null, atSlots?.tokensPerSec ?? null]
  const isFull = slots > 1 && before !== null && after !== null && after < 1.2 * before
  return {
    wouldMove: isFull
      ? `Shorter answers, or fewer sessions at once. More slots would hardly help: from ${alone?.n} to ${slots} sessions the total went only from ${rate(before)} to ${rate(after)} tokens/s, so the engine is full already.`
      : 'More slots, as far as the engine has room for them: a sweep at another slot count tells. Shorter answers help in any case.',
    wouldNotMove: `A higher limit or more processes in the runner: ${shareOf(file.growth?.groups.runner.value ?? 0)} of the added time is the runner's.`,
  }
}

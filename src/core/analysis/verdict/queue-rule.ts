/** model_server_queue: its share of the growth leads and is clear, the overlap has a plateau below N, the waits climb in steps, the pace of one answer holds. */
import type { Evidence, Verdict } from '../analysis.ts'
import { leadingGroup } from '../levels/growth.ts'
import type { CaseFile } from './case-file.ts'
import { type Finding, inconclusive, leavesOpen, sentenceStart, serverName, supports, type VerdictRule, weigh } from './finding.ts'
import { count, duration, percent, shareOf } from './phrases.ts'
import { decodeRatioBeyond, directLegEvidence, failureEvidence, nullLegEvidence, residualEvidence, shareLine, twoCauses } from './shared-evidence.ts'
import { FLAT_PACE_RATIO, fullEngine, isQueueBeyondSlots, MATERIAL_SHARE, STEP } from './two-causes.ts'

export const queueRule: VerdictRule = {
  code: 'model_server_queue',
  needs: [
    'waiting while all slots were busy holds the largest share of the growth, clear of all others',
    'the number of answers that stream at once has a plateau below N',
  ],
  rivals: {
    model_server_engine: 'there one answer loses its pace, and as many stream as were sent',
    model_server_reload: 'there the waits stand in the load durations, and models or options are mixed',
    runner_process: 'there the requests leave late, and no more of them are under way than are answered',
    hardware: 'a busy GPU with a pace that holds is a queue, not a full GPU',
  },
  refutedBy: ['the direct leg does not wait', 'twice the slots leave the wait as it was'],
  judge: judgeQueue,
}

export function judgeQueue(file: CaseFile): Finding | null {
  const { growth, top, slots } = file
  if (growth === null || top === null || !growth.isClear) return null
  const lead = leadingGroup(growth)
  if (lead.group !== 'queue') return null
  const isShared = !lead.isClear && lead.next === 'engine' && isQueueBeyondSlots(file)
  const evidence = [
    weigh(lead.isClear ? true : isShared ? null : false, shareLine(file, 'queue')),
    ...slotEvidence(file),
    stepEvidence(file),
    paceEvidence(file),
  ]
  const others = [residualEvidence(file), directLegEvidence(file, 'queue'), nullLegEvidence(file), failureEvidence(file), runawayEvidence(file)]
  evidence.push(...others.filter((line) => line !== null))
  // A stray long load is an accident; where models or options are mixed it is a swap, and swaps look like a queue.
  const swaps = file.reload.swappedCalls > 0 && file.reload.differs !== null
  if (swaps) evidence.push(weigh(false, `${count(file.reload.swappedCalls, 'request')} waited for another model or other options to be loaded.`))
  if (!(lead.isClear || isShared) || slots.n === null || !slots.plateau || swaps) {
    return inconclusive(
      lead.isClear || isShared
        ? `Most of the added time looks like waiting in ${serverName(file)}'s queue, but the evidence does not carry that verdict.`
        : twoCauses(file),
      swaps ? 'Sweep one model with one set of options.' : 'Add repeats, and a level well above the number of requests that are answered at once.',
      evidence,
    )
  }
  const against = evidence.filter((line) => line.stance === 'against').length
  const direct = directLegEvidence(file, 'queue')
  const isProven = direct?.stance === 'for' && nullLegEvidence(file)?.stance === 'for' && failureEvidence(file) === null
  const confidence: Verdict['confidence'] = against > 0 || file.steps === null || isShared ? 'suspected' : isProven ? 'confirmed' : 'likely'
  const engine = engineBehind(file)
  if (engine !== null) evidence.push(supports(`${sentenceStart(engine)}.`))
  return {
    primary: 'model_server_queue',
    secondary: engine === null ? null : 'model_server_engine',
    mechanism: mechanismOf(file, slots.n),
    confidence,
    sentence: sentenceOf(file, slots.n, engine),
    ...moves(file, engine),
    toSettle: null,
    evidence,
  }
}

/** What limits the answers that are at work: why more slots would not help. Null when nothing shows it. */
function engineBehind(file: CaseFile): string | null {
  const full = fullEngine(file)
  const share = file.growth?.groups.engine
  if (full !== null) return full.text
  if (share === undefined || share.low <= MATERIAL_SHARE) return null
  return `${shareOf(share.value)} of the added time is prefill and decode, which slow down as the slots fill`
}

function mechanismOf(file: CaseFile, slots: number): string {
  const text = `${slots === 1 ? 'one slot' : count(slots, 'slot')}, first come first served`
  if (runawayEvidence(file) === null) return text
  return `${text}; a runaway answer holds ${slots === 1 ? 'the only slot' : 'a slot'}`
}

function sentenceOf(file: CaseFile, slots: number, engine: string | null): string {
  const { growth } = file
  const share = shareOf(growth?.groups.queue.value ?? 0)
  const range = `from ${growth?.fromN} to ${growth?.toN} sessions`
  const behind = engine === null ? '' : ` The queue is where the waiting happens, but the engine is the limit: ${engine}.`
  return `Beyond ${count(slots, 'session')} ${serverName(file)}'s queue gives way first: it answers ${count(slots, 'request')} at a time, and ${share} of the time added ${range} is spent waiting for a slot.${behind}`
}

function slotEvidence(file: CaseFile): Evidence[] {
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

function stepEvidence({ steps, slots }: CaseFile): Evidence {
  if (steps === null) return leavesOpen('Too few requests waited to see the steps of a staircase.')
  const isStaircase = steps >= STEP.least && steps <= STEP.most
  const climb = `The waits climb by ${steps.toFixed(2)} of what a queue in front of ${count(slots.n ?? 0, 'slot')} gives`
  return weigh(isStaircase, isStaircase ? `${climb}: a staircase, one service time a step.` : `${climb}: no staircase.`)
}

function paceEvidence(file: CaseFile): Evidence {
  const pace = decodeRatioBeyond(file, file.slots.n ?? 1)
  if (pace === null) return leavesOpen('No two levels at or above the slots tell whether one answer slows down beyond them.')
  return weigh(
    pace.ratio >= FLAT_PACE_RATIO,
    `Beyond the slots one answer keeps ${percent(Math.min(1, pace.ratio))} of its pace (${pace.fromN} to ${file.top?.summary.n} sessions).`,
  )
}

/** Runaways that others waited behind; null when there is none. */
function runawayEvidence({ levels, runaways }: CaseFile): Evidence | null {
  if (runaways.calls.size === 0) return null
  const held = new Set<string>()
  let holding = 0
  for (const { facts } of levels) {
    for (const { row } of facts.turns) {
      const own = row.timeline?.calls.filter((call) => runaways.calls.has(call)).length ?? 0
      holding += own
      if (own > 0) held.add(`${row.cell}/${row.wave}`)
    }
  }
  const behind = levels.flatMap(({ facts }) =>
    facts.turns.filter(({ row, calls }) => held.has(`${row.cell}/${row.wave}`) && calls.some((call) => call.queueMs > runaways.medianMs)),
  ).length
  if (behind === 0) return null
  return supports(
    `${count(holding, 'answer')} ran on for up to ${duration(runaways.longestMs)}, where the others take ${duration(runaways.medianMs)}; ${count(behind, 'turn')} of the same waves waited meanwhile. Limit the length of an answer (num_predict).`,
  )
}

function moves(file: CaseFile, engine: string | null): Pick<Finding, 'wouldMove' | 'wouldNotMove'> {
  const full = fullEngine(file)
  const runner = `A higher limit or more processes in the runner: ${shareOf(file.growth?.groups.runner.value ?? 0)} of the added time is the runner's.`
  return {
    wouldMove:
      full !== null
        ? `Shorter answers, a faster engine, or fewer sessions at once. More slots would hardly help: ${full.text}.`
        : 'More slots, as far as the engine has room for them: a sweep at another slot count tells. Shorter answers help in any case.',
    wouldNotMove: full !== null && engine !== null ? `More slots: the engine is full already. ${runner}` : runner,
  }
}

/** model_server_engine: the requests are worked on together, and each gets slower the more there are, without a machine that is seen to be full. */
import type { Evidence, Verdict } from '../analysis.ts'
import { leadingGroup } from '../levels/growth.ts'
import type { CaseFile } from './case-file.ts'
import { engineCliff, overlapLine, readingLine, slowdown, totalRateEvidence } from './engine-evidence.ts'
import { type Finding, inconclusive, serverName, speaksAgainst, supports, type VerdictRule, weigh } from './finding.ts'
import { fullMachine, type MachineFinding, roomyMachine } from './machine.ts'
import { count, rate, shareOf } from './phrases.ts'
import { directLegEvidence, failureEvidence, nullLegEvidence, shareLine, twoCauses } from './shared-evidence.ts'
import { stalledStreams } from './stalled-streams.ts'
import { isQueueBeyondSlots, MATERIAL_SHARE } from './two-causes.ts'

/** More turns with a swap than this: time in the engine may be waiting for another model. */
const SWAPPED_RATIO = 0.05

export const engineRule: VerdictRule = {
  code: 'model_server_engine',
  needs: [
    'prefill, decode and background hold the largest share of the growth, clear of all others',
    'one answer has lost a quarter of its pace, or prompts take a third longer',
  ],
  rivals: {
    model_server_queue: 'there the pace of one answer holds, and the waits climb in steps of one service time',
    hardware: 'there CPU, GPU or memory of the machine is seen to be full as well',
    runner_process: 'there the null leg grows too, and the direct leg does not',
  },
  refutedBy: ['the direct leg does not slow down', 'shorter prompts change nothing although prompts are said to be the cause'],
  judge: (file) => {
    const machine = fullMachine(file)
    return machine === null ? judgeEngine(file, null) : null
  },
}

/** The same for an engine and for the hardware under it. */
export function judgeEngine(file: CaseFile, machine: MachineFinding | null): Finding | null {
  const { growth, top, base } = file
  if (growth === null || top === null || base === null || !growth.isClear) return null
  const lead = leadingGroup(growth)
  if (lead.group !== 'engine') return null
  const slower = slowdown(base, top)
  const cliff = engineCliff(file)
  const carried = top.facts.overlap.streaming.lasting >= top.facts.overlap.asked.lasting
  const isInTurn = top.facts.overlap.promptsInTurn === true
  // While prompts are read one after the other the answers before them may well stand still: that is the engine's doing.
  const stall = isInTurn ? null : stalledStreams(base, top)
  const hasQueue = growth.groups.queue.low > MATERIAL_SHARE && isQueueBeyondSlots(file)
  const evidence: Evidence[] = [
    weigh(lead.isClear ? true : hasQueue ? null : false, shareLine(file, 'engine')),
    weigh(slower.isSlower, slower.text),
    ...(cliff === null ? [] : [cliff.evidence]),
    weigh(carried ? true : null, overlapLine(top)),
    ...(isInTurn ? [supports(readingLine(top))] : []),
    ...(stall === null ? [] : [speaksAgainst(stall)]),
    ...totalRateEvidence(base, top),
    ...[machine?.evidence ?? roomyMachine(file), directLegEvidence(file, 'engine'), nullLegEvidence(file), failureEvidence(file)].filter(
      (line) => line !== null,
    ),
    ...(hasQueue ? [weigh(true, shareLine(file, 'queue'))] : []),
  ]
  if (stall !== null && machine === null) {
    return inconclusive(
      `Most of the added time passes within the answers, but not in their pace: they stand still in the middle, as when an answer has to queue a second time (structured output of a model that thinks does).`,
      'Sweep without structured output or thinking; a server log tells whether one answer takes two runs.',
      evidence,
    )
  }
  // A cliff is seen in the totals: it needs no growth that is clear of all others, only one that leads.
  if ((!lead.isClear && !hasQueue && cliff === null) || !slower.isSlower || file.reload.swappedTurnsRatio > SWAPPED_RATIO) {
    return inconclusive(
      lead.isClear
        ? `The added time is spent mostly in ${serverName(file)}'s prefill and decode, but the evidence does not carry that verdict.`
        : twoCauses(file),
      'Add repeats, and a larger level; shorter prompts in a second sweep would tell prefill from decode.',
      evidence,
    )
  }
  const against = evidence.filter((line) => line.stance === 'against').length
  const isShown = carried || isInTurn || machine !== null || hasQueue || cliff !== null
  const confidence: Verdict['confidence'] = against > 0 || !isShown || !lead.isClear ? 'suspected' : 'likely'
  const mechanism = cliff === null ? slower.mechanism : `engine cliff above ${cliff.fromN}`
  return {
    primary: machine === null ? 'model_server_engine' : 'hardware',
    secondary: hasQueue ? 'model_server_queue' : null,
    mechanism: machine === null ? mechanism : machine.mechanism,
    confidence,
    sentence: sentenceOf(file, machine !== null, hasQueue),
    ...moves(file, machine !== null),
    toSettle: null,
    evidence,
  }
}

function sentenceOf(file: CaseFile, isHardware: boolean, hasQueue: boolean): string {
  const { growth, base, top, slots } = file
  const cliff = engineCliff(file)
  const share = shareOf(growth?.groups.engine.value ?? 0)
  const range = `from ${growth?.fromN} to ${growth?.toN} sessions`
  const subject = isHardware ? `the hardware under ${serverName(file)} gives way first` : `${serverName(file)}'s engine gives way first`
  if (cliff !== null) {
    return `Beyond ${count(cliff.fromN, 'session')} ${subject}: ${cliff.text}, and ${share} of the time added ${range} is prefill and decode. Operate at ${cliff.fromN}.`
  }
  const [before, after] = [base?.summary.decodeTokensPerSec ?? null, top?.summary.decodeTokensPerSec ?? null]
  const isDecode = base !== null && top !== null && before !== null && after !== null && slowdown(base, top).text.startsWith('One answer')
  const pace = isDecode ? `one answer goes from ${rate(before ?? 0)} to ${rate(after ?? 0)} tokens/s` : 'each prompt takes longer the more there are'
  const beyond = hasQueue
    ? ` Beyond ${count(slots.n ?? 0, 'session')} its queue comes on top: it answers ${count(slots.n ?? 0, 'request')} at a time, and ${shareOf(growth?.groups.queue.value ?? 0)} is waiting for a slot.`
    : ''
  return `Beyond ${count(growth?.fromN ?? 1, 'session')} ${subject}: it works on the requests together, but ${pace}, and ${share} of the time added ${range} is prefill and decode.${beyond}`
}

function moves(file: CaseFile, isHardware: boolean): Pick<Finding, 'wouldMove' | 'wouldNotMove'> {
  const cliff = engineCliff(file)
  const runner = shareOf(file.growth?.groups.runner.value ?? 0)
  const paths = 'Another path of the engine (speculative decoding off, another batch size), or no more sessions than that.'
  return {
    wouldMove: isHardware
      ? 'A faster or second machine, a smaller or more strongly quantised model, shorter prompts and answers.'
      : cliff === null
        ? 'More compute threads or a faster engine where the machine has cores to spare, a smaller model, shorter prompts and answers.'
        : paths,
    wouldNotMove: `More slots: the requests are answered together already. A higher limit in the runner: ${runner} of the added time is the runner's.`,
  }
}

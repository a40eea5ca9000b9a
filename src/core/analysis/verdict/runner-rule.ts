/** runner_process: the time before and between model requests grows, and a second line of evidence says why: a blocked loop, an admission limit, a pool of connections, slow tools, the null leg. */
import type { Evidence, Verdict } from '../analysis.ts'
import { type Group, leadingGroup } from '../levels/growth.ts'
import { LOOP_BLOCKED_MS } from '../levels/level-samples.ts'
import type { CaseFile, MeasuredFacts } from './case-file.ts'
import { type ClientCap, clientCap } from './client-cap.ts'
import { type Finding, inconclusive, leavesOpen, serverName, speaksAgainst, supports, type VerdictRule, weigh } from './finding.ts'
import { count, duration, percent, shareOf } from './phrases.ts'
import { ownMs, shareLine, twoCauses } from './shared-evidence.ts'
import { slowTools } from './slow-tools.ts'

/** Share of the time with a blocked loop that counts as evidence. */
const BLOCKED_RATIO = 0.1
/** A loop that is busy for this share of the time has no room left, though no single piece of work blocks it for long (bench-anchors 5.7: one core near full). */
const BUSY_RATIO = 0.9
/** The null leg shows the same when it takes at least this share of the runner's time at the top level, in proportion to N. */
const SAME_RATIO = 0.5
/** Without the runner a turn must take less than this of what it takes with it, for the runner to be what makes it long. */
const FREED_RATIO = 0.6

export const runnerRule: VerdictRule = {
  code: 'runner_process',
  needs: [
    'time before and between the model requests, or in tools, holds the largest share of the growth, clear of all others',
    'a blocked event loop, an admission limit, a pinned number of requests, tools that take longer each, or the null leg agree',
  ],
  rivals: {
    model_server_queue: 'there the requests have left, and wait at the server; a cap of ours above its slots only moves that wait',
    load_generator: 'there the submits themselves are late',
  },
  refutedBy: ['the null leg takes no time at the same N and the loop is free', 'the direct leg grows as much'],
  judge: judgeRunner,
}

type Cause = {
  readonly mechanism: string
  readonly why: string
  readonly wouldMove: string
  readonly evidence: readonly Evidence[]
  readonly isShown: boolean
}

function judgeRunner(file: CaseFile): Finding | null {
  const { growth, top, base } = file
  if (growth === null || top === null || base === null || !growth.isClear) return null
  const lead = leadingGroup(growth)
  if (lead.group !== 'runner' && lead.group !== 'tools') return null
  const loop = loopEvidence(top)
  const control = controlEvidence(file, top)
  const isBlocked = loop.stance === 'for'
  const cap = isBlocked || lead.group === 'tools' ? null : clientCap(file)
  if (lead.isClear && cap !== null && file.slots.plateau && (file.slots.n ?? 0) < cap.n) return queueBehindCap(file, cap)
  const cause = isBlocked ? blockedLoop(top) : lead.group === 'tools' ? tools(base, top) : (admission(top, cap) ?? pool(cap) ?? alike(control))
  const direct = directEvidence(file, top)
  const evidence: Evidence[] = [weigh(lead.isClear, shareLine(file, lead.group)), ...cause.evidence, loop]
  if (lead.group === 'runner') evidence.push(control)
  if (direct !== null) evidence.push(direct)
  if (!lead.isClear || !cause.isShown) return notShown(file, lead.isClear, lead.group, evidence)
  // A null leg that is quicker says nothing of a pool or a tool: its answers take no time, so nothing waits.
  const isAgainst = direct?.stance === 'against' || (control.stance === 'against' && cap === null && lead.group === 'runner' && !isAdmission(top))
  const agreeing = [loop, lead.group === 'runner' ? control : null, direct].filter((line) => line?.stance === 'for').length
  const confidence: Verdict['confidence'] = isAgainst
    ? 'suspected'
    : agreeing > (isBlocked ? 1 : 0) && (isBlocked || direct?.stance === 'for')
      ? 'confirmed'
      : 'likely'
  return { ...said(file, cause, lead.group), confidence, evidence }
}

function said(file: CaseFile, cause: Cause, group: Group): Omit<Finding, 'confidence' | 'evidence'> {
  const { growth } = file
  const share = shareOf(growth?.groups[group].value ?? 0)
  const server = file.isSimulated ? ' (against the simulated server)' : ''
  return {
    primary: 'runner_process',
    mechanism: cause.mechanism,
    sentence: `Beyond ${count(growth?.fromN ?? 1, 'session')} Plimsoll's own runner gives way first${server}: ${share} of the time added from ${growth?.fromN} to ${growth?.toN} sessions passes outside the model server, and ${cause.why}.`,
    wouldMove: cause.wouldMove,
    wouldNotMove: `More slots or a faster model server: ${shareOf((growth?.groups.queue.value ?? 0) + (growth?.groups.engine.value ?? 0))} of the added time is the server's.`,
    toSettle: null,
  }
}

function notShown(file: CaseFile, isClear: boolean, group: Group, evidence: readonly Evidence[]): Finding {
  if (!isClear)
    return inconclusive(twoCauses(file), 'Add the null leg, and keep the samples of the event loop: both show what the runner alone takes.', evidence)
  return group === 'tools'
    ? inconclusive(
        'Most of the added time is spent in tools, but each of them takes as long as with one session.',
        'Sweep a workload without tools.',
        evidence,
      )
    : inconclusive(
        "Most of the added time lies before or between the model requests, but nothing else shows that Plimsoll's own runner is busy.",
        'Add the null leg, and keep the samples of the event loop: both show what the runner alone takes.',
        evidence,
      )
}

/** Our own cap stands before a server that answers fewer still: whoever waits before the cap would wait behind it. */
function queueBehindCap(file: CaseFile, cap: ClientCap): Finding {
  const slots = file.slots.n ?? 1
  return {
    primary: 'model_server_queue',
    secondary: 'runner_process',
    mechanism: `${slots === 1 ? 'one slot' : count(slots, 'slot')}, first come first served, behind ${cap.n} requests that the client lets out at once`,
    confidence: 'suspected',
    sentence: `Beyond ${count(slots, 'session')} ${serverName(file)}'s queue gives way first: it answers ${count(slots, 'request')} at a time. Beyond ${cap.n} the runner holds requests back before they leave, which only moves the waiting.`,
    wouldMove: 'More slots, as far as the engine has room for them; shorter answers.',
    wouldNotMove: `A higher limit in the runner: the server answers ${slots} at a time all the same.`,
    toSettle: 'Sweep again without the limit of the runner: the same wait then stands at the server.',
    evidence: [supports(`Never more than ${count(slots, 'answer')} streamed at once.`), ...cap.evidence, leavesOpen(shareLine(file, 'runner'))],
  }
}

const isAdmission = (top: MeasuredFacts) => top.summary.partsMs.admission > top.summary.partsMs.runner

function admission(top: MeasuredFacts, cap: ClientCap | null): Cause | null {
  if (!isAdmission(top)) return null
  return {
    mechanism: `admission limit${cap === null ? '' : ` of ${cap.n}`}`,
    why: 'its admission limit lets too few turns in',
    wouldMove: "A higher admission limit in Plimsoll's settings.",
    evidence: [supports(`${duration(top.summary.partsMs.admission)} of it is waiting for the runner's own admission limit.`)],
    isShown: true,
  }
}

function pool(cap: ClientCap | null): Cause | null {
  if (cap === null) return null
  return {
    mechanism: `client connection pool of ${cap.n}`,
    why: `never more than ${count(cap.n, 'request')} were under way at once: a pool of connections, in the client, that the others wait for`,
    wouldMove: `A pool of connections as large as the number of sessions, instead of ${cap.n}.`,
    evidence: cap.evidence,
    isShown: true,
  }
}

const isBusy = ({ hardware }: MeasuredFacts) => (hardware.loopUtilizationMean ?? 0) >= BUSY_RATIO

function blockedLoop(top: MeasuredFacts): Cause {
  return {
    mechanism: 'event loop blocked',
    why: isBusy(top)
      ? `its event loop was busy ${percent(top.hardware.loopUtilizationMean ?? 1)} of the time`
      : `its event loop was blocked for up to ${duration(top.hardware.loopDelayMsP99 ?? 0)}`,
    wouldMove: 'Taking the work that blocks the event loop out of the start of a turn, or running fewer sessions in this process.',
    evidence: [],
    isShown: true,
  }
}

function tools(base: MeasuredFacts, top: MeasuredFacts): Cause {
  const slow = slowTools(base, top)
  return {
    mechanism: slow === null ? 'slow tools' : `slow tool: ${slow.name}`,
    why: slow === null ? 'tools take longer' : `the tool ${slow.name} takes ${duration(slow.afterMs)} instead of ${duration(slow.beforeMs)}`,
    wouldMove: 'A tool that does its work for several sessions at once without waiting for itself.',
    evidence: slow === null ? [] : [supports(slow.text)],
    isShown: slow !== null,
  }
}

/** No sign of its own: only the null leg can show it. */
function alike(control: Evidence): Cause {
  return {
    mechanism: 'work of the runner itself',
    why: 'it takes as long against a model that answers at once',
    wouldMove: 'Running fewer sessions in this process, or less work at the start of each turn.',
    evidence: [],
    isShown: control.stance === 'for',
  }
}

function loopEvidence(top: MeasuredFacts): Evidence {
  const { loopBlockedRatio, loopDelayMsP99, loopUtilizationMean, samples } = top.hardware
  if (loopBlockedRatio === null || loopDelayMsP99 === null) return leavesOpen('There are no samples of the event loop under this load.')
  if (loopBlockedRatio < BLOCKED_RATIO && isBusy(top))
    return supports(
      `The event loop was busy ${percent(loopUtilizationMean ?? 1)} of the time at ${top.summary.n} sessions (${count(samples, 'sample')}).`,
    )
  return weigh(
    loopBlockedRatio >= BLOCKED_RATIO,
    `The event loop was blocked, for more than ${LOOP_BLOCKED_MS} ms at once, in ${percent(loopBlockedRatio)} of the time at ${top.summary.n} sessions (${count(samples, 'sample')}, p99 ${duration(loopDelayMsP99)}).`,
  )
}

/** The null leg is the control: the same runner without a model server that takes time. */
export function controlEvidence(file: CaseFile, top: MeasuredFacts): Evidence {
  const { nullTop } = file
  if (nullTop === null) return leavesOpen('The null leg, which shows the runner alone, was not run.')
  const expectedMs = ownMs(top) * Math.min(1, nullTop.summary.n / top.summary.n)
  return weigh(
    ownMs(nullTop) >= SAME_RATIO * expectedMs,
    `With a model that answers at once the runner takes ${duration(ownMs(nullTop))} a turn at ${nullTop.summary.n} sessions, on the real path ${duration(ownMs(top))} at ${top.summary.n}.`,
  )
}

/** The same load without the runner, at the same level: does the wait go away? */
export function directEvidence(file: CaseFile, top: MeasuredFacts): Evidence | null {
  const direct = file.all.find(({ summary }) => summary.leg === 'direct' && summary.n === top.summary.n && summary.sessions > summary.failures)
  if (direct === undefined || top.summary.leg !== 'runner') return null
  const wall = ({ summary }: MeasuredFacts) => Object.values(summary.partsMs).reduce((sum, ms) => sum + ms, 0)
  const text = `Without the runner a turn takes ${duration(wall(direct))} at ${top.summary.n} sessions, with it ${duration(wall(top))}.`
  return wall(direct) < FREED_RATIO * wall(top) ? supports(text) : speaksAgainst(text)
}

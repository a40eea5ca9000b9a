/** runner_process: the time before and between model requests grows, and either the event loop was seen blocked or the null leg shows the same. */
import type { Evidence, Verdict } from '../analysis.ts'
import { leadingGroup } from '../levels/growth.ts'
import { LOOP_BLOCKED_MS } from '../levels/level-samples.ts'
import type { CaseFile, MeasuredFacts } from './case-file.ts'
import { inconclusive, leavesOpen, type Rule, weigh } from './finding.ts'
import { count, duration, percent, shareOf } from './phrases.ts'
import { ownMs, shareLine, twoCauses } from './shared-evidence.ts'

/** Share of the time with a blocked loop that counts as evidence. */
const BLOCKED_RATIO = 0.1
/** The null leg shows the same when it takes at least this share of the runner's time at the top level, in proportion to N. */
const SAME_RATIO = 0.5

export const runnerRule: Rule = (file) => {
  const { growth, top } = file
  if (growth === null || top === null || !growth.isClear) return null
  const lead = leadingGroup(growth)
  if (lead.group !== 'runner') return null
  const loop = loopEvidence(top)
  const control = controlEvidence(file, top)
  const isAdmission = top.summary.partsMs.admission > top.summary.partsMs.runner
  const admission = isAdmission
    ? [weigh(true, `${duration(top.summary.partsMs.admission)} of it is waiting for the runner's own admission limit.`)]
    : []
  const evidence: Evidence[] = [weigh(lead.isClear, shareLine(file, 'runner')), ...admission, loop, control]
  const agreeing = [loop, control, ...admission].filter((line) => line.stance === 'for').length
  if (!lead.isClear || agreeing === 0) {
    return inconclusive(
      !lead.isClear
        ? twoCauses(file)
        : "Most of the added time lies before or between the model requests, but nothing else shows that Plimsoll's own runner is busy.",
      'Add the null leg, and keep the samples of the event loop: both show what the runner alone takes.',
      evidence,
    )
  }
  const confidence: Verdict['confidence'] = control.stance === 'against' ? 'suspected' : agreeing > 1 ? 'confirmed' : 'likely'
  const share = shareOf(growth.groups.runner.value)
  const server = file.isSimulated ? ' (against the simulated server)' : ''
  const why = isAdmission
    ? 'its admission limit lets too few turns in'
    : loop.stance === 'for'
      ? `its event loop was blocked for up to ${duration(top.hardware.loopDelayMsP99 ?? 0)}`
      : 'it takes as long against a model that answers at once'
  return {
    primary: 'runner_process',
    confidence,
    sentence: `Beyond ${count(growth.fromN, 'session')} Plimsoll's own runner gives way first${server}: ${share} of the time added from ${growth.fromN} to ${growth.toN} sessions passes outside the model server, and ${why}.`,
    wouldMove: isAdmission
      ? "A higher admission limit in Plimsoll's settings."
      : 'Taking the work that blocks the event loop out of the start of a turn, or running fewer sessions in this process.',
    wouldNotMove: `More slots or a faster model server: ${shareOf(growth.groups.queue.value + growth.groups.engine.value)} of the added time is the server's.`,
    toSettle: null,
    evidence,
  }
}

function loopEvidence(top: MeasuredFacts): Evidence {
  const { loopBlockedRatio, loopDelayMsP99, samples } = top.hardware
  if (loopBlockedRatio === null || loopDelayMsP99 === null) return leavesOpen('There are no samples of the event loop under this load.')
  return weigh(
    loopBlockedRatio >= BLOCKED_RATIO,
    `The event loop was blocked, for more than ${LOOP_BLOCKED_MS} ms at once, in ${percent(loopBlockedRatio)} of the time at ${top.summary.n} sessions (${count(samples, 'sample')}, p99 ${duration(loopDelayMsP99)}).`,
  )
}

/** The null leg is the control: the same runner without a model server that takes time. */
function controlEvidence(file: CaseFile, top: MeasuredFacts): Evidence {
  const { nullTop } = file
  if (nullTop === null) return leavesOpen('The null leg, which shows the runner alone, was not run.')
  const expectedMs = ownMs(top) * Math.min(1, nullTop.summary.n / top.summary.n)
  return weigh(
    ownMs(nullTop) >= SAME_RATIO * expectedMs,
    `With a model that answers at once the runner takes ${duration(ownMs(nullTop))} a turn at ${nullTop.summary.n} sessions, on the real path ${duration(ownMs(top))} at ${top.summary.n}.`,
  )
}

/** Evidence that more than one rule weighs: decode pace, total rate, the null leg, the direct leg, the second opinion on the queue. */
import type { Evidence } from '../analysis.ts'
import { GROUPS, type Group, leadingGroup } from '../levels/growth.ts'
import type { CaseFile, MeasuredFacts } from './case-file.ts'
import { leavesOpen, speaksAgainst, supports } from './finding.ts'
import { duration, interval, percent, rate, shareOf } from './phrases.ts'

export const GROUP_WORDS: Readonly<Record<Group, string>> = {
  queue: 'waiting for a slot of the model server',
  reload: 'model loads and swaps',
  engine: 'prefill, decode and background answers',
  runner: 'the runner',
  tools: 'tools',
}

export function shareLine(file: CaseFile, group: Group): string {
  const { growth } = file
  if (growth === null) return 'The growth of the wall could not be told.'
  return `Of the ${duration(growth.addedMs)} that a turn takes longer at ${growth.toN} sessions than at ${growth.fromN}, ${interval(growth.groups[group])} is ${GROUP_WORDS[group]}.`
}

/** For a growth that two causes share too evenly to name one. */
export function twoCauses(file: CaseFile): string {
  const { growth } = file
  if (growth === null) return 'The growth of the wall could not be told.'
  const { group, next, share } = leadingGroup(growth)
  const shares = `${GROUP_WORDS[group]} (${shareOf(share.value)}) and ${GROUP_WORDS[next]} (${shareOf(growth.groups[next].value)})`
  return `The time added from ${growth.fromN} to ${growth.toN} sessions is shared by ${shares}, too evenly or too unsteadily to name one.`
}

/** Decode pace at the top level over that at the lowest level with all slots in use (or the lowest at all); null where it can't be told. */
export function decodeRatioBeyond(file: CaseFile, fromN: number): { ratio: number; fromN: number } | null {
  const from = file.levels.find(({ summary }) => summary.n >= fromN && summary.decodeTokensPerSec !== null)
  const [before, after] = [from?.summary.decodeTokensPerSec ?? null, file.top?.summary.decodeTokensPerSec ?? null]
  if (from === undefined || from === file.top || before === null || after === null || before <= 0) return null
  return { ratio: after / before, fromN: from.summary.n }
}

export function paceLine(from: MeasuredFacts, to: MeasuredFacts): string {
  const text = (level: MeasuredFacts) => rate(level.summary.decodeTokensPerSec ?? 0)
  return `One answer came at ${text(from)} tokens/s at ${from.summary.n} and at ${text(to)} at ${to.summary.n} sessions.`
}

export const ownMs = (level: MeasuredFacts): number => GROUPS.runner.reduce((sum, part) => sum + level.summary.partsMs[part], 0)

/** The null leg as the cheapest intervention: the same runner, a model that takes no time. */
export function nullLegEvidence(file: CaseFile): Evidence | null {
  const { nullTop, growth } = file
  if (nullTop === null || growth === null || growth.addedMs <= 0) return null
  const wallMs = nullTop.facts.waves.reduce((sum, wave) => sum + wave.wallMs, 0) / Math.max(1, nullTop.summary.sessions - nullTop.summary.failures)
  const text = `With a model that answers at once, a whole turn takes ${duration(wallMs)} at ${nullTop.summary.n} sessions: that is what Plimsoll adds.`
  return wallMs < 0.1 * growth.addedMs ? supports(text) : speaksAgainst(text)
}

/** Without the runner the wall must grow by at least this share of what it grows with it. */
const SAME_GROWTH_RATIO = 0.7

/** The direct leg: the same load without the runner. Supports a cause in the server when the server's share grows there as well. */
export function directLegEvidence(file: CaseFile, group: Group): Evidence | null {
  const { growth, growthDirect } = file
  if (growth === null || growthDirect === null) return null
  const share = growthDirect.groups[group]
  const text = `Without the runner, ${shareOf(share.value)} of the added time is ${GROUP_WORDS[group]}, and a turn takes ${duration(growthDirect.addedMs)} longer (with it: ${duration(growth.addedMs)}).`
  // With background work the direct leg, which has none, is bound to add less.
  const addsAsMuch = file.state.plan.workload.memoryNote || growthDirect.addedMs > SAME_GROWTH_RATIO * growth.addedMs
  return growthDirect.isClear && share.value > 0.5 && addsAsMuch ? supports(text) : speaksAgainst(text)
}

/** Failed sessions stand in no mean, so they weaken what the means say. Null without failures worth a word. */
export function failureEvidence(file: CaseFile): Evidence | null {
  const { top } = file
  if (top === null || top.summary.failures <= FAILURES_RATIO * top.summary.sessions) return null
  return leavesOpen(`At ${top.summary.n} sessions ${top.summary.failures} of ${top.summary.sessions} failed; the shares are those of the others.`)
}

const FAILURES_RATIO = 0.05

/** How often the server's own residual disagreed with the wait that slot occupancy shows. */
export function residualEvidence(file: CaseFile): Evidence | null {
  const calls = file.top?.facts.turns.flatMap((turn) => turn.calls.filter((call) => call.residualMs !== null)) ?? []
  if (calls.length === 0) return null
  const unresolved = calls.filter((call) => call.isUnresolved).length / calls.length
  const text = `The server's own durations agree with the waits seen from outside for ${percent(1 - unresolved)} of the requests at ${file.top?.summary.n} sessions.`
  return unresolved <= UNRESOLVED_LIMIT ? supports(text) : unresolved < 0.5 ? leavesOpen(text) : speaksAgainst(text)
}

/** Above this share of calls the two estimates of the queue are called unresolved. */
export const UNRESOLVED_LIMIT = 0.1

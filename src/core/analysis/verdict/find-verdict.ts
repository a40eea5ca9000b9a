/** Picks the verdict: the first rule that applies, measurement before policy before physics; then what drift and interventions allow to be said. */
import type { Intervention, Verdict } from '../analysis.ts'
import { findInterventions } from '../interventions/find-interventions.ts'
import { settle } from '../interventions/settle.ts'
import type { CaseFile } from './case-file.ts'
import { engineRule } from './engine-rule.ts'
import { type Finding, inconclusive, speaksAgainst, type VerdictRule } from './finding.ts'
import { hardwareRule, memoryRule } from './hardware-rule.ts'
import { noCauseRule, nothingMeasuredRule, oneLevelRule } from './inconclusive-rule.ts'
import { invalidRule } from './invalid-rule.ts'
import { jobSchedulerRule } from './job-scheduler-rule.ts'
import { loadGeneratorRule } from './load-generator-rule.ts'
import { noneReachedRule } from './none-reached-rule.ts'
import { percent } from './phrases.ts'
import { providerRule } from './provider-rule.ts'
import { queueLossesRule } from './queue-losses-rule.ts'
import { queueRule } from './queue-rule.ts'
import { reloadRule } from './reload-rule.ts'
import { runnerRule } from './runner-rule.ts'

/** In the order of asking. */
export const RULES: readonly VerdictRule[] = [
  invalidRule,
  loadGeneratorRule,
  providerRule,
  memoryRule,
  nothingMeasuredRule,
  reloadRule,
  queueLossesRule,
  oneLevelRule,
  noneReachedRule,
  runnerRule,
  queueRule,
  hardwareRule,
  engineRule,
  jobSchedulerRule,
  noCauseRule,
]

/** A growth this many times as large as the drift is not the drift's doing. */
const OUTGROWN_TIMES = 5
/** What these say does not rest on times that a drift bends. */
const TIMELESS: readonly Verdict['primary'][] = ['inconclusive', 'invalid_measurement', 'provider_limit', 'load_generator']

export function findVerdict(file: CaseFile): { verdict: Verdict; interventions: Intervention[] } {
  const found = RULES.reduce<Finding | null>((finding, rule) => finding ?? rule.judge(file), null)
  if (found === null) throw new Error('the last rule speaks in any case')
  const outcomes = findInterventions(file, found)
  const settled = withDrift(file, settle(found, outcomes))
  return {
    verdict: { secondary: null, mechanism: null, ...settled, effectiveSlots: file.slots.plateau ? file.slots.n : null },
    interventions: outcomes.map(({ kind, agrees, text }) => ({ kind, agrees, text })),
  }
}

/** M5: beyond 15 % of drift the sweep can't tell, unless what grew dwarfs it; and then it is no more than suspected. */
function withDrift(file: CaseFile, finding: Finding): Finding {
  const { drift, growth } = file
  if (drift === null || !drift.isTooLarge || TIMELESS.includes(finding.primary)) return finding
  const how = `${percent(Math.abs(drift.value))} ${drift.value > 0 ? 'longer' : 'less'}`
  const line = speaksAgainst(`One session alone took ${how} at the end than at the beginning.`)
  const grown = growth === null ? 0 : growth.wallRatio.value - 1
  if (grown >= OUTGROWN_TIMES * Math.abs(drift.value)) {
    const confidence = finding.confidence === 'cannot-tell' ? finding.confidence : 'suspected'
    return { ...finding, confidence, evidence: [...finding.evidence, line] }
  }
  const sentence = `The machine itself changed while the sweep ran, too much to name what gives way first: one session alone took ${how} at the end than at the beginning.`
  const toSettle = 'Sweep again when nothing else runs and the machine keeps its pace.'
  // Nothing grew beyond the drift: that is no cause to take back, it only can't be told any more.
  if (finding.primary === 'none_reached') return inconclusive(sentence, toSettle, [...finding.evidence, line])
  return {
    primary: 'invalid_measurement',
    mechanism: 'drift: the machine changed under the sweep',
    confidence: 'likely',
    sentence,
    wouldMove: null,
    wouldNotMove: null,
    toSettle,
    evidence: [...finding.evidence, line],
  }
}

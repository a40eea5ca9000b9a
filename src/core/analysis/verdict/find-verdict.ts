/** Picks the verdict: the first rule that applies, policy and measurement before physics; then what drift allows to be said. */
import type { Verdict } from '../analysis.ts'
import type { CaseFile } from './case-file.ts'
import { engineRule } from './engine-rule.ts'
import { type Finding, inconclusive, type Rule, speaksAgainst } from './finding.ts'
import { driverRule, fallback, noneReachedRule, nothingMeasuredRule, oneLevelRule, providerRule } from './outer-rules.ts'
import { percent } from './phrases.ts'
import { queueRule } from './queue-rule.ts'
import { reloadRule } from './reload-rule.ts'
import { runnerRule } from './runner-rule.ts'

const RULES: readonly Rule[] = [
  driverRule,
  providerRule,
  nothingMeasuredRule,
  reloadRule,
  oneLevelRule,
  noneReachedRule,
  runnerRule,
  queueRule,
  engineRule,
]

/** A growth this many times as large as the drift is not the drift's doing. */
const OUTGROWN_TIMES = 5

export function findVerdict(file: CaseFile): Verdict {
  const found = RULES.reduce<Finding | null>((finding, rule) => finding ?? rule(file), null) ?? fallback(file)
  return { secondary: null, mechanism: null, ...withDrift(file, found), effectiveSlots: file.slots.plateau ? file.slots.n : null }
}

/** M5: beyond 15 % of drift the sweep can't tell, unless what grew dwarfs it; and then it is no more than suspected. */
function withDrift(file: CaseFile, finding: Finding): Finding {
  const { drift, growth } = file
  if (drift === null || !drift.isTooLarge || finding.primary === 'inconclusive') return finding
  const line = speaksAgainst(
    `One session alone took ${percent(Math.abs(drift.value))} ${drift.value > 0 ? 'longer' : 'less'} at the end than at the beginning.`,
  )
  const grown = growth === null ? 0 : growth.wallRatio.value - 1
  if (grown >= OUTGROWN_TIMES * Math.abs(drift.value)) {
    const confidence = finding.confidence === 'cannot-tell' ? finding.confidence : 'suspected'
    return { ...finding, confidence, evidence: [...finding.evidence, line] }
  }
  return inconclusive(
    'The machine itself changed while the sweep ran, too much to name what gives way first.',
    'Sweep again when nothing else runs and the machine keeps its pace.',
    [...finding.evidence, line],
  )
}

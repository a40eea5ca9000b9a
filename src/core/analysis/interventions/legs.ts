/** Null leg and direct leg as interventions: the model taken out, the runner taken out. */
import { type CaseFile, completedOf, type MeasuredFacts } from '../verdict/case-file.ts'
import type { Finding } from '../verdict/finding.ts'
import { count, duration } from '../verdict/phrases.ts'
import { controlEvidence, directEvidence } from '../verdict/runner-rule.ts'
import { directLegEvidence, nullLegEvidence } from '../verdict/shared-evidence.ts'
import type { InterventionOutcome } from './outcome.ts'
import { wallOf } from './slots-arm.ts'

type Line = { readonly stance: 'for' | 'against' | 'open'; readonly text: string } | null

const agreement = (line: Line): boolean | null => (line === null || line.stance === 'open' ? null : line.stance === 'for')

export function nullLeg(file: CaseFile, finding: Finding): InterventionOutcome | null {
  const { nullTop, top } = file
  if (nullTop === null) return null
  const line = finding.primary === 'runner_process' ? (top === null ? null : controlEvidence(file, top)) : nullLegEvidence(file)
  const says = saysOfServer(finding) || (finding.primary === 'runner_process' && isOwnWork(finding))
  const text =
    line?.text ?? `With a model that answers at once, a whole turn takes ${duration(wallOf(nullTop))} at ${count(nullTop.summary.n, 'session')}.`
  return { kind: 'null-leg', agrees: says ? agreement(line) : null, text, isProof: false }
}

/** A pool, an admission limit or a tool holds nothing back when the model takes no time. */
const isOwnWork = ({ mechanism }: Finding) => mechanism === 'event loop blocked' || mechanism === 'work of the runner itself'

export function directLeg(file: CaseFile, finding: Finding): InterventionOutcome | null {
  const { top } = file
  const direct = file.all.filter(({ summary }) => summary.leg === 'direct' && completedOf(summary) > 0).at(-1)
  if (top === null || direct === undefined || top.summary.leg !== 'runner') return null
  const line = directLine(file, finding, top)
  const text = line?.text ?? `Without the runner a turn takes ${duration(wallOf(direct))} at ${count(direct.summary.n, 'session')}.`
  return { kind: 'direct-leg', agrees: agreement(line), text, isProof: false }
}

function directLine(file: CaseFile, finding: Finding, top: MeasuredFacts): Line {
  switch (finding.primary) {
    case 'model_server_queue':
      return directLegEvidence(file, 'queue')
    case 'model_server_engine':
    case 'hardware':
      return finding.confidence === 'cannot-tell' ? null : directLegEvidence(file, 'engine')
    case 'runner_process':
      return directEvidence(file, top)
    default:
      return null
  }
}

const saysOfServer = ({ primary }: Finding) => primary === 'model_server_queue' || primary === 'model_server_engine' || primary === 'hardware'

/** All interventions that a sweep ran, in the order of their cost, each held against what the verdict predicts. */
import { baselineOf, shortestLoadMs } from '../calls/attribute-calls.ts'
import { callsOf } from '../levels/measured-levels.ts'
import type { CaseFile } from '../verdict/case-file.ts'
import type { Finding } from '../verdict/finding.ts'
import { armFacts } from './arm-facts.ts'
import { directLeg, nullLeg } from './legs.ts'
import type { InterventionOutcome } from './outcome.ts'
import { promptArm } from './prompt-arm.ts'
import { slotsArm } from './slots-arm.ts'

export function findInterventions(file: CaseFile, finding: Finding): InterventionOutcome[] {
  const { base, state } = file
  const lowest = base === null ? [] : callsOf(base.facts.level).filter((call) => call.outcome === 'completed')
  const arms = armFacts(state, baselineOf(lowest, shortestLoadMs(lowest)))
  return [
    nullLeg(file, finding),
    directLeg(file, finding),
    ...arms.map((arm) => promptArm(file, finding, arm)),
    ...arms.map((arm) => slotsArm(file, finding, arm)),
  ].filter((outcome) => outcome !== null)
}

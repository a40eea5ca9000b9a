/** What interventions do to a verdict: one that did not come out as predicted leaves it suspected, one that did confirms it (DESIGN.md section 7). */
import { type Finding, speaksAgainst, supports } from '../verdict/finding.ts'
import type { InterventionOutcome } from './outcome.ts'

export function settle(finding: Finding, outcomes: readonly InterventionOutcome[]): Finding {
  if (finding.confidence === 'cannot-tell') return finding
  const told = outcomes.filter(({ agrees }) => agrees !== null)
  const failed = told.some(({ agrees }) => agrees === false)
  // The legs stand in the evidence of the rules already.
  const arms = told.filter(({ kind }) => kind === 'prompt-length' || kind === 'slots')
  const evidence = [...finding.evidence, ...arms.map(({ agrees, text }) => (agrees === true ? supports(text) : speaksAgainst(text)))]
  const isProven = finding.confidence === 'likely' && arms.some(({ agrees, isProof }) => agrees === true && isProof)
  const limit = outcomes.find((outcome) => outcome.limit !== undefined)?.limit
  const settled: Finding = { ...finding, evidence, confidence: failed ? 'suspected' : isProven ? 'confirmed' : finding.confidence }
  if (limit === undefined || finding.primary !== 'model_server_queue') return settled
  const [first = finding.sentence] = finding.sentence.split(' The queue is where the waiting happens')
  return {
    ...settled,
    secondary: finding.secondary ?? limit.secondary,
    sentence: `${first} ${limit.sentence}`,
    wouldMove: limit.wouldMove,
    wouldNotMove: limit.wouldNotMove,
  }
}

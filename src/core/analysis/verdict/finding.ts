/** What a rule says: a verdict without the effective slots, which are the same whatever the verdict. */
import type { Evidence, Verdict } from '../analysis.ts'
import type { CaseFile } from './case-file.ts'

export type Finding = Omit<Verdict, 'effectiveSlots' | 'secondary' | 'mechanism'> & Partial<Pick<Verdict, 'secondary' | 'mechanism'>>

/** Null = the rule does not apply to this case. */
export type Rule = (file: CaseFile) => Finding | null

export const supports = (text: string): Evidence => ({ stance: 'for', text })
export const speaksAgainst = (text: string): Evidence => ({ stance: 'against', text })
export const leavesOpen = (text: string): Evidence => ({ stance: 'open', text })
/** For when it is so, against when it is not, open when it could not be seen. */
export const weigh = (isSo: boolean | null, text: string): Evidence => ({ stance: isSo === null ? 'open' : isSo ? 'for' : 'against', text })

export function inconclusive(sentence: string, toSettle: string, evidence: readonly Evidence[]): Finding {
  return { primary: 'inconclusive', confidence: 'cannot-tell', sentence, wouldMove: null, wouldNotMove: null, toSettle, evidence: [...evidence] }
}

/** "the simulated model server" wherever its numbers are a simulation's. */
export const serverName = (file: CaseFile): string => (file.isSimulated ? 'the simulated model server' : 'the model server')

/** What a rule is, and what it says: a verdict without the effective slots, which are the same whatever the verdict. */
import type { Evidence, Verdict, VerdictCode } from '../analysis.ts'
import type { CaseFile } from './case-file.ts'

export type Finding = Omit<Verdict, 'effectiveSlots' | 'secondary' | 'mechanism'> & Partial<Pick<Verdict, 'secondary' | 'mechanism'>>

/** Null = it does not apply to this case. */
export type Judge = (file: CaseFile) => Finding | null

/** One verdict: what it rests on, what else might look the same, and what would show it to be wrong. No rule may look at a name or at a setting of the server. */
export type VerdictRule = {
  readonly code: VerdictCode
  /** Evidence without which it is not named. */
  readonly needs: readonly string[]
  /** Verdicts that show the same curve, each with what tells it apart. */
  readonly rivals: Readonly<Partial<Record<VerdictCode, string>>>
  /** What, if it were seen, would take the verdict back. */
  readonly refutedBy: readonly string[]
  readonly judge: Judge
}

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

export const sentenceStart = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`

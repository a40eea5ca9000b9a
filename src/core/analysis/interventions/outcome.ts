/** What an intervention says, and what follows of it for the verdict beyond agreeing or not. */
import type { Intervention, VerdictCode } from '../analysis.ts'

export type InterventionOutcome = Intervention & {
  /** Whether an agreement proves the verdict, or a disagreement is news to it (the legs stand in its own evidence already). */
  readonly isProof: boolean
  /** More slots changed nothing: what the verdict has to say besides. */
  readonly limit?: { readonly secondary: VerdictCode; readonly sentence: string; readonly wouldMove: string; readonly wouldNotMove: string }
}

/** A reason not to believe the figures: what it is, how it shows, and what would do away with it. */
export type Doubt = {
  readonly mechanism: string
  readonly sentence: string
  readonly toSettle: string
  readonly evidence: readonly string[]
}

/** What a rule of the table verdict says, and what all rules are given. */
import type { Evidence, Verdict, VerdictCode } from '../analysis.ts'
import type { Curve, Level } from './level-curve.ts'
import type { MeasuredTable } from './measured-table.ts'
import type { SaidSettings } from './said-settings.ts'
import type { Series } from './series.ts'
import type { Occupancy } from './table-slots.ts'
import { decimal, tokens } from './table-words.ts'

export type SeriesFacts = { readonly series: Series; readonly curve: Curve | null; readonly occupancy: Occupancy | null }

export type TableFacts = SeriesFacts & {
  readonly table: MeasuredTable
  readonly said: SaidSettings
  readonly all: readonly SeriesFacts[]
}

export type TableFinding = {
  readonly primary: VerdictCode
  readonly secondary: VerdictCode | null
  readonly mechanism: string
  readonly confidence: Verdict['confidence']
  readonly sentence: string
  readonly slots: number | null
  readonly evidence: readonly Evidence[]
  /** Where the rule knows better than the 90 % rule; undefined = that rule. */
  readonly ceilingN?: number | null
  readonly claims: readonly string[]
  readonly missing: readonly string[]
}

/** Null = the rule does not apply. */
export type TableRule = (facts: TableFacts) => TableFinding | null

export const finding = (
  primary: VerdictCode,
  confidence: Verdict['confidence'],
  parts: { sentence: string; mechanism: string } & Partial<Omit<TableFinding, 'primary' | 'confidence' | 'sentence' | 'mechanism'>>,
): TableFinding => ({ primary, confidence, secondary: null, slots: null, evidence: [], claims: [], missing: [], ...parts })

/** A doubling that brings less than a quarter more: the last step gained next to nothing. */
export const FLAT_GAIN = 0.3

/** A level's total with its unit. */
export const rateText = (facts: TableFacts, level: Level): string =>
  facts.series.unit === 'tok/s' ? tokens(level.total) : `${decimal(level.total)} requests/s`

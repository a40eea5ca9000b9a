/** What every section of a report is given: the sweep, its analysis, and what follows from both, worked out once. */
import type { Analysis, LevelSummary } from '../../../core/analysis/analysis.ts'
import { isSimulated, leadLeg, levelsOf } from '../../../core/report/report-levels.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import type { Leg } from '../../../core/sweep/plan.ts'
import { targetLabel } from '../../../core/sweep/target.ts'
import { type LevelAxis, levelAxis } from './charts/axes.ts'

export type ReportPage = {
  readonly state: SweepState
  readonly analysis: Analysis
  /** "Sweep 7"; without a number "Sweep". */
  readonly name: string
  readonly target: string
  readonly simulated: boolean
  /** The leg that the charts show; undefined when nothing was measured. */
  readonly leg: Leg | undefined
  readonly levels: readonly LevelSummary[]
  readonly axis: LevelAxis
  /** N of the load line where one was found. */
  readonly ceilingN: number | null
}

export function reportPage(state: SweepState, analysis: Analysis, number: number | undefined): ReportPage {
  const leg = leadLeg(analysis)
  const levels = leg === undefined ? [] : levelsOf(analysis, leg)
  const { slo } = analysis.ceilings
  return {
    state,
    analysis,
    name: number === undefined ? 'Sweep' : `Sweep ${number}`,
    target: state.facts === null ? state.plan.request.target.model : targetLabel(state.facts),
    simulated: isSimulated(state),
    leg,
    levels,
    axis: levelAxis(levels.map(({ n }) => n)),
    ceilingN: slo.status === 'found' ? slo.n : null,
  }
}

/** What a reader must know before any figure: the sweep did not complete, nothing or nothing but failures was measured, the server was simulated, one leg only. */
import type { Analysis } from '../analysis/analysis.ts'
import { problemText } from '../result/problem.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import { isSimulated, leadLeg, levelsOf, sweepNumbers } from './report-levels.ts'

export type ReportNotice = {
  readonly code:
    | 'simulated'
    | 'cancelled'
    | 'failed'
    | 'interrupted'
    | 'running'
    | 'no-results'
    | 'all-failed'
    | 'one-level'
    | 'direct-only'
    | 'null-only'
  /** `bad`: something went wrong; `note`: read the figures with this in mind. */
  readonly weight: 'bad' | 'note'
  /** Stands above the verdict: without it the verdict would be misread. */
  readonly isFirst: boolean
  /** Whole sentences: what happened, what still holds, what to do. */
  readonly text: string
}

export function reportNotices(state: SweepState, analysis: Analysis): ReportNotice[] {
  return [endNotice(state), ...resultNotices(state, analysis), simulatedNotice(state)].filter((notice) => notice !== undefined)
}

function endNotice(state: SweepState): ReportNotice | undefined {
  const { cellsDone, cellsPlanned } = sweepNumbers(state)
  const kept =
    cellsDone === 0
      ? `No cell of ${cellsPlanned} had ended.`
      : `${cellsDone} of ${cellsPlanned} cells had ended; what they measured is kept and stands below, and the verdict rests on it alone.`
  const why = state.problem === null ? '' : ` ${problemText(state.problem)}`
  switch (state.status) {
    case 'completed':
      return undefined
    case 'cancelled':
      return { code: 'cancelled', weight: 'note', isFirst: true, text: `This sweep was cancelled.${why} ${kept}` }
    case 'failed':
      return { code: 'failed', weight: 'bad', isFirst: true, text: `This sweep failed.${why} ${kept}` }
    case 'interrupted':
      return { code: 'interrupted', weight: 'bad', isFirst: true, text: `This sweep was interrupted: Plimsoll ended while it ran.${why} ${kept}` }
    case 'running':
      return { code: 'running', weight: 'note', isFirst: true, text: `This sweep still runs. ${kept}` }
  }
}

function resultNotices(state: SweepState, analysis: Analysis): ReportNotice[] {
  const leg = leadLeg(analysis)
  if (leg === undefined)
    return [
      { code: 'no-results', weight: 'bad', isFirst: true, text: 'Nothing was measured: no session of a counting cell ended. Run the sweep again.' },
    ]
  const levels = levelsOf(analysis, leg)
  const notices: ReportNotice[] = []
  const sessions = levels.reduce((sum, level) => sum + level.sessions, 0)
  const failures = levels.reduce((sum, level) => sum + level.failures, 0)
  if (failures > 0 && failures === sessions) {
    const first = state.rows.find((row) => row.outcome === 'failed' && row.problem !== null)?.problem
    const why = first === null || first === undefined ? '' : ` The first failure: ${problemText(first)}`
    notices.push({
      code: 'all-failed',
      weight: 'bad',
      isFirst: true,
      text: `No session came through, so there are no latencies to show.${why}`,
    })
  }
  const [only] = levels
  if (levels.length === 1 && only !== undefined)
    notices.push({
      code: 'one-level',
      weight: 'note',
      isFirst: true,
      text: `Only N = ${only.n} was measured: growth, ceilings and a cause need at least two levels, best with N = 1 among them.`,
    })
  if (leg === 'direct')
    notices.push({
      code: 'direct-only',
      weight: 'note',
      isFirst: false,
      text: 'Measured straight to the model server: these figures say nothing of Plimsoll’s runner.',
    })
  if (leg === 'null')
    notices.push({
      code: 'null-only',
      weight: 'note',
      isFirst: false,
      text: 'Measured against a model that answers at once: these figures are Plimsoll’s own cost and say nothing of a model server.',
    })
  return notices
}

function simulatedNotice(state: SweepState): ReportNotice | undefined {
  if (!isSimulated(state)) return undefined
  return {
    code: 'simulated',
    weight: 'note',
    isFirst: false,
    text: 'Simulated: the model server in this sweep is Plimsoll’s simulation. Its numbers show how a verdict comes about and say nothing about any machine or model.',
  }
}

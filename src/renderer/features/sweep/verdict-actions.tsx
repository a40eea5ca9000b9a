/** What can be done with a verdict: write the report, use the ceiling as the runner's limit. */
import type { Analysis } from '../../../core/analysis/analysis.ts'
import type { SweepId } from '../../../core/result/ids.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { useStores } from '../../stores/stores.tsx'
import { extendSweep } from '../../stores/sweep-button.ts'
import { Button } from '../../ui/button.tsx'
import { extendableN } from './sweep-words.ts'
import styles from './verdict-panel.module.css'

type VerdictActionsProps = { sweepId: SweepId; state: SweepState; analysis: Analysis | undefined; chosenCell: number | undefined }

/** The ceiling that may become the runner's limit; none of a simulated server. */
function usableLimit(state: SweepState, analysis: Analysis | undefined): number | undefined {
  const slo = analysis?.ceilings.slo
  if (slo?.status !== 'found' || slo.n === null || state.facts?.simulated === true) return undefined
  return slo.n
}

export function VerdictActions({ sweepId, state, analysis, chosenCell }: VerdictActionsProps) {
  const stores = useStores()
  const { sweepList, settings, notices } = stores
  const topN = extendableN(state, chosenCell)
  const limit = usableLimit(state, analysis)
  return (
    <div className={styles.foot}>
      <div className={styles.actions}>
        <Button small chord="o" onClick={() => void sweepList.exportReport(sweepId)}>
          Export report
        </Button>
        {topN === null ? null : (
          <Button
            small
            chord="e"
            title="Ten more waves at this level: narrower intervals. A cell chosen in the strip names another level"
            onClick={() => void extendSweep(stores, sweepId, topN)}
          >
            More at N = {topN}
          </Button>
        )}
        {limit === undefined ? null : (
          <Button
            small
            chord="l"
            title="Chat sessions beyond this wait in the visible queue"
            onClick={() => {
              settings.save({ runnerLimit: limit })
              notices.say(`The runner’s limit is ${limit}`, 'Further sessions wait in its queue. Settings holds it.')
            }}
          >
            Use {limit} as limit
          </Button>
        )}
      </div>
    </div>
  )
}

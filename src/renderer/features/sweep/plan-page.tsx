/** Before the first sweep, and for planning the next one: the plan at the left, one sentence and one key. */
import { useMemo } from 'react'
import { formatDuration } from '../../../core/report/format-number.ts'
import { useCommands } from '../../stores/command-store.ts'
import { useSelected, useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { useSweepButton } from '../../stores/sweep-button.ts'
import { MarkedButton } from '../../ui/marked-button.tsx'
import { PageHead } from '../../ui/panel.tsx'
import { PlanEditor } from './plan-editor.tsx'
import styles from './sweep-page.module.css'

export function PlanPage() {
  const { plan: store, commands, sweepList } = useStores()
  const plan = useStore(store)
  const measured = useSelected(sweepList, (list) => list.items.length)
  const button = useSweepButton()
  const own = useMemo(() => [{ id: 'plan.reset', title: 'Reset the plan', group: 'Sweep', chord: 'z', run: store.reset }], [store])
  useCommands(commands, own)
  const took = plan.estimate === null ? '' : `, about ${formatDuration(plan.estimate.seconds * 1000)}`
  const found = plan.request === null ? 'Still looking for something to measure.' : `Found ${plan.targetLabel}: run the sweep${took}, free.`
  return (
    <>
      <PageHead title="Sweep" line={measured === 0 ? 'no sweep yet' : 'the next one'} />
      <div className={`${styles.page} ${styles.changing}`}>
        <PlanEditor />
        <div className={styles.blank}>
          <p className="l">
            {measured === 0 ? 'Nothing measured yet. ' : ''}
            {found}
          </p>
          <MarkedButton {...button} />
          <p className="s dim">{button.refused ?? 'Nothing leaves this machine. Esc stops it and keeps the results.'}</p>
        </div>
      </div>
    </>
  )
}

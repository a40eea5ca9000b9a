/** The Sweep page: plan, live chart with lanes, verdict. Shows one sweep, running or ended, or the one yet to be run. */
import { useMemo } from 'react'
import type { SweepId } from '../../../core/result/ids.ts'
import { problemText } from '../../../core/result/problem.ts'
import { useSelected, useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import type { OpenSweep } from '../../stores/sweep-store.ts'
import { PageHead } from '../../ui/panel.tsx'
import { PlanPage } from './plan-page.tsx'
import { SweepView } from './sweep-view.tsx'

export function SweepPage({ sweepId }: { sweepId: SweepId | null }) {
  return sweepId === null ? <PlanPage /> : <OpenSweepPage sweepId={sweepId} />
}

function OpenSweepPage({ sweepId }: { sweepId: SweepId }) {
  const { openSweeps, sweepList } = useStores()
  const store = useMemo(() => openSweeps.get(sweepId), [openSweeps, sweepId])
  const sweep = useStore(store)
  const item = useSelected(sweepList, (list) => list.items.find((candidate) => candidate.sweepId === sweepId))
  const title = item === undefined ? 'Sweep' : `Sweep ${item.number}`
  if (sweep.state === undefined) return <NothingYet title={title} sweep={sweep} />
  return <SweepView sweepId={sweepId} title={title} sweep={sweep} state={sweep.state} />
}

function NothingYet({ title, sweep }: { title: string; sweep: OpenSweep }) {
  return (
    <>
      <PageHead title={title} now={sweep.problem === null ? 'being read' : 'can’t be shown'} />
      <p className="l" style={{ margin: 'auto', maxWidth: 520 }}>
        {sweep.problem === null ? 'Reading what was measured.' : problemText(sweep.problem)}
      </p>
    </>
  )
}

/** The keys of the Sweep page, as commands: cancel, metric, repeat, report, plan, limit. */
import { useMemo } from 'react'
import type { SweepId } from '../../../core/result/ids.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { type Command, useCommands } from '../../stores/command-store.ts'
import { useStores } from '../../stores/stores.tsx'
import { extendSweep, resumeSweep, startSweep } from '../../stores/sweep-button.ts'
import { METRICS, type Metric } from './chart-model.ts'
import { canResume, extendableN } from './sweep-words.ts'

type SweepCommandsInput = {
  sweepId: SweepId
  state: SweepState
  title: string
  chosenCell: number | undefined
  setMetric(metric: Metric): void
  togglePlan(): void
}

export function useSweepCommands({ sweepId, state, title, chosenCell, setMetric, togglePlan }: SweepCommandsInput): void {
  const stores = useStores()
  const { status } = state
  const { request } = state.plan
  const resumable = canResume(state)
  const topN = extendableN(state, chosenCell)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the callbacks only set state of the page and never go stale
  const commands = useMemo((): Command[] => {
    const running = status === 'running'
    const busy = running ? 'it still runs' : undefined
    const notRunning = running ? undefined : 'it does not run'
    return [
      {
        id: 'view.cancel',
        title: 'Cancel, keep results',
        group: 'Sweep',
        chord: 'escape',
        refused: notRunning,
        run: () => void stores.sweepList.cancel(sweepId),
      },
      ...METRICS.map(
        (metric, i): Command => ({
          id: `view.metric.${metric}`,
          title: `Metric: ${metric}`,
          group: 'Sweep',
          chord: String(i + 1),
          run: () => setMetric(metric),
        }),
      ),
      { id: 'view.repeat', title: `Repeat ${title}`, group: 'Sweep', chord: 'r', refused: busy, run: () => void startSweep(stores, request) },
      {
        id: 'view.resume',
        title: `Resume ${title}`,
        group: 'Sweep',
        chord: 'u',
        refused: busy ?? (resumable ? undefined : 'all of its plan is measured'),
        run: () => void resumeSweep(stores, sweepId),
      },
      {
        id: 'view.extend',
        title: topN === null ? 'More waves at one level' : `More waves at N = ${topN}`,
        group: 'Sweep',
        chord: 'e',
        refused: busy ?? (topN === null ? 'no level is measured' : undefined),
        run: () => topN !== null && void extendSweep(stores, sweepId, topN),
      },
      {
        id: 'view.report',
        title: `Export the report of ${title}`,
        group: 'Sweep',
        chord: 'o',
        otherChords: ['x'],
        run: () => void stores.sweepList.exportReport(sweepId),
      },
      { id: 'view.plan', title: 'Change the plan', group: 'Sweep', chord: 'p', refused: busy, run: togglePlan },
      { id: 'view.reset', title: 'Reset the plan', group: 'Sweep', chord: 'z', refused: busy, run: stores.plan.reset },
    ]
  }, [stores, sweepId, status, title, request, resumable, topN])
  useCommands(stores.commands, commands)
}

/** What the sweep button says and does, wherever it stands, and how a sweep is started. */
import { useMemo } from 'react'
import type { SweepListItem } from '../../contract/endpoints/sweeps.ts'
import { formatDuration } from '../../core/report/format-number.ts'
import type { SweepId } from '../../core/result/ids.ts'
import type { SweepRequest } from '../../core/sweep/plan.ts'
import type { Plan } from './plan-store.ts'
import { type ReadableStore, useSelected, useStore } from './store.ts'
import { type Stores, useStores } from './stores.tsx'
import { runningSweep, type SweepList } from './sweep-list-store.ts'
import type { OpenSweep } from './sweep-store.ts'

export const SWEEP_CHORD = 'mod+shift+l'
const LABEL = 'Run concurrency sweep'

export type SweepButton = {
  readonly label: string
  readonly chord: string
  readonly progress: { text: string; ratio: number } | undefined
  readonly refused: string | undefined
  readonly title: string
  onClick(): void
}

/** Starts `request`, or the plan as it stands, and shows it. */
export async function startSweep(stores: Stores, request: SweepRequest | null = stores.plan.get().request): Promise<void> {
  if (request === null) return
  const sweepId = await stores.sweepList.start(request)
  if (sweepId !== undefined) stores.layout.openSweep(sweepId)
}

/** Goes on with the cells that were not measured. */
export async function resumeSweep(stores: Stores, sweepId: SweepId): Promise<void> {
  if (await stores.sweepList.resume(sweepId)) stores.openSweeps.get(sweepId).reopen()
}

/** Waves that one click adds to a level. */
const MORE_WAVES = 10

export async function extendSweep(stores: Stores, sweepId: SweepId, n: number): Promise<void> {
  if (await stores.sweepList.extend(sweepId, n, MORE_WAVES)) stores.openSweeps.get(sweepId).reopen()
}

/** `smollm2:135m, about 6 min 30 s, free` */
export function planSummary(plan: Plan): string {
  if (plan.request === null) return ''
  const took = plan.estimate === null ? '' : `, about ${formatDuration(plan.estimate.seconds * 1000)}`
  return `${plan.targetLabel}${took}, free`
}

/** Why no sweep can be started now. */
export function refusal(plan: Plan, list: SweepList, connected: boolean, looking: boolean): string | undefined {
  if (!connected) return 'The connection to Plimsoll is lost; it is being sought.'
  if (runningSweep(list) !== undefined) return 'A sweep is running: one at a time.'
  if (plan.request !== null) return undefined
  return looking ? 'Still looking for something to measure.' : 'Nothing was found that could be measured: start a model server, or look again.'
}

const NOTHING_OPEN: ReadableStore<OpenSweep | undefined> = { get: () => undefined, subscribe: () => () => {} }

/** Of the running sweep as the page folds it, since void cells are run again; as main lists it before the first event. */
function useProgress(running: SweepListItem | undefined): SweepButton['progress'] {
  const { openSweeps } = useStores()
  const id = running?.sweepId
  const store = useMemo((): ReadableStore<OpenSweep | undefined> => (id === undefined ? NOTHING_OPEN : openSweeps.get(id)), [id, openSweeps])
  const ended = useSelected(store, (open) => open?.state?.cells.filter((cell) => cell.status === 'done' || cell.status === 'void').length)
  const planned = useSelected(store, (open) => open?.state?.cells.length)
  if (running === undefined) return undefined
  const [behind, all] = ended === undefined || planned === undefined ? [running.cellsDone, running.cellsPlanned] : [ended, planned]
  return { text: `${Math.min(behind + 1, all)} of ${all}`, ratio: behind / Math.max(1, all) }
}

export function useSweepButton(): SweepButton {
  const stores = useStores()
  const plan = useStore(stores.plan)
  const list = useStore(stores.sweepList)
  const connected = useSelected(stores.connectionState, (state) => state.status === 'open')
  const looking = useSelected(stores.discovery, (discovery) => discovery.status === 'looking')
  const running = runningSweep(list)
  const progress = useProgress(running)
  return {
    label: LABEL,
    chord: SWEEP_CHORD,
    progress,
    refused: refusal(plan, list, connected, looking),
    title: planSummary(plan),
    onClick: () => void startSweep(stores),
  }
}

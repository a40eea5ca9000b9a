/** All stores of the page, made once over one connection, and the way components reach them. */
import { createContext, type ReactNode, useContext } from 'react'
import type { Analysis } from '../../core/analysis/analysis.ts'
import type { SweepState } from '../../core/sweep/fold-sweep.ts'
import { type CommandStore, createCommandStore } from './command-store.ts'
import { createDiscoveryStore, type DiscoveryStore } from './discovery-store.ts'
import { createLayoutStore, type LayoutStore } from './layout-store.ts'
import { createMetricsStore, type MetricsStore } from './metrics-store.ts'
import { createNoticeStore, type NoticeStore } from './notice-store.ts'
import type { ConnectionState, PageConnection } from './page-connection.ts'
import { createPlanStore, type PlanStore } from './plan-store.ts'
import { createSettingsStore, type SettingsStore } from './settings-store.ts'
import type { ReadableStore } from './store.ts'
import { createSweepListStore, type SweepListStore } from './sweep-list-store.ts'
import { createOpenSweeps, type OpenSweeps } from './sweep-store.ts'
import { createTuneStore, type TuneStore } from './tune-store.ts'

export type Stores = {
  readonly connection: PageConnection
  readonly connectionState: ReadableStore<ConnectionState>
  readonly notices: NoticeStore
  readonly commands: CommandStore
  readonly settings: SettingsStore
  readonly discovery: DiscoveryStore
  readonly metrics: MetricsStore
  readonly plan: PlanStore
  readonly sweepList: SweepListStore
  readonly openSweeps: OpenSweeps
  readonly tune: TuneStore
  readonly layout: LayoutStore
}

/** @param analyse core's analysis; a parameter so that a page without it can be tested */
export function createStores(connection: PageConnection, analyse: (state: SweepState) => Analysis): Stores {
  const notices = createNoticeStore()
  const discovery = createDiscoveryStore(connection)
  const sweepList = createSweepListStore(connection, notices)
  const layout = createLayoutStore(connection)
  connection.live((client) => {
    // A machine on which nothing was ever measured begins with what was found on it.
    void layout.load(() => firstTab(client))
    return () => {}
  })
  return {
    connection,
    connectionState: { get: () => connection.state(), subscribe: (listener) => connection.subscribe(listener) },
    notices,
    commands: createCommandStore(),
    settings: createSettingsStore(connection, notices),
    discovery,
    metrics: createMetricsStore(connection),
    plan: createPlanStore(connection, discovery),
    sweepList,
    openSweeps: createOpenSweeps({ connection, analyse, onBug: notices.bug }),
    tune: createTuneStore(connection, notices),
    layout,
  }
}

function firstTab(client: PageConnection['client']): Promise<'machine' | 'sweep'> {
  return new Promise((resolve) => {
    const stop = client.sweeps.list(
      {},
      {
        next(items) {
          resolve(items.length === 0 ? 'machine' : 'sweep')
          queueMicrotask(() => stop())
        },
        error: () => resolve('machine'),
      },
    )
  })
}

const StoresContext = createContext<Stores | undefined>(undefined)

export function StoresProvider({ stores, children }: { stores: Stores; children: ReactNode }) {
  return <StoresContext value={stores}>{children}</StoresContext>
}

export function useStores(): Stores {
  const stores = useContext(StoresContext)
  if (stores === undefined) throw new Error('A component asked for the stores outside of StoresProvider.')
  return stores
}

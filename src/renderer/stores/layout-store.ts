/** Which tabs are open and which one is current; the rail's place follows from the current tab. Kept by main, so a reload finds everything again. */
import { z } from 'zod'
import { type SweepId, sweepIdSchema } from '../../core/result/ids.ts'
import { createPace } from './pace.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export const PLACES = ['terminals', 'sweep', 'jobs', 'reports', 'settings'] as const
export type Place = (typeof PLACES)[number]

const tabSchema = z.discriminatedUnion('kind', [
  z.object({ id: z.string(), kind: z.literal('machine') }),
  /** `sweepId` null: the sweep that is yet to be run. */
  z.object({ id: z.string(), kind: z.literal('sweep'), sweepId: sweepIdSchema.nullable() }),
  z.object({ id: z.string(), kind: z.literal('terminals') }),
  z.object({ id: z.string(), kind: z.literal('jobs') }),
  z.object({ id: z.string(), kind: z.literal('reports') }),
  z.object({ id: z.string(), kind: z.literal('settings') }),
])
export type Tab = z.infer<typeof tabSchema>

const savedSchema = z.object({ tabs: z.array(tabSchema), currentId: z.string() })

export type TabLabel = { readonly title: string; readonly detail: string }

export type Layout = {
  readonly tabs: readonly Tab[]
  readonly currentId: string
  /** False until main has said what was open; nothing is saved before. */
  readonly loaded: boolean
  /** What a page says of its tab; pages that say nothing have a fixed name. */
  readonly labels: Readonly<Record<string, TabLabel>>
}

export type LayoutStore = ReadableStore<Layout> & {
  /** Loads what was open; `firstTab` when nothing ever was. */
  load(firstTab: () => Promise<'machine' | 'sweep'>): Promise<void>
  select(tabId: string): void
  /** The last used tab of that place, or a new one. */
  goTo(place: Place): void
  openMachine(): void
  openSweep(sweepId: SweepId): void
  /** The tab of the sweep yet to be run. */
  openPlan(): void
  /** A further tab of terminals. @returns its id */
  openTerminals(): string
  close(tabId: string): void
  /** @param step 1 next, -1 the one before; goes round */
  step(step: number): void
  setLabel(tabId: string, label: TabLabel): void
}

export function placeOf(tab: Tab | undefined): Place {
  if (tab === undefined) return 'sweep'
  return tab.kind === 'machine' ? 'sweep' : tab.kind
}

export function currentTab(layout: Layout): Tab | undefined {
  return layout.tabs.find((tab) => tab.id === layout.currentId)
}

const KEY = 'tabs'
const SAVE_EVERY_MS = 300

const newId = () => `t${Date.now().toString(36)}${Math.random().toString(36).slice(2, 6)}`

function readSaved(json: string | null): z.infer<typeof savedSchema> | undefined {
  if (json === null) return undefined
  try {
    const saved = savedSchema.safeParse(JSON.parse(json))
    return saved.success && saved.data.tabs.length > 0 ? saved.data : undefined
  } catch {
    return undefined
  }
}

export function createLayoutStore(connection: PageConnection): LayoutStore {
  const store = createStore<Layout>({ tabs: [], currentId: '', loaded: false, labels: {} })
  let recent: string[] = []
  const saving = createPace(() => {
    const { tabs, currentId } = store.get()
    void connection.client.app.saveLayout({ key: KEY, json: JSON.stringify({ tabs, currentId }) })
  }, SAVE_EVERY_MS)

  const change = (next: Partial<Layout>) => {
    store.update((now) => ({ ...now, ...next }))
    if (next.currentId !== undefined) recent = [next.currentId, ...recent.filter((id) => id !== next.currentId)]
    if (store.get().loaded) saving.request()
  }
  const show = (matches: (tab: Tab) => boolean, make: () => Tab) => {
    const { tabs } = store.get()
    const latest = recent.map((id) => tabs.find((tab) => tab.id === id)).find((tab) => tab !== undefined && matches(tab))
    const found = latest ?? tabs.find(matches)
    if (found !== undefined) return change({ currentId: found.id })
    const tab = make()
    change({ tabs: [...tabs, tab], currentId: tab.id })
  }
  const freshTab = (place: Place): Tab => (place === 'sweep' ? { id: newId(), kind: 'sweep', sweepId: null } : { id: newId(), kind: place })
  const isPlan = (tab: Tab) => tab.kind === 'sweep' && tab.sweepId === null

  return {
    get: store.get,
    subscribe: store.subscribe,
    async load(firstTab) {
      const answer = await connection.client.app.loadLayout({ key: KEY })
      if (store.get().loaded || !answer.ok) return
      const saved = readSaved(answer.value.json)
      if (saved !== undefined) return change({ ...saved, loaded: true })
      const kind = await firstTab()
      const tab: Tab = kind === 'machine' ? { id: newId(), kind } : { id: newId(), kind, sweepId: null }
      if (!store.get().loaded) change({ tabs: [tab], currentId: tab.id, loaded: true })
    },
    select: (tabId) => change({ currentId: tabId }),
    goTo: (place) =>
      show(
        (tab) => placeOf(tab) === place,
        () => freshTab(place),
      ),
    openMachine: () =>
      show(
        (tab) => tab.kind === 'machine',
        () => ({ id: newId(), kind: 'machine' }),
      ),
    openPlan: () => show(isPlan, () => freshTab('sweep')),
    openTerminals() {
      const tab = freshTab('terminals')
      change({ tabs: [...store.get().tabs, tab], currentId: tab.id })
      return tab.id
    },
    openSweep(sweepId) {
      const { tabs } = store.get()
      const open = tabs.find((tab) => tab.kind === 'sweep' && tab.sweepId === sweepId)
      if (open !== undefined) return change({ currentId: open.id })
      const plan = tabs.find(isPlan)
      if (plan === undefined)
        return show(
          () => false,
          () => ({ id: newId(), kind: 'sweep', sweepId }),
        )
      change({ tabs: tabs.map((tab) => (tab.id === plan.id ? { id: tab.id, kind: 'sweep' as const, sweepId } : tab)), currentId: plan.id })
    },
    close(tabId) {
      const { tabs, currentId } = store.get()
      const index = tabs.findIndex((tab) => tab.id === tabId)
      if (index === -1) return
      recent = recent.filter((id) => id !== tabId)
      const left = tabs.filter((tab) => tab.id !== tabId)
      const rest = left.length > 0 ? left : [freshTab('sweep')]
      const next =
        currentId === tabId ? (recent.find((id) => rest.some((tab) => tab.id === id)) ?? rest[Math.min(index, rest.length - 1)]?.id ?? '') : currentId
      change({ tabs: rest, currentId: next })
    },
    step(step) {
      const { tabs, currentId } = store.get()
      const index = tabs.findIndex((tab) => tab.id === currentId)
      const next = tabs[(index + step + tabs.length) % Math.max(1, tabs.length)]
      if (next !== undefined) change({ currentId: next.id })
    },
    setLabel(tabId, label) {
      const known = store.get().labels[tabId]
      if (known?.title === label.title && known.detail === label.detail) return
      store.update((now) => ({ ...now, labels: { ...now.labels, [tabId]: label } }))
    },
  }
}

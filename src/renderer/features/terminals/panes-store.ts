/**
 * The panes of all terminal tabs: what main holds (terminals, chats), how the panes lie, which one has the focus, and the xterm of each terminal.
 * The layout is kept by main, so a reload of the page finds everything where it was.
 */
import type { Chat } from '../../../contract/endpoints/chats.ts'
import type { Terminal } from '../../../contract/endpoints/terminals.ts'
import type { SessionSettingsInput } from '../../../core/session/session-event.ts'
import { createPace } from '../../stores/pace.ts'
import { createStore, type ReadableStore } from '../../stores/store.ts'
import type { Stores } from '../../stores/stores.tsx'
import { type ChatStore, createChatStore } from './chat-store.ts'
import {
  type Direction,
  neighbourOf,
  type Pane,
  type PaneContent,
  type PaneTree,
  panesOf,
  paneTreeOf,
  splitBeside,
  withoutPane,
  withSizes,
} from './pane-tree.ts'
import { isAppChord } from './terminal-keys.ts'
import { createTerminalScreen, type TerminalScreen } from './terminal-screen.ts'
import { terminalTheme } from './terminal-theme.ts'

export type PanesTab = { readonly tree: PaneTree | null; readonly focusedId: string | null; readonly zoomed: boolean }

export type PanesState = {
  readonly loaded: boolean
  readonly tabs: Readonly<Record<string, PanesTab>>
  readonly terminals: readonly Terminal[]
  readonly chats: readonly Chat[]
}

export type Placement = 'row' | 'column'

export type PanesStore = ReadableStore<PanesState> & {
  /** A shell, or a command, in a new pane beside the focused one. */
  openTerminal(tabId: string, placement: Placement, command?: string): Promise<void>
  openChat(tabId: string, placement: Placement, settings: SessionSettingsInput): Promise<void>
  /** Shows what runs already but stands in no pane. */
  show(tabId: string, content: PaneContent): void
  focus(tabId: string, paneId: string): void
  moveFocus(tabId: string, direction: Direction): void
  toggleZoom(tabId: string): void
  resize(tabId: string, splitId: string, sizes: readonly number[]): void
  /** Takes the pane away; a terminal's processes are ended, a chat stays and can be shown again. */
  closePane(tabId: string, paneId: string): Promise<void>
  /** Ends a chat for good. */
  deleteChat(sessionId: string): Promise<void>
  endTerminal(terminalId: string): Promise<void>
  screen(terminalId: string): TerminalScreen
  chat(sessionId: string): ChatStore
}

const KEY = 'panes'
const SAVE_EVERY_MS = 300
const OPEN_SIZE = { cols: 100, rows: 30 }
const emptyTab: PanesTab = { tree: null, focusedId: null, zoomed: false }

const newId = () => crypto.randomUUID()

function readSaved(json: string | null): Record<string, PanesTab> {
  if (json === null) return {}
  try {
    const saved: unknown = JSON.parse(json)
    if (typeof saved !== 'object' || saved === null) return {}
    return Object.fromEntries(
      Object.entries(saved).flatMap(([tabId, value]) => {
        const tree = paneTreeOf((value as { tree?: unknown }).tree)
        return tree === undefined ? [] : [[tabId, { tree, focusedId: panesOf(tree)[0]?.id ?? null, zoomed: false }]]
      }),
    )
  } catch {
    return {}
  }
}

/** Panes whose terminal or chat main no longer knows are taken out; the others keep their room. */
function withoutGone(tab: PanesTab, isThere: (content: PaneContent) => boolean): PanesTab {
  if (tab.tree === null) return tab
  const gone = panesOf(tab.tree).filter((pane) => !isThere(pane.content))
  if (gone.length === 0) return tab
  const tree = gone.reduce<PaneTree | undefined>((left, pane) => (left === undefined ? undefined : withoutPane(left, pane.id)), tab.tree) ?? null
  return {
    ...tab,
    tree,
    focusedId: tree === null ? null : ((panesOf(tree).find((pane) => pane.id === tab.focusedId) ?? panesOf(tree)[0])?.id ?? null),
  }
}

export function createPanesStore({ connection, notices, settings }: Stores): PanesStore {
  const store = createStore<PanesState>({ loaded: false, tabs: {}, terminals: [], chats: [] })
  const screens = new Map<string, TerminalScreen>()
  const chats = new Map<string, ChatStore>()

  const saving = createPace(() => {
    const json = JSON.stringify(Object.fromEntries(Object.entries(store.get().tabs).map(([tabId, { tree }]) => [tabId, { tree }])))
    void connection.client.app.saveLayout({ key: KEY, json })
  }, SAVE_EVERY_MS)

  const setTab = (tabId: string, change: (tab: PanesTab) => PanesTab) => {
    store.update((now) => ({ ...now, tabs: { ...now.tabs, [tabId]: change(now.tabs[tabId] ?? emptyTab) } }))
    if (store.get().loaded) saving.request()
  }

  const dropGone = () => {
    const { loaded, terminals, chats: known, tabs } = store.get()
    if (!loaded) return
    const isThere = (content: PaneContent) =>
      content.kind === 'terminal' ? terminals.some((t) => t.terminalId === content.terminalId) : known.some((c) => c.sessionId === content.sessionId)
    store.update((now) => ({ ...now, tabs: Object.fromEntries(Object.entries(tabs).map(([id, tab]) => [id, withoutGone(tab, isThere)])) }))
    for (const [id, screen] of screens) {
      if (terminals.some((t) => t.terminalId === id)) continue
      screen.dispose()
      screens.delete(id)
    }
    for (const [id, chat] of chats) {
      if (known.some((c) => c.sessionId === id)) continue
      chat.close()
      chats.delete(id)
    }
  }

  connection.live((client) => {
    const seen = { terminals: false, chats: false, layout: store.get().loaded }
    const ready = () => {
      if (!seen.terminals || !seen.chats || !seen.layout) return
      store.update((now) => ({ ...now, loaded: true }))
      dropGone()
    }
    if (!seen.layout) {
      void client.app.loadLayout({ key: KEY }).then((answer) => {
        if (!answer.ok) return
        store.update((now) => ({ ...now, tabs: { ...readSaved(answer.value.json), ...now.tabs } }))
        seen.layout = true
        ready()
      })
    }
    const stops = [
      client.terminals.list(
        {},
        {
          next(terminals) {
            seen.terminals = true
            store.update((now) => ({ ...now, terminals }))
            ready()
          },
        },
      ),
      client.chats.list(
        {},
        {
          next(list) {
            seen.chats = true
            store.update((now) => ({ ...now, chats: list }))
            ready()
          },
        },
      ),
    ]
    return () => {
      for (const stop of stops) stop()
    }
  })

  const retheme = () => {
    const theme = terminalTheme()
    for (const screen of screens.values()) screen.setTheme(theme)
  }
  new MutationObserver(retheme).observe(document.documentElement, { attributeFilter: ['data-theme'] })
  window.matchMedia('(prefers-color-scheme: dark)').addEventListener('change', retheme)
  settings.subscribe(() => {
    const fontSize = settings.get().settings?.terminalFontSize
    if (fontSize !== undefined) for (const screen of screens.values()) screen.setFontSize(fontSize)
  })

  const place = (tabId: string, placement: Placement, content: PaneContent) =>
    setTab(tabId, (tab) => {
      const pane: Pane = { kind: 'pane', id: newId(), content }
      const beside = tab.focusedId ?? (tab.tree === null ? null : (panesOf(tab.tree).at(-1)?.id ?? null))
      const tree = tab.tree === null || beside === null ? pane : splitBeside(tab.tree, beside, placement, pane, newId())
      return { tree, focusedId: pane.id, zoomed: false }
    })

  const endTerminal = async (terminalId: string) => {
    const answer = await connection.client.terminals.close({ terminalId: terminalId as never })
    if (!answer.ok) notices.fail(answer.error)
  }

  return {
    get: store.get,
    subscribe: store.subscribe,
    async openTerminal(tabId, placement, command) {
      const answer = await connection.client.terminals.open({ ...OPEN_SIZE, cwd: null, command: command ?? null })
      if (!answer.ok) return notices.fail(answer.error)
      const terminal = answer.value
      store.update((now) =>
        now.terminals.some((t) => t.terminalId === terminal.terminalId) ? now : { ...now, terminals: [...now.terminals, terminal] },
      )
      place(tabId, placement, { kind: 'terminal', terminalId: terminal.terminalId })
    },
    async openChat(tabId, placement, sessionSettings) {
      const answer = await connection.client.chats.create({ settings: sessionSettings })
      if (!answer.ok) return notices.fail(answer.error)
      place(tabId, placement, { kind: 'chat', sessionId: answer.value.sessionId })
    },
    show: (tabId, content) => place(tabId, 'row', content),
    focus: (tabId, paneId) => setTab(tabId, (tab) => (tab.focusedId === paneId ? tab : { ...tab, focusedId: paneId })),
    moveFocus: (tabId, direction) =>
      setTab(tabId, (tab) => {
        if (tab.tree === null || tab.focusedId === null) return tab
        return { ...tab, zoomed: false, focusedId: neighbourOf(tab.tree, tab.focusedId, direction) ?? tab.focusedId }
      }),
    toggleZoom: (tabId) => setTab(tabId, (tab) => ({ ...tab, zoomed: !tab.zoomed })),
    resize: (tabId, splitId, sizes) => setTab(tabId, (tab) => (tab.tree === null ? tab : { ...tab, tree: withSizes(tab.tree, splitId, sizes) })),
    async closePane(tabId, paneId) {
      const tree = store.get().tabs[tabId]?.tree ?? null
      const pane = tree === null ? undefined : panesOf(tree).find((one) => one.id === paneId)
      if (pane === undefined) return
      setTab(tabId, (tab) => {
        const left = tab.tree === null ? null : (withoutPane(tab.tree, paneId) ?? null)
        return { tree: left, focusedId: left === null ? null : (panesOf(left)[0]?.id ?? null), zoomed: false }
      })
      if (pane.content.kind === 'terminal') await endTerminal(pane.content.terminalId)
    },
    async deleteChat(sessionId) {
      const answer = await connection.client.chats.close({ sessionId: sessionId as never })
      if (!answer.ok) notices.fail(answer.error)
    },
    endTerminal,
    screen(terminalId) {
      const known = screens.get(terminalId)
      if (known !== undefined) return known
      const { settings: now } = settings.get()
      const screen = createTerminalScreen({
        connection,
        terminalId,
        theme: terminalTheme(),
        fontSize: now?.terminalFontSize ?? 13,
        webgl: now?.webgl ?? 'auto',
        isAppKey: isAppChord,
      })
      screens.set(terminalId, screen)
      return screen
    },
    chat(sessionId) {
      const known = chats.get(sessionId)
      if (known !== undefined) return known
      const chat = createChatStore(connection, notices, sessionId)
      chats.set(sessionId, chat)
      return chat
    },
  }
}

const made = new WeakMap<Stores, PanesStore>()
/** The one panes store of a page; made when terminals are first shown, and kept while the page lives so that tabs can change without loss. */
export function panesOfPage(stores: Stores): PanesStore {
  const known = made.get(stores)
  if (known !== undefined) return known
  const panes = createPanesStore(stores)
  made.set(stores, panes)
  return panes
}

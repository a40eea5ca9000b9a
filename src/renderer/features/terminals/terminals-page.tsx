/** One tab of panes: real terminals and chats, split as the person likes, with the live charts docked at the right. */
import { Fragment, useEffect, useMemo, useRef, useState } from 'react'
import { Group, Panel, Separator } from 'react-resizable-panels'
import { type Command, useCommands } from '../../stores/command-store.ts'
import { useSelected, useStore } from '../../stores/store.ts'
import { useStores } from '../../stores/stores.tsx'
import { Button } from '../../ui/button.tsx'
import { classNames } from '../../ui/class-names.ts'
import { Question } from '../../ui/question.tsx'
import { ChatPane } from './chat-pane.tsx'
import { NewChatMenu } from './new-chat.tsx'
import { type PaneAction, PaneHead } from './pane-head.tsx'
import { type Pane, type PaneTree, panesOf } from './pane-tree.ts'
import { type PanesState, type PanesStore, type PanesTab, panesOfPage } from './panes-store.ts'
import { TerminalPane } from './terminal-pane.tsx'
import styles from './terminals-page.module.css'

/** The heads say "last output 5 s ago"; this often is enough for that. */
const HEAD_EVERY_MS = 1_000

function useNowEpochMs(): number {
  const [now, setNow] = useState(() => Date.now())
  useEffect(() => {
    const timer = setInterval(() => setNow(Date.now()), HEAD_EVERY_MS)
    return () => clearInterval(timer)
  }, [])
  return now
}

type Shared = {
  readonly tabId: string
  readonly tab: PanesTab
  readonly state: PanesState
  readonly panes: PanesStore
  readonly nowEpochMs: number
  readonly homeDir: string
  readonly searching: string | null
  setSearching(paneId: string | null): void
  askClose(pane: Pane): void
}

function PaneView({ pane, shared }: { pane: Pane; shared: Shared }) {
  const { tabId, tab, state, panes } = shared
  const { content } = pane
  const focused = tab.focusedId === pane.id
  const terminal = content.kind === 'terminal' ? state.terminals.find((t) => t.terminalId === content.terminalId) : undefined
  const chat = content.kind === 'chat' ? state.chats.find((c) => c.sessionId === content.sessionId) : undefined
  const actions: PaneAction[] = [
    { label: 'Split right, new shell', chord: 'mod+shift+d', run: () => void panes.openTerminal(tabId, 'row') },
    { label: 'Split down, new shell', chord: 'mod+shift+e', run: () => void panes.openTerminal(tabId, 'column') },
    { label: tab.zoomed ? 'Show all panes' : 'Zoom this pane', chord: 'mod+shift+enter', run: () => panes.toggleZoom(tabId) },
    ...(content.kind === 'terminal' ? [{ label: 'Find', chord: 'mod+shift+f', run: () => shared.setSearching(pane.id) }] : []),
    { label: 'Close pane', chord: 'mod+shift+x', run: () => shared.askClose(pane) },
  ]
  return (
    <section
      className={classNames(styles.pane, focused && styles.focus)}
      aria-label={chat?.title ?? terminal?.title ?? 'Pane'}
      data-pane={content.kind}
      onFocusCapture={() => panes.focus(tabId, pane.id)}
      onPointerDownCapture={() => panes.focus(tabId, pane.id)}
    >
      <PaneHead terminal={terminal} chat={chat} nowEpochMs={shared.nowEpochMs} homeDir={shared.homeDir} actions={actions} />
      {content.kind === 'terminal' ? (
        <TerminalPane
          screen={panes.screen(content.terminalId)}
          info={terminal}
          focused={focused}
          searching={shared.searching === pane.id}
          onSearchEnd={() => shared.setSearching(null)}
        />
      ) : chat === undefined ? null : (
        <ChatPane chat={panes.chat(content.sessionId)} info={chat} focused={focused} />
      )}
    </section>
  )
}

function TreeView({ tree, shared }: { tree: PaneTree; shared: Shared }) {
  if (tree.kind === 'pane') return <PaneView pane={tree} shared={shared} />
  const ids = tree.children.map((child) => child.id)
  return (
    <Group
      // A split with other children is another group; the library keeps sizes by id.
      key={ids.join()}
      orientation={tree.direction === 'row' ? 'horizontal' : 'vertical'}
      defaultLayout={Object.fromEntries(ids.map((id, index) => [id, tree.sizes[index] ?? 0]))}
      onLayoutChanged={(layout) =>
        shared.panes.resize(
          shared.tabId,
          tree.id,
          ids.map((id) => layout[id] ?? 0),
        )
      }
    >
      {tree.children.map((child, index) => (
        <Fragment key={child.id}>
          {index === 0 ? null : <Separator className={styles.separator} />}
          <Panel id={child.id} minSize="8">
            <TreeView tree={child} shared={shared} />
          </Panel>
        </Fragment>
      ))}
    </Group>
  )
}

/** Terminals and chats that run but stand in no pane of any tab: closed tabs lose nothing. */
function looseOf(state: PanesState) {
  const shown = new Set(
    Object.values(state.tabs)
      .flatMap((tab) => (tab.tree === null ? [] : panesOf(tab.tree)))
      .map((pane) => (pane.content.kind === 'terminal' ? pane.content.terminalId : pane.content.sessionId)),
  )
  return { terminals: state.terminals.filter((t) => !shown.has(t.terminalId)), chats: state.chats.filter((c) => !shown.has(c.sessionId)) }
}

function EmptyTab({ tabId, state, panes }: { tabId: string; state: PanesState; panes: PanesStore }) {
  const loose = looseOf(state)
  return (
    <div className={styles.empty}>
      <p>No panes. Enter opens a shell.</p>
      <div className={styles.actions}>
        <Button variant="first" chord="enter" onClick={() => void panes.openTerminal(tabId, 'row')} autoFocus>
          Open a shell
        </Button>
        <NewChatMenu onChoose={(settings) => void panes.openChat(tabId, 'row', settings)}>
          <Button>New chat</Button>
        </NewChatMenu>
      </div>
      {loose.terminals.length + loose.chats.length === 0 ? null : (
        <ul className={styles.loose} aria-label="In no pane">
          {loose.terminals.map((t) => (
            <li key={t.terminalId}>
              <span>
                {t.title} <span className="dim num s">{t.cwd}</span> <span className="dim">{t.status}</span>
              </span>
              <Button small onClick={() => panes.show(tabId, { kind: 'terminal', terminalId: t.terminalId })}>
                Show
              </Button>
              <Button small variant="quiet" onClick={() => void panes.endTerminal(t.terminalId)}>
                {t.status === 'running' ? 'End' : 'Remove'}
              </Button>
            </li>
          ))}
          {loose.chats.map((c) => (
            <li key={c.sessionId}>
              <span>
                {c.title} <span className="dim num s">{c.settings.model}</span>
              </span>
              <Button small onClick={() => panes.show(tabId, { kind: 'chat', sessionId: c.sessionId })}>
                Show
              </Button>
              <Button small variant="quiet" onClick={() => void panes.deleteChat(c.sessionId)}>
                Delete
              </Button>
            </li>
          ))}
        </ul>
      )}
    </div>
  )
}

function paneCommands(
  tabId: string,
  panes: PanesStore,
  focusedPane: () => Pane | undefined,
  acts: { search(id: string): void; askClose(pane: Pane): void },
): Command[] {
  const group = 'Panes'
  const arrows = ['left', 'right', 'up', 'down'] as const
  return [
    { id: 'pane-shell', title: 'Open a shell', group, run: () => void panes.openTerminal(tabId, 'row') },
    { id: 'pane-right', title: 'Split right, new shell', group, chord: 'mod+shift+d', run: () => void panes.openTerminal(tabId, 'row') },
    { id: 'pane-down', title: 'Split down, new shell', group, chord: 'mod+shift+e', run: () => void panes.openTerminal(tabId, 'column') },
    { id: 'pane-zoom', title: 'Zoom the focused pane', group, chord: 'mod+shift+enter', run: () => panes.toggleZoom(tabId) },
    {
      id: 'pane-find',
      title: 'Find in the focused terminal',
      group,
      chord: 'mod+shift+f',
      run() {
        const pane = focusedPane()
        if (pane?.content.kind === 'terminal') acts.search(pane.id)
      },
    },
    {
      id: 'pane-close',
      title: 'Close the focused pane',
      group,
      chord: 'mod+shift+x',
      run() {
        const pane = focusedPane()
        if (pane !== undefined) acts.askClose(pane)
      },
    },
    ...arrows.map((direction) => ({
      id: `pane-focus-${direction}`,
      title: `Focus the pane ${direction === 'up' ? 'above' : direction === 'down' ? 'below' : `to the ${direction}`}`,
      group,
      chord: `alt+arrow${direction}`,
      run: () => panes.moveFocus(tabId, direction),
    })),
  ]
}

/** The tab's name follows what it holds: "~/src/shopfront, 4 panes". */
function useTabLabel(tabId: string, tab: PanesTab) {
  const { layout } = useStores()
  const count = tab.tree === null ? 0 : panesOf(tab.tree).length
  useEffect(() => {
    layout.setLabel(tabId, { title: 'Terminals', detail: count === 0 ? '' : count === 1 ? '1 pane' : `${count} panes` })
  }, [layout, tabId, count])
}

const emptyTab: PanesTab = { tree: null, focusedId: null, zoomed: false }

function TerminalsTab({ tabId }: { tabId: string }) {
  const stores = useStores()
  const panes = panesOfPage(stores)
  const state = useStore(panes)
  const homeDir = useSelected(stores.settings, (now) => now.info?.homeDir ?? '')
  const nowEpochMs = useNowEpochMs()
  const [searching, setSearching] = useState<string | null>(null)
  const [closing, setClosing] = useState<Pane | null>(null)
  const tab = state.tabs[tabId] ?? emptyTab
  useTabLabel(tabId, tab)

  const latest = useRef(state)
  latest.current = state
  const acts = useMemo(() => {
    const isRunning = (pane: Pane) =>
      pane.content.kind === 'terminal' &&
      latest.current.terminals.some((t) => pane.content.kind === 'terminal' && t.terminalId === pane.content.terminalId && t.status === 'running')
    return {
      search: setSearching,
      askClose: (pane: Pane) => (isRunning(pane) ? setClosing(pane) : void panes.closePane(tabId, pane.id)),
      focusedPane() {
        const now = latest.current.tabs[tabId]
        return now?.tree ? panesOf(now.tree).find((pane) => pane.id === now.focusedId) : undefined
      },
    }
  }, [panes, tabId])
  const commands = useMemo(() => paneCommands(tabId, panes, acts.focusedPane, acts), [tabId, panes, acts])
  useCommands(stores.commands, commands)

  if (!state.loaded) return <p className={classNames(styles.empty, 'dim')}>Looking for what was open …</p>
  if (tab.tree === null) return <EmptyTab tabId={tabId} state={state} panes={panes} />
  const shared: Shared = { tabId, tab, state, panes, nowEpochMs, homeDir, searching, setSearching, askClose: acts.askClose }
  const zoomed = tab.zoomed ? panesOf(tab.tree).find((pane) => pane.id === tab.focusedId) : undefined
  return (
    <>
      <TreeView tree={zoomed ?? tab.tree} shared={shared} />
      <Question
        open={closing !== null}
        title="Close this pane?"
        keep="Keep it"
        act="Close, end its processes"
        onAnswer={(act) => {
          if (act && closing !== null) void panes.closePane(tabId, closing.id)
          setClosing(null)
        }}
      >
        What runs in it is ended, with everything that it started.
      </Question>
    </>
  )
}

export function TerminalsPage() {
  const { layout } = useStores()
  const tabId = useSelected(layout, (now) => now.currentId)
  return (
    <div className={styles.panes}>
      <TerminalsTab key={tabId} tabId={tabId} />
    </div>
  )
}

/** The line above a pane: what runs in it, in which state, and its menu. */
import { Ellipsis } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { Chat } from '../../../contract/endpoints/chats.ts'
import type { Terminal } from '../../../contract/endpoints/terminals.ts'
import { classNames } from '../../ui/class-names.ts'
import { KeyHint } from '../../ui/key-hint.tsx'
import styles from './terminals-page.module.css'

export type PaneAction = { readonly label: string; readonly chord?: string; run(): void }
type PaneState = 'idle' | 'working' | 'queued' | 'exited' | 'interrupted'

function ago(epochMs: number, nowEpochMs: number): string {
  const seconds = Math.max(0, Math.round((nowEpochMs - epochMs) / 1000))
  if (seconds < 60) return `${seconds} s ago`
  return seconds < 3600 ? `${Math.round(seconds / 60)} min ago` : `${Math.round(seconds / 3600)} h ago`
}

/** A terminal tells nothing of its own; output within this time reads as working, and the head says that it is a guess. */
const WORKING_MS = 3_000

function describePane(
  terminal: Terminal | undefined,
  chat: Chat | undefined,
  nowEpochMs: number,
): { state: PaneState; word: string; name: string; where: string; note: string } {
  if (chat !== undefined) {
    const state = chat.status === 'queued' ? 'queued' : chat.status === 'working' ? 'working' : chat.status === 'interrupted' ? 'interrupted' : 'idle'
    const word = state === 'queued' ? `queued, place ${chat.place ?? '–'}` : state
    return { state, word, name: chat.title, where: chat.settings.model, note: `last activity ${ago(chat.lastActivityEpochMs, nowEpochMs)}` }
  }
  if (terminal === undefined) return { state: 'idle', word: 'gone', name: '', where: '', note: '' }
  const { title, cwd, status, exitCode, signal } = terminal
  if (status === 'interrupted') return { state: 'interrupted', word: 'interrupted', name: title, where: cwd, note: '' }
  if (status === 'exited')
    return { state: 'exited', word: signal !== null ? `ended by ${signal}` : `exited, ${exitCode ?? '–'}`, name: title, where: cwd, note: '' }
  const working = nowEpochMs - terminal.lastOutputEpochMs < WORKING_MS
  return {
    state: working ? 'working' : 'idle',
    word: working ? 'working' : 'idle',
    name: title,
    where: cwd,
    note: `guess, last output ${ago(terminal.lastOutputEpochMs, nowEpochMs)}`,
  }
}

type PaneHeadProps = { terminal: Terminal | undefined; chat: Chat | undefined; nowEpochMs: number; homeDir: string; actions: readonly PaneAction[] }

export function PaneHead({ terminal, chat, nowEpochMs, homeDir, actions }: PaneHeadProps) {
  const { state, word, name, where, note } = describePane(terminal, chat, nowEpochMs)
  const short = homeDir !== '' && where.startsWith(homeDir) ? `~${where.slice(homeDir.length)}` : where
  return (
    <header className={styles.head}>
      <span className={classNames(styles.state, styles[state])}>
        <i aria-hidden="true" />
        {word}
      </span>
      <span className={styles.name}>{name}</span>
      <span className={styles.where} title={where}>
        {short}
      </span>
      <span className={styles.headEnd}>
        <span className={styles.note}>{note}</span>
        <DropdownMenu.Root>
          <DropdownMenu.Trigger className={styles.menuButton} aria-label="Pane menu">
            <Ellipsis size={14} strokeWidth={1.5} aria-hidden="true" />
          </DropdownMenu.Trigger>
          <DropdownMenu.Portal>
            <DropdownMenu.Content className={styles.menu} align="end" sideOffset={4}>
              {actions.map((action) => (
                <DropdownMenu.Item key={action.label} className={styles.menuItem} onSelect={() => action.run()}>
                  <span>{action.label}</span>
                  {action.chord === undefined ? null : <KeyHint chord={action.chord} />}
                </DropdownMenu.Item>
              ))}
            </DropdownMenu.Content>
          </DropdownMenu.Portal>
        </DropdownMenu.Root>
      </span>
    </header>
  )
}

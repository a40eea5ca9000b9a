/** Terminals with the live charts docked at their right; the dock can be put away. */
import { useMemo, useState } from 'react'
import { Dock } from '../features/dock/dock.tsx'
import { TerminalsPage } from '../features/terminals/terminals-page.tsx'
import { useCommands } from '../stores/command-store.ts'
import { useStores } from '../stores/stores.tsx'
import styles from './app.module.css'

const HIDDEN_KEY = 'plimsoll-dock-hidden'

export function TerminalsPlace() {
  const { commands } = useStores()
  const [hidden, setHidden] = useState(() => localStorage.getItem(HIDDEN_KEY) === 'yes')
  const own = useMemo(
    () => [
      {
        id: 'dock',
        title: hidden ? 'Show the live charts' : 'Put the live charts away',
        group: 'Panes',
        chord: 'mod+shift+b',
        run() {
          localStorage.setItem(HIDDEN_KEY, hidden ? 'no' : 'yes')
          setHidden(!hidden)
        },
      },
    ],
    [hidden],
  )
  useCommands(commands, own)
  return (
    <div className={styles.withDock}>
      <TerminalsPage />
      {hidden ? null : <Dock />}
    </div>
  )
}

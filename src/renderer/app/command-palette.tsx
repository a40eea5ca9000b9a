/** Ctrl K: every action by name. What can't be done now stays, with the reason. */
import { Command as Cmdk } from 'cmdk'
import { Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import { useState } from 'react'
import type { Command } from '../stores/command-store.ts'
import { useStore } from '../stores/store.ts'
import { useStores } from '../stores/stores.tsx'
import { classNames } from '../ui/class-names.ts'
import floating from '../ui/floating.module.css'
import { KeyHint } from '../ui/key-hint.tsx'
import styles from './command-palette.module.css'
import { matchCommand, matchedPieces } from './match-command.ts'

export function CommandPalette({ onClose }: { onClose(): void }) {
  const [typed, setTyped] = useState('')
  const commands = useStore(useStores().commands).filter((command) => command.sheetOnly !== true)
  const ranked = commands
    .map((command) => ({ command, score: matchCommand(command, typed) }))
    .filter((hit) => hit.score > 0)
    .sort((a, b) => b.score - a.score)
    .map((hit) => hit.command)
  const groups = [...new Set(ranked.map((command) => command.group))]
  const run = (command: Command) => {
    if (command.refused !== undefined) return
    onClose()
    command.run()
  }
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()} modal={false}>
      <Dialog.Portal>
        <Dialog.Content className={classNames(floating.dialog, floating.high, styles.palette)} aria-describedby={undefined}>
          <Dialog.Title className="sr">Command palette</Dialog.Title>
          <Cmdk shouldFilter={false} loop label="Commands">
            <div className={styles.field}>
              <Search size={14} strokeWidth={1.75} />
              <Cmdk.Input value={typed} onValueChange={setTyped} placeholder="What would you like to do?" autoFocus />
              <span className="s">
                {ranked.length} of {commands.length}
              </span>
            </div>
            <Cmdk.List className={styles.list} label="Commands">
              <Cmdk.Empty>Nothing is called so.</Cmdk.Empty>
              {groups.map((group) => (
                <Cmdk.Group key={group} heading={group}>
                  {ranked
                    .filter((command) => command.group === group)
                    .map((command) => (
                      <PaletteRow key={command.id} command={command} typed={typed} onRun={run} />
                    ))}
                </Cmdk.Group>
              ))}
            </Cmdk.List>
            <footer className={floating.foot}>
              <span>Up, Down choose</span>
              <span>Enter run</span>
              <span style={{ marginLeft: 'auto' }}>Esc</span>
            </footer>
          </Cmdk>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function PaletteRow({ command, typed, onRun }: { command: Command; typed: string; onRun(command: Command): void }) {
  const pieces = matchedPieces(command.title, typed)
  const refused = command.refused !== undefined
  return (
    <Cmdk.Item
      value={command.id}
      aria-disabled={refused || undefined}
      className={refused ? styles.refused : undefined}
      onSelect={() => onRun(command)}
    >
      <span>
        {pieces === undefined ? (
          command.title
        ) : (
          <>
            {pieces[0]}
            <span className={styles.match}>{pieces[1]}</span>
            {pieces[2]}
          </>
        )}
      </span>
      {command.detail === undefined || command.detail === '' ? null : <span className={`dim s ${styles.detail}`}>{command.detail}</span>}
      <span className={styles.end}>{command.refused ?? (command.chord === undefined ? null : <KeyHint chord={command.chord} />)}</span>
    </Cmdk.Item>
  )
}

/** `?`: every key, by where it holds. Reads the same commands as palette and keyboard, so it can't lag behind them. */
import { Dialog } from 'radix-ui'
import { useStore } from '../stores/store.ts'
import { useStores } from '../stores/stores.tsx'
import floating from '../ui/floating.module.css'
import { KeyHint } from '../ui/key-hint.tsx'
import styles from './keys-dialog.module.css'

export function KeysDialog({ onClose }: { onClose(): void }) {
  const commands = useStore(useStores().commands).filter((command) => command.chord !== undefined)
  const groups = [...new Set(commands.map((command) => command.group))]
  return (
    <Dialog.Root open onOpenChange={(open) => !open && onClose()}>
      <Dialog.Portal>
        <Dialog.Content className={floating.dialog} style={{ width: 760 }} aria-describedby={undefined}>
          <header className={floating.head}>
            <Dialog.Title>Keys</Dialog.Title>
            <span className="dim s">Ctrl is Cmd on macOS; plain Ctrl letters but K belong to the program in the pane</span>
            <KeyHint chord="escape" />
          </header>
          <div className={styles.sheet}>
            {groups.map((group) => (
              <section key={group} className={styles.group}>
                <h3 className="cap">{group}</h3>
                {commands
                  .filter((command) => command.group === group)
                  .map((command) => (
                    <p key={command.id} className={styles.row}>
                      <span>{command.title}</span>
                      <KeyHint chord={command.chord ?? ''} />
                    </p>
                  ))}
              </section>
            ))}
          </div>
          <footer className={floating.foot}>
            Keys of a page stand here while it is shown. Where a browser keeps a chord: Ctrl K, then its digit or letter, Enter.
          </footer>
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

/** A terminal in a pane: puts the terminal's screen into the page and takes it out again; the screen itself lives on in the store. */
import { useEffect, useRef, useState } from 'react'
import type { Terminal } from '../../../contract/endpoints/terminals.ts'
import { chordText } from '../../ui/chord.ts'
import type { TerminalScreen } from './terminal-screen.ts'
import styles from './terminals-page.module.css'

type TerminalPaneProps = { screen: TerminalScreen; info: Terminal | undefined; focused: boolean; searching: boolean; onSearchEnd(): void }

function SearchBar({ screen, onEnd }: { screen: TerminalScreen; onEnd(): void }) {
  const [found, setFound] = useState(true)
  const box = useRef<HTMLInputElement>(null)
  useEffect(() => {
    box.current?.focus()
    return () => screen.clearFind()
  }, [screen])
  return (
    <div className={styles.search}>
      <input
        ref={box}
        aria-label="Find in this terminal"
        placeholder="Find, Enter next, Shift Enter previous, Esc ends"
        onKeyDown={(event) => {
          const text = event.currentTarget.value
          if (event.key === 'Escape') onEnd()
          else if (event.key === 'Enter' && text !== '') setFound(event.shiftKey ? screen.findPrevious(text) : screen.findNext(text))
        }}
      />
      {found ? null : <span className="s dim">not found</span>}
    </div>
  )
}

const WHAT_NOW = `${chordText('mod+shift+d')} opens a shell beside it, ${chordText('mod+shift+x')} closes the pane.`

export function TerminalPane({ screen, info, focused, searching, onSearchEnd }: TerminalPaneProps) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const container = box.current
    if (container === null) return
    screen.attach(container)
    return () => screen.detach()
  }, [screen])
  useEffect(() => {
    if (focused && !searching) screen.focus()
  }, [focused, searching, screen])
  return (
    <div className={styles.terminal}>
      <div ref={box} className={styles.screen} data-terminal={info?.terminalId} />
      {searching ? <SearchBar screen={screen} onEnd={onSearchEnd} /> : null}
      {info?.status === 'interrupted' ? (
        <p className={styles.ended}>Interrupted: this ran when Plimsoll ended. Its text is kept, the process is gone. {WHAT_NOW}</p>
      ) : null}
      {info?.status === 'exited' ? (
        <p className={styles.ended}>
          Exited{info.signal !== null ? ` by ${info.signal}` : info.exitCode === null ? '' : ` with code ${info.exitCode}`}. {WHAT_NOW}
        </p>
      ) : null}
    </div>
  )
}

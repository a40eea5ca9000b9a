/** The bar: tabs at the left; palette, theme and, always, the sweep button at the right. */
import { Plus, X } from 'lucide-react'
import { type KeyboardEvent, useEffect, useRef } from 'react'
import type { Layout, Tab } from '../stores/layout-store.ts'
import { useSelected, useStore } from '../stores/store.ts'
import { useStores } from '../stores/stores.tsx'
import { useSweepButton } from '../stores/sweep-button.ts'
import { Button } from '../ui/button.tsx'
import { chordText } from '../ui/chord.ts'
import { HalfDiscGlyph } from '../ui/glyphs.tsx'
import { MarkedButton } from '../ui/marked-button.tsx'
import { tabGlyph, tabLabel } from './places.tsx'
import styles from './top-bar.module.css'

export function TopBar({ onPalette }: { onPalette(): void }) {
  const { settings } = useStores()
  const theme = useSelected(settings, (now) => now.settings?.theme ?? 'system')
  return (
    <header className={styles.bar} data-region tabIndex={-1}>
      <TabStrip />
      <div className={styles.right}>
        <Button variant="quiet" chord="mod+k" title="Command palette" className={styles.commands} onClick={onPalette}>
          Commands
        </Button>
        <Button variant="quiet" aria-label={`Theme: ${theme}. Next`} title={`Theme: ${theme}`} onClick={settings.nextTheme}>
          <HalfDiscGlyph />
        </Button>
        <SweepButton />
      </div>
    </header>
  )
}

function SweepButton() {
  return <MarkedButton {...useSweepButton()} />
}

function TabStrip() {
  const { layout } = useStores()
  const now = useStore(layout)
  const moveBy = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step !== 0) layout.step(step)
    if (event.key === 'Delete') layout.close(now.currentId)
  }
  const list = useRef<HTMLDivElement>(null)
  // biome-ignore lint/correctness/useExhaustiveDependencies: another current tab must come into sight
  useEffect(() => {
    // New browsers answer with a promise; React would take that for a clean-up and call it.
    void list.current?.querySelector('[data-current="true"]')?.scrollIntoView?.({ block: 'nearest', inline: 'nearest' })
  }, [now.currentId])
  return (
    <div className={styles.tabs}>
      <div role="tablist" aria-label="Open tabs" ref={list} className={styles.list} onKeyDown={moveBy}>
        {now.tabs.map((tab) => (
          <TabButton key={tab.id} tab={tab} now={now} />
        ))}
      </div>
      <button type="button" className={styles.new} aria-label="New tab" title="New tab of terminals" onClick={() => layout.openTerminals()}>
        <Plus size={14} strokeWidth={1.75} />
      </button>
    </div>
  )
}

function TabButton({ tab, now }: { tab: Tab; now: Layout }) {
  const { layout, sweepList } = useStores()
  const current = tab.id === now.currentId
  const sweep = useSelected(sweepList, (list) => (tab.kind === 'sweep' ? list.items.find((item) => item.sweepId === tab.sweepId) : undefined))
  const label = now.labels[tab.id] ?? tabLabel(tab, sweep)
  return (
    <div className={styles.tab} data-current={current} role="presentation" onAuxClick={(event) => event.button === 1 && layout.close(tab.id)}>
      <button
        type="button"
        role="tab"
        aria-selected={current}
        tabIndex={current ? 0 : -1}
        title={`${label.title} ${label.detail}`.trim()}
        onClick={() => layout.select(tab.id)}
      >
        {tabGlyph(tab)}
        <span className={styles.name}>{label.title}</span>
        {label.detail === '' ? null : <span className={`num ${styles.detail}`}>{label.detail}</span>}
      </button>
      <button
        type="button"
        className={styles.close}
        aria-hidden="true"
        tabIndex={-1}
        title={`Close ${label.title} (${chordText('mod+shift+w')})`}
        onClick={() => layout.close(tab.id)}
      >
        <X size={12} strokeWidth={1.75} />
      </button>
    </div>
  )
}

/** The frame: rail, bar, page, strip. It never scrolls; what floats stands above it. */
import { Suspense, useEffect, useMemo, useState } from 'react'
import { useCommands } from '../stores/command-store.ts'
import { currentTab } from '../stores/layout-store.ts'
import { useSelected, useStore } from '../stores/store.ts'
import { useStores } from '../stores/stores.tsx'
import { PartPatterns } from '../ui/part-patterns.tsx'
import styles from './app.module.css'
import { appCommands, type Overlays } from './app-commands.ts'
import { CommandPalette } from './command-palette.tsx'
import { CurrentPage } from './current-page.tsx'
import { ErrorBoundary } from './error-boundary.tsx'
import { listenToKeys } from './keyboard.ts'
import { KeysDialog } from './keys-dialog.tsx'
import { PassingNotices, StandingNotices } from './notices.tsx'
import { Rail } from './rail.tsx'
import { StatusStrip } from './status-strip.tsx'
import { TopBar } from './top-bar.tsx'

/** Keeps the commands that hold everywhere up to date, and listens to the keyboard. */
function useAppCommands(overlays: Overlays): void {
  const stores = useStores()
  const plan = useStore(stores.plan)
  const list = useStore(stores.sweepList)
  const connection = useStore(stores.connectionState)
  // biome-ignore lint/correctness/useExhaustiveDependencies: the commands read these stores; a change of them makes other commands
  const commands = useMemo(() => appCommands(stores, overlays), [stores, overlays, plan, list, connection])
  useCommands(stores.commands, commands)
  useEffect(
    () =>
      listenToKeys({
        commands: stores.commands.get,
        onRefused: (command) => stores.notices.say(`${command.title}: not now`, command.refused ?? ''),
      }),
    [stores],
  )
}

export function App() {
  const stores = useStores()
  const [overlay, setOverlay] = useState<'palette' | 'keys'>()
  const overlays = useMemo(() => ({ openPalette: () => setOverlay('palette'), openKeys: () => setOverlay('keys') }), [])
  useAppCommands(overlays)
  const tab = useSelected(stores.layout, currentTab)
  return (
    <div className={styles.app}>
      <PartPatterns />
      <Rail />
      <TopBar onPalette={overlays.openPalette} />
      <div className={styles.middle}>
        <StandingNotices />
        <main className={styles.page} data-region tabIndex={-1}>
          {tab === undefined ? null : (
            <ErrorBoundary what="This page" resetKey={tab.id}>
              <Suspense fallback={null}>
                <CurrentPage key={tab.id} tab={tab} />
              </Suspense>
            </ErrorBoundary>
          )}
        </main>
      </div>
      <StatusStrip />
      <PassingNotices />
      {overlay === 'palette' ? <CommandPalette onClose={() => setOverlay(undefined)} /> : null}
      {overlay === 'keys' ? <KeysDialog onClose={() => setOverlay(undefined)} /> : null}
    </div>
  )
}

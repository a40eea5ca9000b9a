/** The commands that hold everywhere. Pages add their own (stores/command-store). */
import type { Command } from '../stores/command-store.ts'
import { PLACES } from '../stores/layout-store.ts'
import type { Stores } from '../stores/stores.tsx'
import { planSummary, refusal, SWEEP_CHORD, startSweep } from '../stores/sweep-button.ts'
import { runningSweep } from '../stores/sweep-list-store.ts'
import { focusNextRegion } from './keyboard.ts'
import { PLACE_WORDS } from './places.tsx'

export type Overlays = { openPalette(): void; openKeys(): void }

/** Sweeps that the palette lists; the Reports page has all. */
const LISTED_SWEEPS = 20

export function appCommands(stores: Stores, overlays: Overlays): Command[] {
  return [...sweepCommands(stores), ...placeCommands(stores), ...pageCommands(stores, overlays), ...openSweepCommands(stores)]
}

function sweepCommands(stores: Stores): Command[] {
  const plan = stores.plan.get()
  const list = stores.sweepList.get()
  const running = runningSweep(list)
  return [
    {
      id: 'sweep.run',
      title: 'Run concurrency sweep',
      group: 'Anywhere',
      chord: SWEEP_CHORD,
      detail: planSummary(plan),
      refused: refusal(plan, list, stores.connectionState.get().status === 'open', stores.discovery.get().status === 'looking'),
      run: () => void startSweep(stores),
    },
    {
      id: 'sweep.cancel',
      title: 'Cancel the sweep, keep results',
      group: 'Anywhere',
      refused: running === undefined ? 'no sweep runs' : undefined,
      run: () => running !== undefined && void stores.sweepList.cancel(running.sweepId),
    },
    { id: 'sweep.plan', title: 'Change the plan of the next sweep', group: 'Anywhere', run: stores.layout.openPlan },
    { id: 'machine', title: 'What was found on this machine', group: 'Anywhere', run: stores.layout.openMachine },
  ]
}

function placeCommands({ layout }: Stores): Command[] {
  return PLACES.map((place, i) => ({
    id: `go.${place}`,
    title: PLACE_WORDS[place],
    group: 'Go to',
    chord: `alt+${i + 1}`,
    run: () => layout.goTo(place),
  }))
}

function pageCommands({ layout, settings }: Stores, overlays: Overlays): Command[] {
  return [
    { id: 'palette', title: 'Command palette', group: 'Anywhere', chord: 'mod+k', run: overlays.openPalette },
    { id: 'tab.new', title: 'New tab', group: 'Anywhere', chord: 'mod+shift+t', run: () => void layout.openTerminals() },
    { id: 'tab.close', title: 'Close tab', group: 'Anywhere', chord: 'mod+shift+w', run: () => layout.close(layout.get().currentId) },
    { id: 'tab.next', title: 'Next tab', group: 'Anywhere', chord: 'ctrl+tab', otherChords: ['mod+tab'], run: () => layout.step(1) },
    {
      id: 'tab.previous',
      title: 'Previous tab',
      group: 'Anywhere',
      chord: 'ctrl+shift+tab',
      otherChords: ['mod+shift+tab'],
      run: () => layout.step(-1),
    },
    { id: 'region.next', title: 'Next region', group: 'Anywhere', chord: 'f6', run: focusNextRegion },
    { id: 'theme', title: 'Next theme: system, light, dark', group: 'Anywhere', run: settings.nextTheme },
    { id: 'keys', title: 'Keys', group: 'Anywhere', chord: '?', run: overlays.openKeys },
  ]
}

function openSweepCommands({ sweepList, layout }: Stores): Command[] {
  return sweepList
    .get()
    .items.slice(0, LISTED_SWEEPS)
    .map((item) => ({
      id: `sweep.open.${item.sweepId}`,
      title: `Sweep ${item.number}, ${item.targetLabel}`,
      group: 'Sweeps and reports',
      detail: item.verdict === null ? item.status : `load line ${item.ceiling}`,
      run: () => layout.openSweep(item.sweepId),
    }))
}

/** The places of the rail: name, key, sign. One table for rail, palette and keys. */
import type { ReactNode } from 'react'
import type { SweepListItem } from '../../contract/endpoints/sweeps.ts'
import type { Place, Tab, TabLabel } from '../stores/layout-store.ts'
import { BranchGlyph, MachineGlyph, PaperGlyph, PromptGlyph, SlidersGlyph, StairsGlyph } from '../ui/glyphs.tsx'

export const PLACE_WORDS: Readonly<Record<Place, string>> = {
  terminals: 'Terminals',
  sweep: 'Sweep',
  jobs: 'Jobs',
  reports: 'Reports',
  settings: 'Settings',
}

export function placeGlyph(place: Place, size: number): ReactNode {
  switch (place) {
    case 'terminals':
      return <PromptGlyph size={size} />
    case 'sweep':
      return <StairsGlyph size={size} />
    case 'jobs':
      return <BranchGlyph size={size} />
    case 'reports':
      return <PaperGlyph size={size} />
    case 'settings':
      return <SlidersGlyph size={size} />
  }
}

export const tabGlyph = (tab: Tab): ReactNode => (tab.kind === 'machine' ? <MachineGlyph size={14} /> : placeGlyph(tab.kind, 14))

/** What a tab is called as long as its page says nothing else. */
export function tabLabel(tab: Tab, sweep: SweepListItem | undefined): TabLabel {
  if (tab.kind === 'machine') return { title: 'This machine', detail: '' }
  if (tab.kind !== 'sweep') return { title: PLACE_WORDS[tab.kind], detail: '' }
  if (sweep !== undefined) return { title: `Sweep ${sweep.number}`, detail: sweep.targetLabel }
  return { title: 'Sweep', detail: tab.sweepId === null ? 'not run yet' : '' }
}

/** The places of the rail: name, key, sign. One table for rail, palette and keys. */
import type { ReactNode } from 'react'
import type { Place, Tab } from '../stores/layout-store.ts'
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
export function tabTitle(tab: Tab): string {
  if (tab.kind === 'machine') return 'This machine'
  return PLACE_WORDS[tab.kind]
}

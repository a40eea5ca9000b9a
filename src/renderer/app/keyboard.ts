/** The page's keyboard: finds the command of a chord. Programs in panes and fields keep their plain keys. */
import type { Command } from '../stores/command-store.ts'
import { chordOf } from '../ui/chord.ts'

const TYPES_IN = 'input:not([type="checkbox"]):not([type="radio"]), textarea, select, [contenteditable="true"]'
/** A list that is part of the page, and not a choice that floats over it, leaves the page its keys. */
const FLOATS = '[role="dialog"], [role="alertdialog"], [role="menu"], [role="listbox"]:not([data-page-keys])'
/** What a focused button or link does itself. */
const OWN_KEYS = new Set(['enter', 'space'])

/** A chord that no program in a pane could want: it has a modifier, or is a function key. */
const isForPage = (chord: string) => /^(mod|ctrl|alt)\+/.test(chord) || /^f\d+$/.test(chord)

const matches = (command: Command, chord: string) => command.chord === chord || command.otherChords?.includes(chord) === true

export type KeyboardDeps = {
  commands(): readonly Command[]
  /** A command that can't be done now was asked for by its key. */
  onRefused(command: Command): void
}

function blocked(target: EventTarget | null, chord: string): boolean {
  if (!(target instanceof Element)) return false
  if (target.closest(TYPES_IN) !== null || target.closest(FLOATS) !== null) return true
  return OWN_KEYS.has(chord) && target.closest('button, a, [role="radio"], [role="tab"]') !== null
}

/** @returns stops listening */
export function listenToKeys(deps: KeyboardDeps): () => void {
  const run = (event: KeyboardEvent, chord: string) => {
    const command = deps.commands().find((candidate) => candidate.sheetOnly !== true && matches(candidate, chord))
    if (command === undefined) return
    event.preventDefault()
    event.stopPropagation()
    if (command.refused === undefined) command.run()
    // Esc is pressed for many reasons; nobody needs to hear that there was nothing to cancel.
    else if (chord !== 'escape') deps.onRefused(command)
  }
  // Chords with a modifier are taken before any field or terminal sees them, plain keys only when nobody else wanted them.
  const early = (event: KeyboardEvent) => {
    const chord = chordOf(event)
    if (!event.isComposing && isForPage(chord)) run(event, chord)
  }
  const late = (event: KeyboardEvent) => {
    const chord = chordOf(event)
    if (event.isComposing || event.defaultPrevented || isForPage(chord) || blocked(event.target, chord)) return
    run(event, chord)
  }
  window.addEventListener('keydown', early, { capture: true })
  window.addEventListener('keydown', late)
  return () => {
    window.removeEventListener('keydown', early, { capture: true })
    window.removeEventListener('keydown', late)
  }
}

/** F6: puts the focus into the next region of the page, round and round. */
export function focusNextRegion(): void {
  const regions = [...document.querySelectorAll<HTMLElement>('[data-region]')]
  const current = regions.findIndex((region) => region.contains(document.activeElement))
  const next = regions[(current + 1) % Math.max(1, regions.length)]
  const inside = next?.querySelector<HTMLElement>('[aria-selected="true"], [aria-current="page"], button, [tabindex="0"], input')
  const target = inside ?? next
  target?.focus()
}

/** A key chord as text, spoken as words. */
import { chordText } from './chord.ts'

export function KeyHint({ chord, className }: { chord: string; className?: string | undefined }) {
  return <kbd className={className}>{chordText(chord)}</kbd>
}

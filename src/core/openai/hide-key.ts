/** Keeps a key out of what is shown and stored: some servers answer a wrong key by repeating it. */
import type { ServerFailure } from '../session/server-problems.ts'

/** So many characters of a key's beginning or end tell nobody the key; more are hidden. */
const SHOWN_CHARS = 6
const HIDDEN = '[key]'

/** The text without the key and without any long piece from its beginning or end. */
export function hideKey(text: string, key: string | undefined): string {
  if (key === undefined || key === '') return text
  let hidden = text.replaceAll(key, HIDDEN)
  for (let length = key.length - 1; length > SHOWN_CHARS; length--) {
    hidden = hidden.replaceAll(key.slice(0, length), HIDDEN).replaceAll(key.slice(-length), HIDDEN)
  }
  return hidden
}

/** The same for what a server said when it failed. */
export function hideKeyInFailure(failure: ServerFailure, key: string | undefined): ServerFailure {
  if ('sentence' in failure) return { ...failure, sentence: hideKey(failure.sentence, key) }
  return 'text' in failure ? { ...failure, text: hideKey(failure.text, key) } : failure
}

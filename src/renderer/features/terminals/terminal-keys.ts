/** Which keys a pane gives to the app. All other keys, plain Ctrl letters but K among them, belong to the program in the pane. */

type Chord = Pick<KeyboardEvent, 'key' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** Letters that the app takes with Ctrl Shift (Cmd Shift on macOS). */
const SHIFTED = new Set(['l', 't', 'w', 'x', 'd', 'e', 'f', 'j', 'b', 'r', 'enter'])

export function isAppChord(event: Chord): boolean {
  const key = event.key.toLowerCase()
  const command = event.ctrlKey || event.metaKey
  if (command && event.shiftKey && !event.altKey) return SHIFTED.has(key)
  if (command && !event.shiftKey && !event.altKey) return key === 'k' || key === 'tab'
  if (command && event.shiftKey && key === 'tab') return true
  if (event.altKey && !command) return /^[1-5]$/.test(key) || key.startsWith('arrow')
  return key === 'f6'
}

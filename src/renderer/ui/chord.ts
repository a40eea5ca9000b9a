/**
 * Key chords as data: `mod+shift+l`, `alt+2`, `escape`, `?`. `mod` is Ctrl, on macOS Cmd.
 * Parts stand in the order mod, ctrl, alt, shift, key.
 */

const onMac = (platform: string = navigator.platform): boolean => /mac|iphone|ipad/i.test(platform)

const WORDS: Readonly<Record<string, string>> = {
  alt: 'Alt',
  shift: 'Shift',
  ctrl: 'Ctrl',
  escape: 'Esc',
  enter: 'Enter',
  space: 'Space',
  arrowup: 'Up',
  arrowdown: 'Down',
  arrowleft: 'Left',
  arrowright: 'Right',
}

/** `mod+shift+l` → `Ctrl Shift L`, on macOS `Cmd Shift L`. */
export function chordText(chord: string, mac: boolean = onMac()): string {
  return chord
    .split('+')
    .map((part) =>
      part === 'mod' ? (mac ? 'Cmd' : 'Ctrl') : (WORDS[part] ?? (part.length === 1 ? part.toUpperCase() : part[0]?.toUpperCase() + part.slice(1))),
    )
    .join(' ')
}

type PressedKey = Pick<KeyboardEvent, 'key' | 'code' | 'ctrlKey' | 'metaKey' | 'altKey' | 'shiftKey'>

/** Digits and letters by their place where a modifier changes what they print (Alt 2 prints ™ on macOS), else as printed. */
function keyName(event: PressedKey): string {
  const plain = /^(?:Key([A-Z])|Digit([0-9]))$/.exec(event.code)
  if (plain !== null && (event.altKey || event.ctrlKey || event.metaKey)) return (plain[1] ?? plain[2] ?? '').toLowerCase()
  return event.key === ' ' ? 'space' : event.key.toLowerCase()
}

export function chordOf(event: PressedKey, mac: boolean = onMac()): string {
  const key = keyName(event)
  const mod = mac ? event.metaKey : event.ctrlKey
  // Shift is part of what a lone sign prints ("?"), so it counts only for letters, digits with a modifier and named keys.
  const shiftCounts = event.shiftKey && (key.length > 1 || event.altKey || event.ctrlKey || event.metaKey || /^[a-z]$/.test(key))
  const parts = [mod && 'mod', mac && event.ctrlKey && 'ctrl', event.altKey && 'alt', shiftCounts && 'shift', key]
  return parts.filter((part) => part !== false).join('+')
}

/**
 * What a terminal shows and the last lines before that, kept by an xterm without a display: for the replay when a viewer comes, and for the text on disk.
 * Parsing is paced: small pieces, in turns, so that eight floods leave the loop free for somebody's echo.
 */
import { SerializeAddon } from '@xterm/addon-serialize'
import headless from '@xterm/headless'
import type { ParseTurns } from './parse-turns.ts'

export const SCROLLBACK_LINES = 2_000
/** At 25 MB/s of parsing 16 kB are well under a millisecond. */
const PIECE_BYTES = 16 * 1024
/** Modes that the serializer leaves out: cursor shown (25, set from the start), and how the mouse is told. */
const EXTRA_MODES = [25, 1005, 1006, 1015]
const MODES_AT_START: ReadonlyMap<number, boolean> = new Map(EXTRA_MODES.map((mode) => [mode, mode === 25]))

export interface Screen {
  write(bytes: Uint8Array): void
  /** Bytes that wait to be parsed. */
  readonly backlogBytes: number
  /** Takes effect after what was written before. */
  resize(cols: number, rows: number): void
  /** Calls back when all that was written before is parsed, and before anything written later is. */
  whenParsed(callback: () => void): void
  /** The screen and its scrollback as escape sequences for a viewer of the same size; begins with a full reset. */
  replay(): string
  /** The text alone, for a terminal that no program drives any more. Shorter when it would pass `maxChars`. */
  text(maxChars: number): string
  close(): void
}

export interface ScreenEvents {
  /** OSC 0 or 2. */
  onTitle(title: string): void
  /** OSC 7: the shell says where it is. */
  onCwd(path: string): void
  /** What a terminal answers to a program's question (where is the cursor, what are you). */
  onReply(data: string): void
  /** Some of the backlog is parsed. */
  onParsed(): void
}

/** @returns undefined for anything but a file URL; the host's name in it is not looked at */
function pathOfFileUrl(text: string): string | undefined {
  try {
    const url = new URL(text)
    return url.protocol === 'file:' ? decodeURIComponent(url.pathname) : undefined
  } catch {
    return undefined
  }
}

export function createScreen(size: { cols: number; rows: number }, turns: ParseTurns, events: ScreenEvents): Screen {
  const terminal = new headless.Terminal({ ...size, scrollback: SCROLLBACK_LINES, allowProposedApi: true })
  const serializer = new SerializeAddon()
  terminal.loadAddon(serializer)
  const modes = new Map(MODES_AT_START)
  const queue: Array<Uint8Array | (() => void)> = []
  let backlogBytes = 0
  let parsing = false
  let holdsTurn = false
  let closed = false

  const setModes = (value: boolean) => (params: ReadonlyArray<number | number[]>) => {
    for (const mode of params) if (typeof mode === 'number' && modes.has(mode)) modes.set(mode, value)
    return false
  }
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'h' }, setModes(true))
  terminal.parser.registerCsiHandler({ prefix: '?', final: 'l' }, setModes(false))
  terminal.parser.registerEscHandler({ final: 'c' }, () => {
    for (const [mode, value] of MODES_AT_START) modes.set(mode, value)
    return false
  })
  terminal.parser.registerOscHandler(7, (text) => {
    const path = pathOfFileUrl(text)
    if (path !== undefined) events.onCwd(path)
    return true
  })
  terminal.onTitleChange(events.onTitle)
  terminal.onData(events.onReply)

  function pump(): void {
    while (!parsing && !closed) {
      const next = queue.shift()
      if (next === undefined) return
      if (typeof next === 'function') {
        next()
        continue
      }
      if (next.length > PIECE_BYTES) queue.unshift(next.subarray(PIECE_BYTES))
      const piece = next.subarray(0, PIECE_BYTES)
      parsing = true
      turns.enter(() => parse(piece))
    }
  }
  function parse(piece: Uint8Array): void {
    if (closed) {
      turns.leave()
      return
    }
    holdsTurn = true
    terminal.write(piece, () => {
      if (closed) return
      leaveTurn()
      parsing = false
      backlogBytes -= piece.length
      events.onParsed()
      pump()
    })
  }
  /** A closed terminal may never call back, so closing leaves too. */
  function leaveTurn(): void {
    if (holdsTurn) turns.leave()
    holdsTurn = false
  }
  const add = (entry: Uint8Array | (() => void)) => {
    queue.push(entry)
    pump()
  }
  const changedModes = () =>
    [...modes].flatMap(([mode, value]) => (value === MODES_AT_START.get(mode) ? [] : `\x1b[?${mode}${value ? 'h' : 'l'}`)).join('')

  return {
    write(bytes) {
      backlogBytes += bytes.length
      add(bytes)
    },
    get backlogBytes() {
      return backlogBytes
    },
    resize: (cols, rows) => add(() => terminal.resize(cols, rows)),
    whenParsed: add,
    replay: () => `\x1bc${serializer.serialize({ scrollback: SCROLLBACK_LINES })}${changedModes()}`,
    text(maxChars) {
      for (let lines = SCROLLBACK_LINES / 2; lines > 10; lines = Math.floor(lines / 4)) {
        const text = serializer.serialize({ scrollback: lines, excludeModes: true, excludeAltBuffer: true })
        if (text.length <= maxChars) return text
      }
      return ''
    },
    close() {
      closed = true
      queue.length = 0
      leaveTurn()
      terminal.dispose()
    },
  }
}

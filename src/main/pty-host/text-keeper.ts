/**
 * Keeps the terminals' text on disk, one file each, for the Plimsoll that comes after a crash. Serializing costs tens of milliseconds for a full
 * scrollback, so terminals take turns, and the pause between two turns is long beside what the last one took.
 */
import { rename, rm, writeFile } from 'node:fs/promises'
import type { TerminalId } from '../../core/result/ids.ts'
import type { Clock } from '../platform/clock.ts'

export const MAX_TEXT_CHARS = 1_000_000
const FIRST_SAVE_AFTER_MS = 2_000
const LEAST_PAUSE_MS = 250
/** At most a thirtieth of a core goes into this, whatever the terminals print. */
const PAUSE_PER_COST = 30

export type KeptTerminal = {
  readonly path: string
  /** Calls back with the text and the time that making it took. */
  snapshot(callback: (text: string, costMs: number) => void): void
}

export interface TextKeeper {
  add(terminalId: TerminalId, terminal: KeptTerminal): void
  /** There is new text. */
  touch(terminalId: TerminalId): void
  /** The last text: written at once, no more will come. */
  finish(terminalId: TerminalId, text: string): Promise<void>
  /** Takes the file away. */
  remove(terminalId: TerminalId): Promise<void>
  /** Writes all that is new; for the end. */
  saveAll(): Promise<void>
}

export function createTextKeeper(clock: Clock): TextKeeper {
  const terminals = new Map<TerminalId, KeptTerminal>()
  /** Oldest change first. */
  const changed = new Set<TerminalId>()
  let cancelTimer: (() => void) | undefined
  /** One file operation after another, so that a late save can't bring a removed file back. */
  let files: Promise<void> = Promise.resolve()

  const inTurn = (work: () => Promise<void>): Promise<void> => {
    // A full disk costs the text of that moment; the next save tries again.
    files = files.then(work).catch(() => {})
    return files
  }
  const write = (path: string, text: string) =>
    inTurn(async () => {
      await writeFile(`${path}.part`, text, { mode: 0o600 })
      await rename(`${path}.part`, path)
    })

  function save(terminalId: TerminalId): Promise<{ costMs: number; saved: Promise<void> }> {
    changed.delete(terminalId)
    const terminal = terminals.get(terminalId)
    if (terminal === undefined) return Promise.resolve({ costMs: 0, saved: Promise.resolve() })
    return new Promise((resolve) => {
      terminal.snapshot((text, costMs) => resolve({ costMs, saved: terminals.has(terminalId) ? write(terminal.path, text) : Promise.resolve() }))
    })
  }

  const arm = (delayMs: number) => {
    cancelTimer ??= clock.after(delayMs, async () => {
      const [terminalId] = changed
      if (terminalId !== undefined) {
        const { costMs, saved } = await save(terminalId)
        await saved
        cancelTimer = undefined
        if (changed.size > 0) arm(Math.max(LEAST_PAUSE_MS, costMs * PAUSE_PER_COST))
        return
      }
      cancelTimer = undefined
    })
  }

  return {
    add: (terminalId, terminal) => void terminals.set(terminalId, terminal),
    touch(terminalId) {
      if (!terminals.has(terminalId)) return
      changed.add(terminalId)
      arm(FIRST_SAVE_AFTER_MS)
    },
    finish(terminalId, text) {
      const path = terminals.get(terminalId)?.path
      changed.delete(terminalId)
      return path === undefined ? Promise.resolve() : write(path, text)
    },
    remove(terminalId) {
      const path = terminals.get(terminalId)?.path
      terminals.delete(terminalId)
      changed.delete(terminalId)
      return path === undefined ? Promise.resolve() : inTurn(() => rm(path, { force: true }))
    },
    async saveAll() {
      cancelTimer?.()
      const saves = await Promise.all([...changed].map(save))
      await Promise.all(saves.map(({ saved }) => saved))
    },
  }
}

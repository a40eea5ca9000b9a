/** The folder that sessions with tools look into: a few notes, the same in every sweep, in the system's temporary folder. Owned by the driver, which removes it. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Short enough that reading one is no prompt of its own. */
const NOTES: Readonly<Record<string, string>> = {
  'queue.md': 'The queue holds what waits for a slot.\nFirst come, first served.\n',
  'slots.md': 'A slot serves one request at a time.\n',
  'merge.md': 'A patch is merged when its check has passed.\n',
  'readme.md': 'Notes on queue, slots and merging.\n',
}

export type AgentWorkspace = { folder(): string | null; remove(): void }

export function createAgentWorkspace(): AgentWorkspace {
  let folder: string | null | undefined
  const make = (): string | null => {
    try {
      const made = mkdtempSync(join(tmpdir(), 'plimsoll-agent-'))
      for (const [name, text] of Object.entries(NOTES)) writeFileSync(join(made, name), text)
      return made
    } catch {
      // A full disk: the turns are played without tools, and the runner says so of none.
      return null
    }
  }
  return {
    folder() {
      if (folder === undefined) folder = make()
      return folder
    },
    remove() {
      if (typeof folder === 'string') rmSync(folder, { recursive: true, force: true })
      folder = undefined
    },
  }
}

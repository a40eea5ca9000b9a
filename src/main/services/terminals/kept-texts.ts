/** The texts of terminals that ran under an earlier Plimsoll, one file each. The pty host writes them; here they are read and cleared away. */
import { mkdirSync } from 'node:fs'
import { readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { TerminalId } from '../../../core/result/ids.ts'

export interface KeptTexts {
  pathOf(terminalId: TerminalId): string
  /** Escape sequences for an empty terminal; undefined when nothing was kept. */
  read(terminalId: TerminalId): Promise<string | undefined>
  remove(terminalId: TerminalId): Promise<void>
  /** Takes away the files of all others. */
  removeOthers(terminalIds: ReadonlySet<string>): Promise<void>
}

const ENDING = '.txt'

export function createKeptTexts(dir: string): KeptTexts {
  try {
    mkdirSync(dir, { recursive: true, mode: 0o700 })
  } catch {
    // The store has said already that the folder can't be written; terminals run without their text being kept.
  }
  // Ids are made by us; whatever else one may hold stays inside the folder.
  const pathOf = (terminalId: string) => join(dir, `${terminalId.replaceAll(/[^\w-]/g, '_')}${ENDING}`)
  return {
    pathOf,
    read: (terminalId) => readFile(pathOf(terminalId), 'utf8').catch(() => undefined),
    remove: (terminalId) => rm(pathOf(terminalId), { force: true }).catch(() => {}),
    async removeOthers(terminalIds) {
      const kept = new Set([...terminalIds].map(pathOf))
      const names = await readdir(dir).catch(() => [])
      const others = names.map((name) => join(dir, name)).filter((path) => /\.txt(\.part)?$/.test(path) && !kept.has(path))
      await Promise.all(others.map((path) => rm(path, { force: true }).catch(() => {})))
    },
  }
}

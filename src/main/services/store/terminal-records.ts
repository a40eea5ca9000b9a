/** What is known of the terminals, so that they are on the list again after a restart. Their text lies in files of the terminals service. */
import type { TerminalId } from '../../../core/result/ids.ts'
import { type Terminal, terminalSchema } from '../../../core/terminal/terminal.ts'
import { isRunning, type ProcessIdentity } from '../../platform/process-table.ts'
import type { Db } from './database.ts'
import { parseJson } from './sweeps.ts'
import type { WriteBehind } from './write-behind.ts'

/** `startId` with the terminal's pid names the shell's process beyond doubt; null once it has ended. */
export type TerminalRecord = { readonly terminal: Terminal; readonly startId: string | null }

export interface TerminalRecords {
  saveTerminal(record: TerminalRecord): void
  removeTerminal(terminalId: TerminalId): void
  /** Oldest first; those that another live Plimsoll holds are not ours to show. */
  listTerminals(): TerminalRecord[]
}

export function createTerminalRecords({ db, behind, owner }: { db: Db; behind: WriteBehind; owner: ProcessIdentity }): TerminalRecords {
  const isForeign = (pid: unknown, startId: unknown) =>
    typeof pid === 'number' && !(pid === owner.pid && startId === owner.startId) && isRunning({ pid, startId: String(startId) })
  return {
    saveTerminal({ terminal, startId }) {
      behind.add(() =>
        db.run(
          'INSERT OR REPLACE INTO terminal (terminal_id, json, created_epoch_ms, start_id, owner_pid, owner_start) VALUES (?, ?, ?, ?, ?, ?)',
          ...[terminal.terminalId, JSON.stringify(terminal), terminal.createdEpochMs, startId, owner.pid, owner.startId],
        ),
      )
    },
    removeTerminal(terminalId) {
      behind.add(() => db.run('DELETE FROM terminal WHERE terminal_id = ?', terminalId))
    },
    listTerminals() {
      behind.flush()
      return db
        .rows('SELECT json, start_id, owner_pid, owner_start FROM terminal ORDER BY created_epoch_ms, terminal_id')
        .flatMap(([json, startId, ownerPid, ownerStart]) => {
          const terminal = terminalSchema.safeParse(parseJson(json))
          if (!terminal.success || isForeign(ownerPid, ownerStart)) return []
          return [{ terminal: terminal.data, startId: startId === null ? null : String(startId) }]
        })
    },
  }
}

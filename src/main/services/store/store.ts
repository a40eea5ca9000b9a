/**
 * What outlives a Plimsoll: sweeps, chats, latencies, terminals, settings, in one SQLite file that several Plimsolls may have open at once.
 * Writes are laid down together, at most 250 ms late; after `flush` answers ok nothing that was given is lost, whatever ends the process.
 */
import type { Problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import { ownIdentity } from '../../platform/process-table.ts'
import { type ChatStore, createChatStore, trimLatencies } from './chats.ts'
import { type Db, openDatabase } from './database.ts'
import { migrate } from './migrations.ts'
import { storageProblem } from './storage-problem.ts'
import { createSweepStore, markInterruptedSweeps, parseJson, type SweepStore } from './sweeps.ts'
import { createTerminalRecords, type TerminalRecords } from './terminal-records.ts'
import { createWriteBehind } from './write-behind.ts'

export type { TerminalRecord } from './terminal-records.ts'

export interface Store extends SweepStore, ChatStore, TerminalRecords {
  /** Path of the database file. */
  readonly path: string
  /** Settings and layouts by key; undefined when never set. The reader checks the shape. */
  getValue(key: string): unknown
  /** `undefined` removes the key. */
  setValue(key: string, value: unknown): void
  /** The list of sweeps is another now. Returns what stops it. */
  onSweepsChange(listener: () => void): () => void
  /** Why nothing can be written at present; null when all is well again. What was given meanwhile is kept in memory and tried again. */
  onProblem(listener: (problem: Problem | null) => void): () => void
  flush(): Result<void, Problem>
  close(): Promise<void>
}

export interface StoreDeps {
  /** The data folder; made when missing. */
  dir: string
  clock: Clock
  log: Log
}

function listeners<T>() {
  const all = new Set<(value: T) => void>()
  return {
    tell(value: T) {
      for (const listener of all) listener(value)
    },
    add(listener: (value: T) => void) {
      all.add(listener)
      return () => void all.delete(listener)
    },
  }
}

function prepare(db: Db, log: Log): Result<void, Problem> {
  const migrated = migrate(db)
  if (!migrated.ok) return migrated
  try {
    const interrupted = markInterruptedSweeps(db, log)
    if (interrupted > 0) log.info('Sweeps marked as interrupted', { interrupted })
    trimLatencies(db)
    return ok(undefined)
  } catch (cause) {
    const expected = storageProblem(cause, db.path)
    if (expected === undefined) throw cause
    return err(expected)
  }
}

export function openStore({ dir, clock, log }: StoreDeps): Result<Store, Problem> {
  const opened = openDatabase(dir)
  if (!opened.ok) return opened
  const db = opened.value
  const prepared = prepare(db, log)
  if (!prepared.ok) {
    db.close()
    return prepared
  }
  const problems = listeners<Problem | null>()
  const sweepsChanged = listeners<void>()
  const behind = createWriteBehind({
    ...{ db, clock, log },
    onProblem(problem) {
      if (problem !== null) log.error(problem.happened)
      problems.tell(problem)
    },
  })
  const owner = ownIdentity()
  return ok({
    path: db.path,
    ...createSweepStore({ db, behind, owner, log, changed: () => sweepsChanged.tell() }),
    ...createChatStore({ db, behind, log }),
    ...createTerminalRecords({ db, behind, owner }),
    getValue(key) {
      behind.flush()
      const row = db.rows('SELECT json FROM value WHERE key = ?', key)[0]
      return row && parseJson(row[0])
    },
    setValue(key, value) {
      const json = JSON.stringify(value)
      behind.add(() => {
        if (json === undefined) db.run('DELETE FROM value WHERE key = ?', key)
        else db.run('INSERT OR REPLACE INTO value (key, json) VALUES (?, ?)', key, json)
      })
    },
    onSweepsChange: sweepsChanged.add,
    onProblem: problems.add,
    flush: behind.flush,
    async close() {
      behind.close()
      db.close()
    },
  })
}

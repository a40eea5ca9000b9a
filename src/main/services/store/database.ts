/** Opens the one SQLite file, with the few verbs that the store needs of it. Knows no table. */
import { accessSync, constants, existsSync, mkdirSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import Database from 'libsql'
import type { Problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { corruptDatabase, storageProblem } from './storage-problem.ts'

export const DATABASE_FILE = 'plimsoll.db'

/** How long a statement waits for another process's write to end. Ours take a few milliseconds. */
const BUSY_TIMEOUT_MS = 5_000
/** quick_check reads the whole file, about 1 ms per MB; above this size it would hold up the start. */
const CHECK_UP_TO_BYTES = 128 * 1024 * 1024

export type Value = string | number | null

/** All verbs throw SQLite's errors; `storageProblem` tells which of them are expected. */
export interface Db {
  readonly path: string
  /** Several statements without values. */
  exec(sql: string): void
  /** @returns the row id of the last insert */
  run(sql: string, ...values: Value[]): number
  /** Values in the order of the columns asked for. */
  rows(sql: string, ...values: Value[]): Value[][]
  /** All or nothing, holding the write lock from the beginning: no other process changes anything in between. */
  write<T>(work: () => T): T
  close(): void
}

function wrap(path: string, raw: Database.Database): Db {
  const statements = new Map<string, Database.Statement<unknown[]>>()
  const prepared = (sql: string) => {
    const known = statements.get(sql)
    if (known !== undefined) return known
    const statement = raw.prepare<unknown[]>(sql)
    statements.set(sql, statement)
    return statement
  }
  return {
    path,
    exec: (sql) => void raw.exec(sql),
    run: (sql, ...values) => Number(prepared(sql).run(...values).lastInsertRowid),
    // `get` and `all` give objects, `get` with a key of libsql's own in them; raw rows are what was asked for.
    rows: (sql, ...values) =>
      prepared(sql)
        .raw()
        .all(...values) as Value[][],
    // Not libsql's own transaction(): when a full disk has rolled it back already, that one's rollback fails and hides why.
    write(work) {
      raw.exec('BEGIN IMMEDIATE')
      try {
        const value = work()
        raw.exec('COMMIT')
        return value
      } catch (cause) {
        if (raw.inTransaction) raw.exec('ROLLBACK')
        throw cause
      }
    },
    close() {
      if (!raw.open) return
      try {
        // The files beside the database stay behind otherwise. Another process that reads at this moment may prevent it; then it does it.
        raw.pragma('wal_checkpoint(TRUNCATE)')
      } catch {
        // What is in the log is safe there.
      }
      raw.close()
    },
  }
}

/** Step by step: Node's recursive mkdir never returns where the system answers "no such entry" for a name that can't be made (/proc). */
function makeFolder(dir: string): void {
  if (existsSync(dir)) return
  makeFolder(dirname(dir))
  try {
    mkdirSync(dir)
  } catch (cause) {
    // Another process was quicker.
    if (!existsSync(dir)) throw cause
  }
}

function checkFolder(dir: string, path: string): Result<void, Problem> {
  try {
    makeFolder(dir)
    accessSync(dir, constants.R_OK | constants.W_OK | constants.X_OK)
    if (existsSync(path)) accessSync(path, constants.R_OK | constants.W_OK)
    return ok(undefined)
  } catch (cause) {
    return err(storageProblem(cause, path) ?? corruptDatabase(path, String(cause)))
  }
}

/** @param dir is made when missing; a damaged file is left exactly as it is */
export function openDatabase(dir: string): Result<Db, Problem> {
  const path = join(dir, DATABASE_FILE)
  const folder = checkFolder(dir, path)
  if (!folder.ok) return folder
  let raw: Database.Database | undefined
  try {
    const sizeBytes = existsSync(path) ? statSync(path).size : 0
    raw = new Database(path)
    raw.pragma(`busy_timeout=${BUSY_TIMEOUT_MS}`)
    raw.pragma('journal_mode=WAL')
    raw.pragma('synchronous=NORMAL')
    if (sizeBytes > 0 && sizeBytes <= CHECK_UP_TO_BYTES) {
      const found = raw.prepare('PRAGMA quick_check(1)').raw().all() as Value[][]
      if (found[0]?.[0] !== 'ok') {
        raw.close()
        return err(corruptDatabase(path, String(found[0]?.[0])))
      }
    }
    return ok(wrap(path, raw))
  } catch (cause) {
    raw?.close()
    const expected = storageProblem(cause, path)
    if (expected === undefined) throw cause
    return err(expected)
  }
}

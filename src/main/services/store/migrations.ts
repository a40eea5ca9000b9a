/** The database's shape, grown step by step. A step that was ever released is never edited: a new one is added. */
import type { Problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Db } from './database.ts'
import { newerDatabase, storageProblem } from './storage-problem.ts'

/** Step n brings a database of version n-1 (`user_version`) to version n; the first brings an empty one to 1. */
export const MIGRATIONS: readonly string[] = [
  // 1: sweeps with their events, and values by key. AUTOINCREMENT: a deleted sweep's number is never given again.
  `CREATE TABLE sweep (
     number INTEGER PRIMARY KEY AUTOINCREMENT,
     sweep_id TEXT NOT NULL UNIQUE,
     started_epoch_ms REAL NOT NULL,
     duration_ms REAL NOT NULL DEFAULT 0,
     status TEXT NOT NULL DEFAULT 'running',
     target_label TEXT NOT NULL,
     simulated INTEGER NOT NULL,
     levels TEXT NOT NULL,
     sessions INTEGER NOT NULL DEFAULT 0,
     cells_done INTEGER NOT NULL DEFAULT 0,
     cells_planned INTEGER NOT NULL,
     verdict TEXT,
     ceiling TEXT NOT NULL DEFAULT '–',
     event_format INTEGER NOT NULL,
     owner_pid INTEGER,
     owner_start TEXT
   );
   CREATE TABLE sweep_event (
     id INTEGER PRIMARY KEY,
     sweep INTEGER NOT NULL REFERENCES sweep(number),
     json TEXT NOT NULL
   );
   CREATE INDEX sweep_event_of ON sweep_event(sweep);
   CREATE TABLE value (key TEXT PRIMARY KEY, json TEXT NOT NULL) WITHOUT ROWID;`,
  // 2: chats with their events, and the latencies of all turns.
  `CREATE TABLE chat (
     session_id TEXT PRIMARY KEY,
     title TEXT NOT NULL,
     created_epoch_ms REAL NOT NULL,
     last_activity_epoch_ms REAL NOT NULL,
     settings TEXT NOT NULL
   ) WITHOUT ROWID;
   CREATE TABLE session_event (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL, json TEXT NOT NULL);
   CREATE INDEX session_event_of ON session_event(session_id);
   CREATE TABLE turn_latency (id INTEGER PRIMARY KEY, json TEXT NOT NULL);`,
  // 3: terminals, with the identity of the shell and of the Plimsoll that holds it.
  `CREATE TABLE terminal (
     terminal_id TEXT PRIMARY KEY,
     json TEXT NOT NULL,
     created_epoch_ms REAL NOT NULL,
     start_id TEXT,
     owner_pid INTEGER,
     owner_start TEXT
   ) WITHOUT ROWID;`,
]

const databaseVersion = (db: Db): number => Number(db.rows('PRAGMA user_version')[0]?.[0] ?? 0)

/** Brings the database to the newest version, in one transaction: whatever happens, it is wholly old or wholly new. */
export function migrate(db: Db, migrations: readonly string[] = MIGRATIONS): Result<{ from: number; to: number }, Problem> {
  const newest = migrations.length
  const from = databaseVersion(db)
  if (from > newest) return err(newerDatabase(db.path, from, newest))
  if (from === newest) return ok({ from, to: newest })
  try {
    db.write(() => {
      // Another process may have done it while this one waited for the lock.
      for (let version = databaseVersion(db); version < newest; version++) db.exec(migrations[version] ?? '')
      db.exec(`PRAGMA user_version=${newest}`)
    })
    return ok({ from, to: newest })
  } catch (cause) {
    const expected = storageProblem(cause, db.path)
    if (expected === undefined) throw cause
    return err(expected)
  }
}

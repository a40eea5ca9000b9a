/** Sweeps and their events: the events are the sweep; the row beside them is what a list needs. */

import type { SweepId } from '../../../core/result/ids.ts'
import type { Problem } from '../../../core/result/problem.ts'
import { problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { type SweepEvent, sweepEventSchema } from '../../../core/sweep/sweep-event.ts'
import { type SweepListRow, type SweepOpening, type SweepSummary, sweepListRowSchema } from '../../../core/sweep/sweep-list-row.ts'
import type { Log } from '../../platform/log.ts'
import { isRunning, type ProcessIdentity } from '../../platform/process-table.ts'
import type { Db, Value } from './database.ts'
import { storageProblem } from './storage-problem.ts'
import type { WriteBehind } from './write-behind.ts'

/** Shape of the stored events. When it grows, `readEvents` raises older ones step by step. */
const EVENT_FORMAT = 1

export interface SweepStore {
  /** @returns its running number, never given before */
  createSweep(opening: SweepOpening): Result<number, Problem>
  appendSweepEvents(sweepId: SweepId, events: readonly SweepEvent[]): void
  /** In the order they happened; none for a sweep that is not known. */
  readSweepEvents(sweepId: SweepId): SweepEvent[]
  /** Newest first. */
  listSweeps(): SweepListRow[]
  finishSweep(sweepId: SweepId, summary: SweepSummary): void
  /**
   * A sweep that was measured elsewhere, whole or not at all. One that is here already stays as it is.
   * @returns whether it was not here before
   */
  importSweep(opening: SweepOpening, events: readonly SweepEvent[], summary: SweepSummary): Result<{ isNew: boolean }, Problem>
  /** An ended sweep runs again, in this process; its verdict waits for the new end. */
  reopenSweep(sweepId: SweepId): Result<void, Problem>
  /** The sweep and its events are gone when this answers ok. */
  removeSweep(sweepId: SweepId): Result<void, Problem>
}

type Deps = { db: Db; behind: WriteBehind; owner: ProcessIdentity; log: Log; changed: () => void }

const OF_SWEEP = '(SELECT number FROM sweep WHERE sweep_id = ?)'

export function createSweepStore({ db, behind, owner, log, changed }: Deps): SweepStore {
  const finish = (sweepId: SweepId, { status, durationMs, verdict, ceiling, levels }: SweepSummary) => {
    db.run(
      'UPDATE sweep SET status = ?, duration_ms = ?, verdict = ?, ceiling = ?, owner_pid = NULL, owner_start = NULL WHERE sweep_id = ?',
      ...[status, durationMs, verdict && JSON.stringify(verdict), ceiling, sweepId],
    )
    if (levels !== undefined) db.run('UPDATE sweep SET levels = ? WHERE sweep_id = ?', JSON.stringify(levels), sweepId)
  }
  return {
    importSweep(opening, events, summary) {
      const { sweepId } = opening
      const flushed = behind.flush()
      if (!flushed.ok) return flushed
      try {
        const isNew = db.write(() => {
          if (db.rows('SELECT 1 FROM sweep WHERE sweep_id = ?', sweepId).length > 0) return false
          insertSweep(db, opening, owner)
          for (const event of events) insertEvent(db, sweepId, event)
          finish(sweepId, summary)
          return true
        })
        if (isNew) changed()
        return ok({ isNew })
      } catch (cause) {
        const expected = storageProblem(cause, db.path)
        if (expected === undefined) throw cause
        return err(expected)
      }
    },
    createSweep(opening) {
      try {
        const number = db.write(() => insertSweep(db, opening, owner))
        changed()
        return ok(number)
      } catch (cause) {
        const expected = storageProblem(cause, db.path)
        if (expected === undefined) throw cause
        return err(expected)
      }
    },
    appendSweepEvents(sweepId, events) {
      for (const event of events) behind.add(() => insertEvent(db, sweepId, event))
      if (events.some(({ type }) => type === 'cell-ended')) changed()
    },
    readSweepEvents(sweepId) {
      behind.flush()
      return readEvents(db, sweepId, log)
    },
    listSweeps() {
      behind.flush()
      return db.rows(`SELECT ${LIST_COLUMNS} FROM sweep ORDER BY number DESC`).flatMap((row) => readListRow(row, log) ?? [])
    },
    finishSweep(sweepId, summary) {
      behind.add(() => finish(sweepId, summary))
      changed()
    },
    reopenSweep(sweepId) {
      behind.add(() =>
        db.run(
          "UPDATE sweep SET status = 'running', verdict = NULL, owner_pid = ?, owner_start = ? WHERE sweep_id = ?",
          ...[owner.pid, owner.startId, sweepId],
        ),
      )
      const flushed = behind.flush()
      if (flushed.ok) changed()
      return flushed
    },
    removeSweep(sweepId) {
      behind.add(() => {
        db.run(`DELETE FROM sweep_event WHERE sweep = ${OF_SWEEP}`, sweepId)
        db.run('DELETE FROM sweep WHERE sweep_id = ?', sweepId)
      })
      const flushed = behind.flush()
      if (flushed.ok) changed()
      return flushed
    },
  }
}

/** @returns its running number */
function insertSweep(db: Db, o: SweepOpening, owner: ProcessIdentity): number {
  return db.run(
    `INSERT INTO sweep (sweep_id, started_epoch_ms, target_label, simulated, levels, cells_planned, event_format, owner_pid, owner_start)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    ...[o.sweepId, o.startedEpochMs, o.targetLabel, Number(o.simulated), JSON.stringify(o.levels), o.cellsPlanned],
    ...[EVENT_FORMAT, owner.pid, owner.startId],
  )
}

/** Events of a sweep that was removed meanwhile fall to the ground. */
function insertEvent(db: Db, sweepId: SweepId, event: SweepEvent): void {
  db.run('INSERT INTO sweep_event (sweep, json) SELECT number, ? FROM sweep WHERE sweep_id = ?', JSON.stringify(event), sweepId)
  const [sessions, cells] = [Number(event.type === 'turn-ended'), Number(event.type === 'cell-ended')]
  const planned = Number(event.type === 'cell-added') - Number(event.type === 'cell-skipped')
  if (sessions + cells === 0 && planned === 0) return
  db.run(
    `UPDATE sweep SET sessions = sessions + ?, cells_done = cells_done + ?, cells_planned = cells_planned + ?, duration_ms = max(duration_ms, ?)
     WHERE sweep_id = ?`,
    ...[sessions, cells, planned, event.atMs, sweepId],
  )
}

function readEvents(db: Db, sweepId: SweepId, log: Log): SweepEvent[] {
  const events: SweepEvent[] = []
  for (const [json] of db.rows(`SELECT json FROM sweep_event WHERE sweep = ${OF_SWEEP} ORDER BY id`, sweepId)) {
    const event = sweepEventSchema.safeParse(parseJson(json))
    if (event.success) events.push(event.data)
    else log.error(`An event of sweep ${sweepId} can't be read and is left out`, event.error)
  }
  return events
}

const LIST_COLUMNS =
  'sweep_id, number, started_epoch_ms, duration_ms, status, target_label, simulated, levels, sessions, verdict, ceiling, cells_done, cells_planned'

function readListRow(row: Value[], log: Log): SweepListRow | undefined {
  const [sweepId, number, startedEpochMs, durationMs, status, targetLabel, simulated, levels, sessions, verdict, ceiling, cellsDone, cellsPlanned] =
    row
  const read = sweepListRowSchema.safeParse({
    ...{ sweepId, number, startedEpochMs, durationMs, status, targetLabel, simulated: simulated === 1, levels: parseJson(levels) },
    ...{ sessions, verdict: verdict === null ? null : parseJson(verdict), ceiling, cellsDone, cellsPlanned },
  })
  if (!read.success) log.error(`Sweep ${String(sweepId)} can't be read`, read.error)
  return read.data
}

/** @returns undefined for text that is no JSON: a damaged record must not hide its neighbours */
export function parseJson(text: Value | undefined): unknown {
  try {
    return JSON.parse(String(text))
  } catch {
    return undefined
  }
}

/**
 * Gives each sweep whose Plimsoll is gone its last event, so that it never reads as running. One that another live process runs is left alone.
 * @returns how many
 */
export function markInterruptedSweeps(db: Db, log: Log): number {
  const open = db.rows("SELECT sweep_id, owner_pid, owner_start FROM sweep WHERE status = 'running'")
  const orphaned = open.filter(([, pid, startId]) => !(pid && isRunning({ pid: Number(pid), startId: String(startId) })))
  for (const [id] of orphaned) db.write(() => markInterrupted(db, String(id) as SweepId, log))
  return orphaned.length
}

function markInterrupted(db: Db, sweepId: SweepId, log: Log): void {
  // Another process may have been quicker.
  if (db.rows("SELECT 1 FROM sweep WHERE sweep_id = ? AND status = 'running'", sweepId).length === 0) return
  const events = readEvents(db, sweepId, log)
  const last = events.findLast((event) => event.type === 'sweep-ended' || event.type === 'sweep-resumed')
  const end = last?.type === 'sweep-ended' ? last : undefined
  const atMs = events.reduce((latest, event) => Math.max(latest, event.atMs), 0)
  if (end === undefined) {
    const reason = problem(
      'sweep-interrupted',
      'Plimsoll ended while this sweep ran.',
      '',
      'What was measured until then is kept; run the sweep again for the rest.',
    )
    insertEvent(db, sweepId, { type: 'sweep-ended', atMs, outcome: 'interrupted', problem: reason })
  }
  const status = end?.outcome ?? 'interrupted'
  db.run('UPDATE sweep SET status = ?, duration_ms = ?, owner_pid = NULL, owner_start = NULL WHERE sweep_id = ?', status, atMs, sweepId)
}

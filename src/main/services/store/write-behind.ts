/**
 * Gathers writes and lays them down together: one transaction per 250 ms or 200 writes, in the order they came.
 * What the disk refuses is kept and tried again; what the database itself refuses is a bug, logged and left out, so that it can't block the rest.
 */
import type { Problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'
import type { Db } from './database.ts'
import { storageProblem } from './storage-problem.ts'

const MAX_WAIT_MS = 250
const MAX_WRITES = 200
const RETRY_MS = 1_000

export interface WriteBehind {
  /** Runs `write` later, inside a transaction. Never throws, never waits. */
  add(write: () => void): void
  /** All that was added is on disk when this answers ok. */
  flush(): Result<void, Problem>
  /** Flushes and stops the timer. */
  close(): Result<void, Problem>
}

export function createWriteBehind(deps: { db: Db; clock: Clock; log: Log; onProblem: (problem: Problem | null) => void }): WriteBehind {
  const { db, clock, log, onProblem } = deps
  let waiting: Array<() => void> = []
  let cancelTimer: (() => void) | undefined
  let failing = false

  const arm = (delayMs: number) => {
    cancelTimer ??= clock.after(delayMs, () => {
      cancelTimer = undefined
      flush()
    })
  }
  const disarm = () => {
    cancelTimer?.()
    cancelTimer = undefined
  }
  const settle = (problem: Problem | null) => {
    if (failing === (problem !== null)) return
    failing = problem !== null
    onProblem(problem)
  }

  /** One by one, so that only those that can't be written are left out. */
  function writeSingly(writes: ReadonlyArray<() => void>): void {
    for (const write of writes) {
      try {
        db.write(write)
      } catch (cause) {
        if (storageProblem(cause, db.path) !== undefined) throw cause
        log.error('A record was refused by the database and left out', cause)
      }
      waiting.shift()
    }
  }

  function flush(): Result<void, Problem> {
    disarm()
    if (waiting.length === 0) return ok(undefined)
    const writes = waiting
    try {
      try {
        db.write(() => {
          for (const write of writes) write()
        })
        waiting = []
      } catch (cause) {
        if (storageProblem(cause, db.path) !== undefined) throw cause
        writeSingly([...writes])
      }
      settle(null)
      return ok(undefined)
    } catch (cause) {
      const expected = storageProblem(cause, db.path)
      if (expected === undefined) throw cause
      settle(expected)
      arm(RETRY_MS)
      return err(expected)
    }
  }

  return {
    add(write) {
      waiting.push(write)
      if (failing) return
      if (waiting.length >= MAX_WRITES) flush()
      else arm(MAX_WAIT_MS)
    },
    flush,
    close() {
      const result = flush()
      disarm()
      if (!result.ok) log.error(`${result.error.happened} What came last is not stored; what was stored before is safe.`)
      return result
    },
  }
}

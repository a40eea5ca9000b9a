/** A bug that was caught at the edge: goes to the log under an id; the page is told the id only. */
import { randomBytes } from 'node:crypto'
import type { Log } from '../platform/log.ts'

export const reportBugTo =
  (log: Log) =>
  (path: string, cause: unknown): string => {
    const id = `bug-${randomBytes(4).toString('hex')}`
    log.error(`${id} in ${path}`, cause)
    return id
  }

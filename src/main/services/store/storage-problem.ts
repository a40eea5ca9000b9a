/** What can go wrong with a file on a disk, as a person reads it. Pure. */
import { dirname } from 'node:path'
import { type Problem, problem } from '../../../core/result/problem.ts'

export function corruptDatabase(path: string, detail: string): Problem {
  return problem(
    'database-corrupt',
    `The database ${path} is damaged or is no Plimsoll database (${detail}).`,
    'A database that Plimsoll wrote was expected there. Nothing in it was changed or deleted.',
    `Move the file and those beside it that begin with the same name elsewhere to begin anew, or start with --data and another folder; "sqlite3 FILE .recover" may save what is in it.`,
  )
}

export function newerDatabase(path: string, version: number, known: number): Problem {
  return problem(
    'database-newer',
    `The database ${path} was written by a newer Plimsoll (its version is ${version}).`,
    `This Plimsoll knows versions up to ${known}. Nothing was changed.`,
    'Start the newer Plimsoll, or start with --data and another folder.',
  )
}

const unwritable = (path: string, code: string): Problem =>
  problem(
    'data-folder-unwritable',
    `Plimsoll can't write to its data folder ${dirname(path)} (${code}).`,
    'A folder that it may read and write was expected.',
    'Change the rights of the folder, or start with --data and another folder.',
  )

const diskFull = (path: string): Problem =>
  problem(
    'disk-full',
    `There is no room left to write ${path}.`,
    'What was stored before is safe.',
    'Make room on that disk, or start with --data and a folder on another one.',
  )

const busy = (path: string): Problem =>
  problem(
    'database-busy',
    `Another program holds the database ${path} and did not let go of it for 5 s.`,
    '',
    'Close the program that has it open (another Plimsoll, an SQLite browser, a backup), then try again.',
  )

const diskError = (path: string, code: string): Problem =>
  problem(
    'disk-error',
    `The disk refused to read or write ${path} (${code}).`,
    'What was stored before is left as it is.',
    'Check the disk, or start with --data and a folder on another one.',
  )

/** libsql's message for SQLITE_CANTOPEN when the file itself can't be opened; its code is empty. */
const CANT_OPEN = /ConnectionFailed.*: 14"/

/** @returns undefined when the error is none that files and disks cause: then it is a bug */
export function storageProblem(cause: unknown, path: string): Problem | undefined {
  if (!(cause instanceof Error)) return undefined
  const code = (cause as { code?: unknown }).code
  if (typeof code !== 'string' || code === '') return CANT_OPEN.test(cause.message) ? unwritable(path, 'can’t be opened') : undefined
  if (/^SQLITE_(NOTADB|CORRUPT)/.test(code)) return corruptDatabase(path, cause.message)
  if (/^(SQLITE_FULL|ENOSPC|EDQUOT)/.test(code)) return diskFull(path)
  if (/^SQLITE_(BUSY|LOCKED)/.test(code)) return busy(path)
  if (/^(SQLITE_IOERR|EIO)/.test(code)) return diskError(path, code)
  if (/^(SQLITE_(READONLY|CANTOPEN|PERM)|EACCES|EPERM|EROFS|ENOTDIR|ENOENT|EEXIST|ELOOP|ENAMETOOLONG)/.test(code)) return unwritable(path, code)
  return undefined
}

/** The report as a file: its name, its folder, and writing it whole or not at all. */
import { randomBytes } from 'node:crypto'
import { constants } from 'node:fs'
import { access, mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import { fileDate } from './format-date.ts'

/** `sweep-7-2026-11-30.html`; without a running number by its id. */
export function reportFileName(number: number | undefined, state: Pick<SweepState, 'startedEpochMs'> & { plan: { sweepId: string } }): string {
  const name = number ?? state.plan.sweepId.replace(/[^A-Za-z0-9-]+/g, '-')
  return `sweep-${name}-${fileDate(state.startedEpochMs)}.html`
}

/** Looks before a long sweep whether the report can be written at its end. Makes the folder. */
export async function checkReportPath(path: string): Promise<Result<void, Problem>> {
  const file = resolve(path)
  try {
    await makeFolder(dirname(file))
    await access(dirname(file), constants.W_OK)
    if ((await stat(file).catch(() => undefined))?.isDirectory() === true) return err(isFolder(file))
    return ok(undefined)
  } catch (cause) {
    return err(cannotWrite(file, cause, 'Give another file, or none: then it goes to the data folder.'))
  }
}

/** @returns the file's full path. An earlier report of that name is replaced only by a whole one. */
export async function writeReport(path: string, html: string): Promise<Result<string, Problem>> {
  const file = resolve(path)
  const draft = join(dirname(file), `.${basename(file)}.${randomBytes(4).toString('hex')}`)
  try {
    await makeFolder(dirname(file))
    await writeFile(draft, html)
    await rename(draft, file)
    return ok(file)
  } catch (cause) {
    await rm(draft, { force: true }).catch(() => {})
    // The data folder is mostly on the same disk: what it had no room for is not kept either.
    return err(cannotWrite(file, cause, (cause as NodeJS.ErrnoException).code === 'ENOSPC' ? FULL : KEPT))
  }
}

const FULL = 'Make room on that disk; `plimsoll report last --out FILE` then writes what the data folder had room for.'
const KEPT = 'What was measured is kept in the data folder: `plimsoll report last --out FILE` writes it elsewhere.'

/** With its parents, one by one: where a folder can't be made (`/proc/x`), Node's own recursive mkdir tries for ever. */
async function makeFolder(path: string): Promise<void> {
  const there = await stat(path).catch(() => undefined)
  if (there?.isDirectory() === true) return
  if (dirname(path) !== path) await makeFolder(dirname(path))
  await mkdir(path).catch(async (cause: unknown) => {
    // Somebody else may have made it meanwhile.
    if ((await stat(path).catch(() => undefined))?.isDirectory() !== true) throw cause
  })
}

const isFolder = (file: string) =>
  problem('report-unwritable', `${file} is a folder.`, 'Expected the name of a file for the report.', `For example: ${join(file, 'report.html')}`)

const REASONS: Readonly<Record<string, string>> = {
  EACCES: 'writing there is not allowed',
  EPERM: 'writing there is not allowed',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  ENOTDIR: 'a part of the path is a file, not a folder',
  EEXIST: 'a part of the path is a file, not a folder',
  EISDIR: 'it is a folder',
  ENOENT: 'no folder can be made there',
}

function cannotWrite(file: string, cause: unknown, todo: string): Problem {
  const code = cause instanceof Error ? (cause as NodeJS.ErrnoException).code : undefined
  const reason = code === undefined ? String(cause) : (REASONS[code] ?? code)
  return problem('report-unwritable', `The report can't be written to ${file}: ${reason}.`, '', todo)
}

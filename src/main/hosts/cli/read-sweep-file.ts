/** A report file from disk, as text: what can go wrong with a path gets a sentence. */
import { readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { LARGEST_REPORT_CHARS } from '../../../core/report/read-report-file.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'

export type SweepFile = { readonly fileName: string; readonly content: string }

/** @param path a file that should be there */
export async function readSweepFile(path: string): Promise<Result<SweepFile, Problem>> {
  const fileName = basename(path)
  try {
    const found = await stat(path)
    if (found.isDirectory()) return err(unreadable(path, 'it is a folder'))
    // Not even read: a disk image given by mistake would fill the memory.
    if (found.size > LARGEST_REPORT_CHARS) return err(unreadable(path, `it has ${Math.round(found.size / 1e6)} MB, which is too large for a report`))
    return ok({ fileName, content: await readFile(path, 'utf8') })
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code
    return err(
      unreadable(path, code === 'ENOENT' ? 'there is no such file' : code === 'EACCES' ? 'reading it is not allowed' : (code ?? String(cause))),
    )
  }
}

const unreadable = (path: string, why: string) =>
  problem(
    'report-unreadable',
    `${path} can't be read: ${why}.`,
    'Expected a report that Plimsoll wrote (HTML), or the raw data saved from one (JSON).',
    'Check the path; `plimsoll list` shows the sweeps that are stored.',
  )

/** Whether what was given to a command means a file rather than a stored sweep. */
export const looksLikeFile = (which: string): boolean => /[/\\]/.test(which) || /\.(html?|json)$/i.test(which)

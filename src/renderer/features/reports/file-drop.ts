/** Files that a person drops or picks: their texts, and what can't be read. */
import { type Problem, problem } from '../../../core/result/problem.ts'

export type ReadFile = { readonly name: string; readonly text: string }

/** Larger files are no tables of levels. */
const MOST_BYTES = 64 * 1024 * 1024
const MOST_FILES = 500

/** A report of ours: its sweep can be taken back whole. */
export const isReport = ({ text }: ReadFile): boolean => text.includes('id="raw-data"')

/** More than this does not pass to main in one piece; such a report is judged here instead. */
export const MOST_IMPORT_CHARS = 7_000_000

/** Names keep the folders they came with, so that the files of one run are known as such. */
export async function readDropped(files: readonly File[]): Promise<{ files: ReadFile[]; problems: Problem[] }> {
  const problems: Problem[] = []
  const read: ReadFile[] = []
  for (const file of files.slice(0, MOST_FILES)) {
    const name = file.webkitRelativePath || file.name
    if (file.size > MOST_BYTES) {
      problems.push(
        problem(
          'file-too-large',
          `${name} is larger than 64 MB.`,
          'A table of levels, a result file or a report was expected.',
          'Give the summary file, not the trace.',
        ),
      )
      continue
    }
    try {
      read.push({ name, text: await file.text() })
    } catch {
      problems.push(
        problem('file-unreadable', `${name} can't be read.`, 'A file was expected; folders can be picked, not dropped.', 'Drop the files in it.'),
      )
    }
  }
  return { files: read, problems }
}

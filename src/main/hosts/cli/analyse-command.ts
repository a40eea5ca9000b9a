/** `plimsoll analyse FILE…`: what others measured, judged. Reads files and folders, starts nothing else. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { analyseFiles } from '../../../core/analysis/tables/analyse-files.ts'
import type { FileIn } from '../../../core/analysis/tables/read-files.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { analysisLines } from './analyse-text.ts'
import type { CliIo } from './cli-io.ts'
import { EXIT } from './exit-codes.ts'
import { printProblems } from './print-problem.ts'

export type AnalyseFlags = { json?: boolean }

/** Larger files are no tables of levels; reading them would only fill the memory. */
const MOST_BYTES = 64 * 1024 * 1024
/** A folder of results, not a disk. */
const MOST_FILES = 2000
const READABLE = /\.(json|jsonl|ndjson|csv|tsv|md|txt|html?)$/i

export async function analyseCommand(
  paths: readonly string[],
  flags: AnalyseFlags,
  io: CliIo,
  readInput: () => Promise<string> = standardInput,
): Promise<number> {
  const problems: Problem[] = []
  const files: FileIn[] = []
  for (const path of paths) {
    if (path === '-') files.push({ name: 'standard input', text: await readInput() })
    else files.push(...readPath(path, problems))
  }
  const isFolder = paths.some((path) => path !== '-' && isDirectory(path))
  const { tables, problems: unread } = analyseFiles(files)
  // A folder may hold anything; what was named must be readable.
  printProblems(io, [...problems, ...(isFolder && tables.length > 0 ? [] : unread)])
  if (tables.length === 0) {
    if (problems.length + unread.length === 0)
      printProblems(io, [
        problem(
          'table-missing',
          'Nothing was given that could be read.',
          'Expected a table as CSV, Markdown or JSON, or a folder of them.',
          'For example: plimsoll analyse results.csv',
        ),
      ])
    return EXIT.failed
  }
  if (flags.json === true) io.out(`${JSON.stringify(tables.length === 1 ? tables[0] : tables, null, 2)}\n`)
  else io.out(`${tables.map((table) => analysisLines(table, io.columns).join('\n')).join('\n\n')}\n`)
  return problems.length + (isFolder ? 0 : unread.length) === 0 ? EXIT.done : EXIT.failed
}

async function standardInput(): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString('utf8')
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false
}

function readPath(path: string, problems: Problem[]): FileIn[] {
  const at = statSync(path, { throwIfNoEntry: false })
  if (at === undefined) {
    problems.push(
      problem('file-missing', `There is no file or folder ${path}.`, '', 'Give the path of a table, of a result file, or of a folder of them.'),
    )
    return []
  }
  if (!at.isDirectory()) return readOne(path, at.size, problems)
  const names = readdirSync(path, { recursive: true, encoding: 'utf8' })
    .filter((name) => READABLE.test(name) && !/(^|[/\\])(node_modules|\.git)[/\\]/.test(name))
    .toSorted()
  if (names.length > MOST_FILES)
    problems.push(
      problem(
        'folder-too-large',
        `${path} holds ${names.length} files; the first ${MOST_FILES} are read.`,
        '',
        'Name a folder that holds only results.',
      ),
    )
  return names.slice(0, MOST_FILES).flatMap((name) => {
    const file = join(path, name)
    const own = statSync(file, { throwIfNoEntry: false })
    return own?.isFile() === true ? readOne(file, own.size, problems) : []
  })
}

function readOne(path: string, bytes: number, problems: Problem[]): FileIn[] {
  if (bytes > MOST_BYTES) {
    problems.push(
      problem(
        'file-too-large',
        `${path} has ${Math.round(bytes / 1e6)} MB.`,
        `At most ${Math.round(MOST_BYTES / 1e6)} MB are read.`,
        'Give the summary instead of the raw records.',
      ),
    )
    return []
  }
  try {
    return [{ name: path, text: readFileSync(path, 'utf8') }]
  } catch (error) {
    problems.push(
      problem(
        'file-unreadable',
        `${path} could not be read: ${error instanceof Error ? error.message : String(error)}.`,
        '',
        'Check its permissions.',
      ),
    )
    return []
  }
}

/** The tools that a chat model may use in its workspace folder: list, read, search. They read only, stay inside, and bound what they give. */
import { constants } from 'node:fs'
import { type FileHandle, open, readdir, realpath, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Tool } from 'ollama'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { resolveInside } from './workspace-path.ts'
import { searchFiles } from './workspace-search.ts'

export interface ToolAnswer {
  readonly ok: boolean
  /** One line for people. */
  readonly summary: string
  /** What the model is told. */
  readonly output: string
}

export interface WorkspaceTools {
  readonly definitions: Tool[]
  run(name: string, input: Readonly<Record<string, unknown>>, signal: AbortSignal): Promise<ToolAnswer>
}

/** What one call of a tool may put into the model's context. */
const OUTPUT_LIMIT_CHARS = 16_000
const LIST_LIMIT = 500
const FILE_LIMIT_BYTES = 10_000_000
/** So much of a file is looked at to tell text from bytes. */
const PROBE_BYTES = 8_192

const path = { type: 'string', description: 'Path inside the workspace, with forward slashes. Empty or "." is the workspace itself.' }

const DEFINITIONS: Tool[] = [
  tool('list_files', 'List the files and folders in one folder of the workspace.', { path }, []),
  tool(
    'read_file',
    'Read a text file of the workspace. Long files come in parts: give the line to begin with.',
    { path, from_line: { type: 'integer', description: 'Line to begin with, counted from 1.' } },
    ['path'],
  ),
  tool(
    'search_files',
    'Find the lines of files in the workspace that contain a text, upper and lower case alike.',
    { text: { type: 'string', description: 'The text to find, as it stands; no pattern.' }, path },
    ['text'],
  ),
]

export async function openWorkspaceTools(folder: string): Promise<Result<WorkspaceTools, Problem>> {
  let root: string
  try {
    root = await realpath(folder)
    if (!(await stat(root)).isDirectory()) throw new Error('not a folder')
  } catch {
    return err(
      problem(
        'workspace-missing',
        `${folder} is not a folder that can be read.`,
        'A folder for the tools to read was expected.',
        'Choose another workspace folder.',
      ),
    )
  }
  return ok({
    definitions: DEFINITIONS,
    async run(name, input, signal) {
      try {
        switch (name) {
          case 'list_files':
            return await listFiles(root, textIn(input.path))
          case 'read_file':
            return await readFile(root, textIn(input.path), Math.max(1, Math.trunc(Number(input.from_line ?? 1)) || 1))
          case 'search_files':
            return await search(root, textIn(input.text), textIn(input.path), signal)
          default:
            return refused(`There is no tool ${name}. There are list_files, read_file and search_files.`)
        }
      } catch (error) {
        // The disk's own refusals: no permission, gone in the meantime, too many links.
        const code = (error as NodeJS.ErrnoException).code
        if (code === undefined) throw error
        return refused(`That could not be read (${code}).`)
      }
    },
  })
}

async function listFiles(root: string, path: string): Promise<ToolAnswer> {
  const at = await resolveInside(root, path)
  if (!at.ok) return refused(at.error)
  if (!(await stat(at.value.absolute)).isDirectory()) return refused(`${path} is a file; read_file reads it.`)
  const entries = (await readdir(at.value.absolute, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1))
  const lines = await Promise.all(
    entries.slice(0, LIST_LIMIT).map(async (entry) => {
      if (entry.isDirectory()) return `${entry.name}/`
      if (!entry.isFile()) return `${entry.name} (link or special file)`
      const size = await stat(join(at.value.absolute, entry.name)).catch(() => undefined)
      return `${entry.name} (${size?.size ?? '?'} bytes)`
    }),
  )
  const more = entries.length > LIST_LIMIT ? `\n… and ${entries.length - LIST_LIMIT} more` : ''
  return {
    ok: true,
    summary: `${entries.length} ${entries.length === 1 ? 'entry' : 'entries'} in ${at.value.shown || 'the workspace'}`,
    output: lines.length === 0 ? 'The folder is empty.' : clip(lines.join('\n')) + more,
  }
}

async function readFile(root: string, path: string, fromLine: number): Promise<ToolAnswer> {
  const at = await resolveInside(root, path)
  if (!at.ok) return refused(at.error)
  const info = await stat(at.value.absolute)
  if (info.isDirectory()) return refused(`${path} is a folder; list_files lists it.`)
  // A pipe or device would hold the tool for ever.
  if (!info.isFile()) return refused(`${path} is not a regular file.`)
  if (info.size > FILE_LIMIT_BYTES) return refused(`${path} is too large to read (${info.size} bytes).`)
  // The path is free of links by now: one that was put there since is not followed.
  const file = await open(at.value.absolute, constants.O_RDONLY | constants.O_NOFOLLOW)
  try {
    if (await isBinary(file)) return refused(`${path} is no text file (${info.size} bytes).`)
    return await readLines(file, at.value.shown, fromLine)
  } finally {
    await file.close()
  }
}

async function readLines(file: FileHandle, shown: string, fromLine: number): Promise<ToolAnswer> {
  const taken: string[] = []
  let chars = 0
  let line = 0
  let more = false
  for await (const text of file.readLines({ start: 0, autoClose: false })) {
    line += 1
    if (line < fromLine) continue
    if (chars + text.length > OUTPUT_LIMIT_CHARS) {
      // One line longer than the limit is cut, so that the reader always comes forward.
      if (taken.length === 0) taken.push(text.slice(0, OUTPUT_LIMIT_CHARS))
      more = true
      break
    }
    taken.push(text)
    chars += text.length + 1
  }
  if (taken.length === 0)
    return { ok: true, summary: `nothing from line ${fromLine} on in ${shown}`, output: `The file ends before line ${fromLine}.` }
  const lastLine = fromLine + taken.length - 1
  return {
    ok: true,
    summary: `lines ${fromLine} to ${lastLine} of ${shown}`,
    output: taken.join('\n') + (more ? `\n… the file goes on: read it from line ${lastLine + 1}` : ''),
  }
}

async function search(root: string, text: string, path: string, signal: AbortSignal): Promise<ToolAnswer> {
  if (text.trim() === '') return refused('A text to find was expected.')
  const at = await resolveInside(root, path)
  if (!at.ok) return refused(at.error)
  const found = await searchFiles(root, at.value.absolute, text, signal)
  const where = at.value.shown === '' ? 'the workspace' : at.value.shown
  const lines = found.hits.map((hit) => `${hit.path}:${hit.line}: ${hit.text}`)
  return {
    ok: true,
    summary: `${found.hits.length}${found.complete ? '' : ' or more'} ${found.hits.length === 1 ? 'hit' : 'hits'} in ${where}`,
    output:
      lines.length === 0
        ? `Nothing contains that text${found.complete ? '' : ' in the files that were looked at; there are more'}.`
        : clip(lines.join('\n')),
  }
}

async function isBinary(file: FileHandle): Promise<boolean> {
  const { buffer, bytesRead } = await file.read(Buffer.alloc(PROBE_BYTES), 0, PROBE_BYTES, 0)
  return buffer.subarray(0, bytesRead).includes(0)
}

function refused(sentence: string): ToolAnswer {
  return { ok: false, summary: sentence, output: `Error: ${sentence}` }
}

const textIn = (value: unknown): string => (typeof value === 'string' ? value : '')
const clip = (text: string) => (text.length > OUTPUT_LIMIT_CHARS ? `${text.slice(0, OUTPUT_LIMIT_CHARS)}\n… cut here` : text)

function tool(
  name: string,
  description: string,
  properties: NonNullable<NonNullable<Tool['function']['parameters']>['properties']>,
  required: string[],
): Tool {
  return { type: 'function', function: { name, description, parameters: { type: 'object', properties, required } } }
}

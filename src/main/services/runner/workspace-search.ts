/**
 * Looks for a text in the files under a folder: plain text, no patterns (one from a model could hold the whole process), links not followed,
 * bounded in files, bytes and hits, and the event loop is let go between files.
 */
import { constants, type Dirent } from 'node:fs'
import { open, readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'

export interface SearchHit {
  /** From the workspace, with slashes. */
  readonly path: string
  readonly line: number
  readonly text: string
}

export interface SearchResult {
  readonly hits: readonly SearchHit[]
  /** False: a bound was met, or the search was stopped. */
  readonly complete: boolean
}

const MAX_HITS = 100
const MAX_FILES = 5_000
const MAX_FILE_BYTES = 1_000_000
const MAX_TOTAL_BYTES = 64_000_000
const MAX_LINE_CHARS = 200
/** Folders that hold what others made. */
const SKIPPED = new Set(['.git', 'node_modules'])

export async function searchFiles(root: string, start: string, text: string, signal: AbortSignal): Promise<SearchResult> {
  const wanted = text.toLowerCase()
  const hits: SearchHit[] = []
  let bytes = 0
  let files = 0
  for await (const path of filesUnder(start)) {
    if (signal.aborted || files >= MAX_FILES || bytes >= MAX_TOTAL_BYTES || hits.length >= MAX_HITS) return { hits, complete: false }
    files += 1
    const content = await readSmallText(path)
    if (content === undefined) continue
    bytes += content.length
    if (content.toLowerCase().includes(wanted)) addHits(hits, relative(root, path).split(sep).join('/'), content, wanted)
  }
  return { hits, complete: hits.length < MAX_HITS }
}

function addHits(hits: SearchHit[], path: string, content: string, wanted: string): void {
  const lines = content.split('\n')
  for (let i = 0; i < lines.length && hits.length < MAX_HITS; i += 1) {
    const line = lines[i] as string
    if (line.toLowerCase().includes(wanted)) hits.push({ path, line: i + 1, text: line.trim().slice(0, MAX_LINE_CHARS) })
  }
}

/** Undefined: too large, not text, not readable. */
async function readSmallText(path: string): Promise<string | undefined> {
  try {
    const file = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const info = await file.stat()
      if (!info.isFile() || info.size > MAX_FILE_BYTES) return undefined
      const content = await file.readFile()
      return content.includes(0) ? undefined : content.toString()
    } finally {
      await file.close()
    }
  } catch {
    return undefined
  }
}

/** Regular files, in the order of their names, depth first. */
async function* filesUnder(start: string): AsyncGenerator<string> {
  if ((await stat(start)).isFile()) {
    yield join(dirname(start), basename(start))
    return
  }
  const folders = [start]
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    const entries: Dirent[] = await readdir(folder, { withFileTypes: true }).catch(() => [])
    entries.sort((a, b) => (a.name < b.name ? -1 : 1))
    for (const entry of entries) if (entry.isFile()) yield join(folder, entry.name)
    for (const entry of entries.reverse()) if (entry.isDirectory() && !SKIPPED.has(entry.name)) folders.push(join(folder, entry.name))
  }
}

/**
 * Where a path that a model wrote leads, inside one folder and nowhere else. Links are followed to their end before the answer is given,
 * so neither `..`, nor an absolute path, nor a link can lead out (DESIGN.md section 10).
 */
import { realpath } from 'node:fs/promises'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import { err, ok, type Result } from '../../../core/result/result.ts'

export interface WorkspacePath {
  /** Free of links. */
  readonly absolute: string
  /** From the folder, with slashes; empty for the folder itself. */
  readonly shown: string
}

/**
 * @param root the folder's own real path
 * @param path as the model wrote it; absolute ones count only when they lie inside
 * @returns a sentence for the model otherwise
 */
export async function resolveInside(root: string, path: string): Promise<Result<WorkspacePath, string>> {
  if (path.includes('\0')) return err('That path is not a path.')
  const wanted = resolve(root, path)
  // Said before the disk is asked: nothing is to be learnt of what lies outside.
  if (!isInside(root, wanted)) return err(`${path} lies outside the workspace.`)
  let real: string
  try {
    real = await realpath(wanted)
  } catch (error) {
    return err((error as NodeJS.ErrnoException).code === 'ENOENT' ? `There is no ${path} in the workspace.` : `${path} can't be opened.`)
  }
  if (!isInside(root, real)) return err(`${path} is a link that leads outside the workspace.`)
  return ok({ absolute: real, shown: relative(root, wanted).split(sep).join('/') })
}

export function isInside(root: string, path: string): boolean {
  const way = relative(root, path)
  return way === '' || (way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way))
}

/**
 * A model folder of our own that shows the person's models: manifests are copied, weights are linked. Whatever a server does in it (prune what it finds
 * unused, rename, pull), the person's own folder stays as it is.
 */
import { copyFile, mkdir, readdir, symlink } from 'node:fs/promises'
import { join } from 'node:path'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'

/** @param to must not exist yet */
export async function linkModels(from: string, to: string): Promise<Result<void, Problem>> {
  try {
    await copyTree(join(from, 'manifests'), join(to, 'manifests'))
    await mkdir(join(to, 'blobs'), { recursive: true })
    for (const name of await readdir(join(from, 'blobs'))) await symlink(join(from, 'blobs', name), join(to, 'blobs', name))
    return ok(undefined)
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? String(error)
    const happened = code === 'ENOENT' ? `There are no Ollama models in ${from}.` : `The models in ${from} can't be read (${code}).`
    return err(
      problem(
        'models-unreadable',
        happened,
        'The model folder of your Ollama was expected there, readable for you.',
        'Set OLLAMA_MODELS to it, or run this as a person who may read it.',
      ),
    )
  }
}

/** A few small files: one for each model. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const entry of await readdir(from, { withFileTypes: true })) {
    if (entry.isDirectory()) await copyTree(join(from, entry.name), join(to, entry.name))
    else await copyFile(join(from, entry.name), join(to, entry.name))
  }
}

/**
 * What is taken over from the person's own Ollama, which is asked for nothing and never touched: its program, its model folder, and the settings that
 * change how fast a model runs. Where it does not run, what this environment says. Reads only.
 */
import { access, constants, readlink, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { delimiter, join } from 'node:path'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'

export interface OwnOllama {
  readonly program: string
  readonly modelsDir: string
  /** Settings of its process that the private one gets too. */
  readonly settings: Readonly<Record<string, string>>
}

/** The process of the server that runs already, as far as it may be looked into. */
export interface OwnProcess {
  readonly pid: number
  readonly env: ReadonlyMap<string, string> | null
  readonly args: readonly string[]
}

/** How it serves, not what it computes with; the private one gets its own. */
const NOT_TAKEN: ReadonlySet<string> = new Set([
  'OLLAMA_HOST',
  'OLLAMA_NUM_PARALLEL',
  'OLLAMA_MODELS',
  'OLLAMA_ORIGINS',
  'OLLAMA_NOPRUNE',
  'OLLAMA_MAX_LOADED_MODELS',
  'OLLAMA_MAX_QUEUE',
  'OLLAMA_DEBUG',
])
const TAKEN = /^(OLLAMA_|CUDA_|GGML_|HIP_|HSA_|ROCR_|GPU_|LD_LIBRARY_PATH$)/

export async function findOwnOllama(
  given: { readonly program: string | null; readonly process: OwnProcess | null },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<OwnOllama, Problem>> {
  const program = await findProgram(given, env)
  if (!program.ok) return program
  const own = given.process?.env ?? null
  const from = (name: string) => own?.get(name) ?? (own === null ? env[name] : undefined)
  const home = from('HOME') ?? homedir()
  const entries = own === null ? Object.entries(env) : [...own]
  const settings = entries.filter((entry): entry is [string, string] => entry[1] !== undefined && TAKEN.test(entry[0]) && !NOT_TAKEN.has(entry[0]))
  const named = from('OLLAMA_MODELS')
  const modelsDir = named || (await firstThere([join(home, '.ollama', 'models'), SERVICE_MODELS]))
  return ok({ program: program.value, modelsDir, settings: Object.fromEntries(settings) })
}

/** Where Linux's installer has its service keep them; a service of another person tells nothing of its environment. */
const SERVICE_MODELS = '/usr/share/ollama/.ollama/models'

/** @returns the first one when none is there: the sentence will name it */
async function firstThere(dirs: readonly string[]): Promise<string> {
  for (const dir of dirs) {
    const isThere = await access(join(dir, 'manifests'), constants.R_OK).then(
      () => true,
      () => false,
    )
    if (isThere) return dir
  }
  return dirs[0] ?? ''
}

async function findProgram(
  given: { readonly program: string | null; readonly process: OwnProcess | null },
  env: Readonly<Record<string, string | undefined>>,
): Promise<Result<string, Problem>> {
  if (given.program !== null)
    return (await runs(given.program)) ? ok(given.program) : err(noProgram(`${given.program} is not a program that may be run.`))
  if (given.process !== null && /(^|[/\\])ollama(\.exe)?$/.test(given.process.args[0] ?? '')) {
    const path = await readlink(`/proc/${given.process.pid}/exe`).catch(() => '')
    if (path !== '' && (await runs(path))) return ok(path)
  }
  const name = process.platform === 'win32' ? 'ollama.exe' : 'ollama'
  for (const dir of (env.PATH ?? '').split(delimiter)) {
    if (dir !== '' && (await runs(join(dir, name)))) return ok(join(dir, name))
  }
  return err(noProgram('No ollama was found: none on the PATH, and none that runs here.'))
}

async function runs(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return (await stat(path)).isFile()
  } catch {
    return false
  }
}

function noProgram(happened: string): Problem {
  return problem(
    'ollama-missing',
    happened,
    'The program `ollama` was expected: tune starts a private server of it.',
    'Give its path with --ollama PATH, or try the built-in server: --engine llama.',
  )
}

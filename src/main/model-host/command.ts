/** `plimsoll model-server`: the same server in the foreground, for curl, the ollama client or any load tool. The CLI wires the words; this runs them. */
import { readFile } from 'node:fs/promises'
import { z } from 'zod'
import { type Problem, problem, problemText } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import { startModelServer } from './model-server.ts'
import { engineKindSchema, type ModelServerRequest } from './model-server-options.ts'

/** As the command line gives them; texts become numbers here. */
const modelServerCommandSchema = z.object({
  engine: engineKindSchema.default('llama'),
  host: z.string().min(1).default('127.0.0.1'),
  port: z.coerce.number().int().min(0).max(65_535).default(11_435),
  slots: z.coerce.number().int().min(0).max(1_024).optional(),
  model: z.string().min(1).optional(),
  cacheDir: z.string().min(1).optional(),
  log: z.string().min(1).optional(),
  /** `key=value`, any number of times. */
  sim: z.array(z.string()).default([]),
  /** JSON file of settings; `--sim` wins over it. */
  settings: z.string().min(1).optional(),
})
export type ModelServerCommand = z.input<typeof modelServerCommandSchema>

export interface CommandOutput {
  out(line: string): void
  err(line: string): void
  /** Resolves when the command is to end: SIGINT or SIGTERM. */
  untilStopped(): Promise<void>
}

const terminalOutput: CommandOutput = {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
  untilStopped: () =>
    new Promise((resolve) => {
      process.once('SIGINT', () => resolve())
      process.once('SIGTERM', () => resolve())
    }),
}

/** Runs until stopped. @returns the exit code */
export async function runModelServerCommand(args: ModelServerCommand, output: CommandOutput = terminalOutput): Promise<number> {
  const request = await readCommand(args)
  if (!request.ok) return refuse(request.error, output)
  const stopped = output.untilStopped()
  const server = await startModelServer(request.value)
  if (!server.ok) return refuse(server.error, output)
  const { info, url } = server.value
  const slots = info.slots === null ? 'no slot limit' : `${info.slots} slot${info.slots === 1 ? '' : 's'}`
  output.out(
    `Model server (${info.engine}${info.simulated && info.engine !== 'simulated' ? ', simulated' : ''}, ${slots}, ${info.models.join(', ')}) listens on ${url}`,
  )
  output.out('Ollama API at /api, OpenAI at /v1, its own log at /plimsoll/log. Ctrl-C ends it.')
  await stopped
  await server.value.stop()
  return 0
}

function refuse(p: Problem, output: CommandOutput): number {
  output.err(problemText(p))
  return 1
}

async function readCommand(args: ModelServerCommand): Promise<Result<ModelServerRequest, Problem>> {
  const parsed = modelServerCommandSchema.safeParse(args)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `--${issue.path.join('.')}: ${issue.message}`).join('; ')
    return err(
      problem('model-server-options', `The model server can't be started so: ${faults}.`, '', '`plimsoll model-server --help` lists what it takes.'),
    )
  }
  const { sim, settings: file, log, ...options } = parsed.data
  const fromFile = file === undefined ? ok({}) : await readSettingsFile(file)
  if (!fromFile.ok) return fromFile
  const fromFlags = readSettingFlags(sim)
  if (!fromFlags.ok) return fromFlags
  return ok({ ...options, logFile: log, settings: { ...fromFile.value, ...fromFlags.value } })
}

async function readSettingsFile(path: string): Promise<Result<Record<string, unknown>, Problem>> {
  const faulty = (what: string) =>
    err(problem('settings-file', `The settings file ${path} ${what}.`, 'It should be one JSON object of settings.', 'Correct it and start again.'))
  let value: unknown
  try {
    value = JSON.parse(await readFile(path, 'utf8'))
  } catch (cause) {
    return faulty(
      cause instanceof SyntaxError
        ? `is not valid JSON: ${cause.message}`
        : `can't be read: ${cause instanceof Error ? cause.message : String(cause)}`,
    )
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return faulty('does not hold an object')
  return ok({ ...value })
}

/** `key=value`: a value that reads as JSON is taken as such, lists of numbers may go without brackets, anything else is text. */
export function readSettingFlags(flags: readonly string[]): Result<Record<string, unknown>, Problem> {
  const settings: Record<string, unknown> = {}
  for (const flag of flags) {
    const at = flag.indexOf('=')
    if (at < 1)
      return err(
        problem('setting-flag', `--sim ${flag} is no setting.`, 'Expected key=value, such as --sim decodeMs=20.', 'Correct it and start again.'),
      )
    settings[flag.slice(0, at)] = readValue(flag.slice(at + 1))
  }
  return ok(settings)
}

function readValue(text: string): unknown {
  for (const candidate of [text, `[${text}]`]) {
    try {
      return JSON.parse(candidate)
    } catch {
      // Not JSON in this reading; the next one, or plain text.
    }
  }
  return text
}

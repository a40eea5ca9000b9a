/** `plimsoll tune`'s options: from the words of the command line to what is asked for. All faults are found in one go. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { parseLevels } from '../../../core/sweep/parse-levels.ts'
import { engineSchema } from '../../../core/sweep/target.ts'
import { type TuneRequest, type TuneRequestInput, tuneRequestSchema } from '../../../core/sweep/tune.ts'
import type { Take } from './read-openai.ts'
import { readAssignments, readInteger, readMs, readServerUrl } from './read-values.ts'
import { readWorkload } from './sweep-options.ts'

/** As commander gives them. */
export type TuneFlags = {
  model?: string
  ollama?: string
  server?: string
  engine?: string
  sim?: string[]
  slots?: string
  promptTokens?: string
  outputTokens?: string
  numCtx?: string
  option?: string[]
  sloTtfa?: string
  seed?: string
  json?: boolean
  data?: string
  verbose?: boolean
}

/** A server that could hold more at once is not what tune is for; a typing error. */
const MOST_SLOTS = 64
const MOST_NUMBERS = 8

export function readTuneFlags(flags: TuneFlags): Result<TuneRequest, Problem[]> {
  const problems: Problem[] = []
  const take: Take = (result) => {
    if (result.ok) return result.value
    problems.push(result.error)
    return undefined
  }
  const integer = (option: string, text: string | undefined, most: number, example: string, least = 1) =>
    text === undefined ? undefined : take(readInteger(option, text, least, most, example))
  const target = readTarget(flags, take)
  const slots = flags.slots === undefined ? undefined : readSlots(flags.slots, take)
  const workload = readWorkload(flags, take, integer)
  const ttfaMs = flags.sloTtfa === undefined ? undefined : take(readMs('--slo-ttfa', flags.sloTtfa, '2s'))
  const seed = integer('--seed', flags.seed, Number.MAX_SAFE_INTEGER, '7', 0)
  if (problems.length > 0) return err(problems)
  return ok(tuneRequestSchema.parse({ target, slots, workload, slo: ttfaMs === undefined ? {} : { ttfaMs }, seed }))
}

function readTarget(flags: TuneFlags, take: Take): TuneRequestInput['target'] {
  const { model = null, ollama = null, server } = flags
  if (flags.engine === undefined && flags.sim === undefined) {
    const ownUrl = server === undefined ? undefined : take(readServerUrl(server))
    return { kind: 'ollama', model, program: ollama, ...(ownUrl === undefined ? {} : { ownUrl }) }
  }
  if (ollama !== null || server !== undefined)
    take(
      err(
        problem(
          'options-clash',
          '--ollama and --server can’t be used with --engine or --sim.',
          'They name an Ollama; the others a built-in server.',
          'Leave one of them out.',
        ),
      ),
    )
  const engine = engineSchema.exclude(['null']).safeParse(flags.engine ?? 'simulated')
  if (!engine.success)
    take(
      err(problem('engine-unknown', `There is no engine "${flags.engine}" to tune.`, 'Expected llama or simulated.', 'For example: --engine llama')),
    )
  const settings = take(readAssignments('--sim', flags.sim ?? [], 'decodeMs=20')) ?? {}
  return { kind: 'built-in', engine: engine.success ? engine.data : 'simulated', model: model ?? '', settings }
}

function readSlots(text: string, take: Take): number[] | undefined {
  const numbers = parseLevels(text)
  if (numbers.ok && numbers.value.length <= MOST_NUMBERS && numbers.value.every((slots) => slots <= MOST_SLOTS)) return numbers.value
  take(
    err(
      problem(
        'option-invalid',
        `--slots ${text} can't be tried.`,
        `Expected up to ${MOST_NUMBERS} whole numbers from 1 to ${MOST_SLOTS}, parted by commas.`,
        'For example: --slots 1,2,4',
      ),
    ),
  )
  return undefined
}

/**
 * `plimsoll sweep`'s options: from the words of the command line to what is asked for. All faults are found in one go.
 * core/report/sweep-command.ts writes the same words; a test holds the two together.
 */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { FAULT_SWITCHES, type Faults } from '../../../core/sweep/faults.ts'
import { parseLevels } from '../../../core/sweep/parse-levels.ts'
import {
  type Leg,
  legSchema,
  type Mode,
  modeSchema,
  type SweepRequest,
  type SweepRequestInput,
  sweepRequestSchema,
  type Workload,
  workloadKindSchema,
} from '../../../core/sweep/plan.ts'
import { DEFAULT_WORKLOAD } from '../../../core/sweep/plan-sweep.ts'
import { type Engine, engineSchema } from '../../../core/sweep/target.ts'
import { readLoad } from './load-options.ts'
import { type OpenAiAccess, type OpenAiFlags, readOpenAi, type Take } from './read-openai.ts'
import { readAssignments, readInteger, readMs, readRatio, readServerUrl, readUsd } from './read-values.ts'

/** As commander gives them: text, lists of text, switches. */
export type SweepFlags = OpenAiFlags & {
  server?: string
  model?: string
  engine?: string
  slots?: string
  sim?: string[]
  mode?: string
  levels?: string
  repeats?: string
  waves?: string
  legs?: string
  load?: string
  span?: string
  rates?: string
  workload?: string
  replay?: string
  promptTokens?: string
  outputTokens?: string
  numCtx?: string
  option?: string[]
  memoryNote?: boolean
  mix?: string
  sloTtfa?: string
  sloTarget?: string
  maxErrors?: string
  turnDeadline?: string
  seed?: string
  maxCost?: string
  faultRunnerBlockMs?: string
  faultRunnerDeltaMs?: string
  faultRunnerToolMs?: string
  faultRunnerToolsAtOnce?: string
  faultRunnerPool?: string
  faultDriverCap?: string
  faultPromptPool?: string
}

/** Which server is asked for; `automatic`: whatever is best here. */
export type TargetWish =
  | { readonly kind: 'automatic'; readonly model: string | null }
  | { readonly kind: 'server'; readonly url: string; readonly model: string | null; readonly openAi?: OpenAiAccess }
  | {
      readonly kind: 'built-in'
      readonly engine: Engine
      readonly model: string | null
      readonly slots: number
      readonly settings: Record<string, unknown>
    }

/** All of a request but its target, which may have to be looked for first. */
export type SweepWish = { readonly wish: TargetWish; readonly withTarget: (target: SweepRequest['target']) => SweepRequest }

/** For repeats that are given without levels. */
const LEVELS_OF_REPEATS = [1, 2, 4, 8]
/** Above this a session's context would not fit on any machine of today; a typing error. */
const MOST_TOKENS = 10_000_000

export function readSweepFlags(flags: SweepFlags): Result<SweepWish, Problem[]> {
  const problems: Problem[] = []
  const take = <T>(result: Result<T, Problem>): T | undefined => {
    if (result.ok) return result.value
    problems.push(result.error)
    return undefined
  }
  const given = <T>(text: string | undefined, read: (text: string) => Result<T, Problem>): T | undefined =>
    text === undefined ? undefined : take(read(text))
  const integer = (option: string, text: string | undefined, most: number, example: string, least = 1) =>
    given(text, (value) => readInteger(option, value, least, most, example))

  const wish = readWish(flags, take)
  const levels = given(flags.levels, parseLevels) ?? (flags.repeats === undefined || flags.mode !== undefined ? [] : LEVELS_OF_REPEATS)
  const mode = given(flags.mode, readMode)
  if (flags.repeats !== undefined && flags.mode !== undefined) take(err(repeatsClash()))
  const repeats = integer('--repeats', flags.repeats, 100, '3')
  const waves = integer('--waves', flags.waves, 1000, '5')
  const legs = given(flags.legs, readLegs)
  const load = readLoad(flags, take)
  if (flags.workload !== undefined && flags.replay !== undefined) take(err(workloadsClash()))
  const workload = readWorkload(flags, take, integer)
  const slo = {
    ttfaMs: given(flags.sloTtfa, (text) => readMs('--slo-ttfa', text, '2s')),
    targetRatio: given(flags.sloTarget, (text) => readRatio('--slo-target', text, '95%')),
    maxErrorRatio: given(flags.maxErrors, (text) => readRatio('--max-errors', text, '1%')),
  }
  const turnDeadlineMs = given(flags.turnDeadline, (text) => readMs('--turn-deadline', text, '120s'))
  const seed = integer('--seed', flags.seed, Number.MAX_SAFE_INTEGER, '7', 0)
  const faults = readFaults(flags, integer)
  const maxCostUsd = given(flags.maxCost, (text) => readUsd('--max-cost', text, 'an amount in US dollars'))
  if (problems.length > 0) return err(problems)
  const rest = {
    levels,
    mode,
    repeats,
    waves: waves ?? null,
    legs,
    load,
    workload,
    slo: defined(slo),
    turnDeadlineMs,
    seed,
    maxCostUsd,
    faults,
  }
  return ok({ wish, withTarget: (target) => sweepRequestSchema.parse({ ...rest, target }) })
}

export type ReadCount = (option: string, text: string | undefined, most: number, example: string, least?: number) => number | undefined

function readFaults(flags: SweepFlags, integer: ReadCount): SweepRequestInput['faults'] {
  const given: Readonly<Record<keyof Faults, string | undefined>> = {
    runnerBlockMs: flags.faultRunnerBlockMs,
    runnerDeltaMs: flags.faultRunnerDeltaMs,
    runnerToolMs: flags.faultRunnerToolMs,
    runnerToolsAtOnce: flags.faultRunnerToolsAtOnce,
    runnerPoolLimit: flags.faultRunnerPool,
    driverCap: flags.faultDriverCap,
    promptPool: flags.faultPromptPool,
  }
  // 0 = off, for each of them.
  return Object.fromEntries(
    FAULT_SWITCHES.flatMap(({ key, flag, most }) => {
      const value = integer(flag, given[key], most, '10', 0) ?? 0
      return value > 0 ? [[key, value]] : []
    }),
  )
}

function readWish(flags: SweepFlags, take: Take): TargetWish {
  // Of a mix that names its models, the first is read, warmed up and shown.
  const model = flags.model ?? (flags.mix === undefined ? null : mixEntry(flags.mix.split(',')[0] ?? '').model || null)
  const ownOnly = (['engine', 'slots', 'sim'] as const).filter((name) => flags[name] !== undefined)
  if (flags.server !== undefined) {
    if (ownOnly.length > 0)
      take(
        err(
          problem(
            'options-clash',
            `--server and ${ownOnly.map((name) => `--${name}`).join(', ')} can't be used together.`,
            '--server names a server that runs already; the others start one of Plimsoll’s own.',
            'Leave one of them out.',
          ),
        ),
      )
    const openAi = readOpenAi(flags, take)
    if (openAi !== undefined && model === null)
      take(
        err(
          problem(
            'option-missing',
            '--api openai needs --model.',
            'The name of the model at that server was expected.',
            'Choose one of those at its /v1/models.',
          ),
        ),
      )
    return { kind: 'server', url: take(readServerUrl(flags.server)) ?? '', model, ...(openAi === undefined ? {} : { openAi }) }
  }
  if (readOpenAi(flags, take) !== undefined)
    take(
      err(
        problem(
          'option-missing',
          '--api openai needs --server.',
          'The address of a server that speaks it was expected.',
          'For example: --server http://127.0.0.1:8080',
        ),
      ),
    )
  if (ownOnly.length === 0) return { kind: 'automatic', model }
  const settings = take(readAssignments('--sim', flags.sim ?? [], 'decodeMs=20')) ?? {}
  const slots = flags.slots === undefined ? undefined : take(readInteger('--slots', flags.slots, 1, 1024, '4'))
  const engine = engineSchema.safeParse(flags.engine ?? (flags.sim === undefined ? 'llama' : 'simulated'))
  if (!engine.success)
    take(err(problem('engine-unknown', `There is no engine "${flags.engine}".`, 'Expected llama, simulated or null.', 'For example: --engine llama')))
  return { kind: 'built-in', engine: engine.success ? engine.data : 'llama', model, slots: slots ?? 1, settings }
}

export function readWorkload(flags: SweepFlags, take: Take, integer: ReadCount): Partial<Workload> {
  const assigned = take(readAssignments('--option', flags.option ?? [], 'temperature=0')) ?? {}
  const wrong = Object.entries(assigned).find(([, value]) => !['number', 'string', 'boolean'].includes(typeof value))
  if (wrong !== undefined)
    take(
      err(
        problem(
          'option-invalid',
          `--option ${wrong[0]} has a list as its value.`,
          'Expected a number, a text, true or false.',
          'For example: --option top_k=1',
        ),
      ),
    )
  const contextTokens = integer('--num-ctx', flags.numCtx, MOST_TOKENS, '4096')
  const options = { ...(assigned as Workload['options']), ...(contextTokens === undefined ? {} : { num_ctx: contextTokens }) }
  return defined({
    kind: generatedKind(flags.workload),
    promptTokens: integer('--prompt-tokens', flags.promptTokens, MOST_TOKENS, '60'),
    outputTokens: integer('--output-tokens', flags.outputTokens, MOST_TOKENS, '48'),
    options: Object.keys(options).length === 0 ? undefined : { ...DEFAULT_WORKLOAD.options, ...options },
    memoryNote: flags.memoryNote === false ? false : undefined,
    variants: flags.mix === undefined ? undefined : take(readMix(flags.mix, flags.model, { ...DEFAULT_WORKLOAD.options, ...options })),
  })
}

/** Those whose prompts are made here; any other word is a file of prompts. */
function generatedKind(name: string | undefined): Workload['kind'] {
  const kind = workloadKindSchema.exclude(['file', 'replay']).safeParse(name)
  return kind.success ? kind.data : undefined
}

/** Where the prompts are to be had that the flags don't hold. */
export function promptsWish(flags: SweepFlags): { readonly kind: 'file' | 'replay'; readonly which: string } | null {
  if (flags.replay !== undefined) return { kind: 'replay', which: flags.replay }
  if (flags.workload === undefined || generatedKind(flags.workload) !== undefined) return null
  return { kind: 'file', which: flags.workload }
}

function readMode(text: string): Result<Mode, Problem> {
  const mode = modeSchema.safeParse(text.trim())
  if (mode.success) return ok(mode.data)
  return err(problem('mode-unknown', `There is no mode "${text}".`, 'Expected quick, standard or thorough.', 'For example: --mode quick'))
}

function repeatsClash(): Problem {
  return problem(
    'options-clash',
    '--repeats and --mode can’t be used together.',
    'A mode decides by itself how often each level is measured.',
    'Leave one of them out, or give levels and repeats without a mode: --levels 1,2,4,8 --repeats 3',
  )
}

function workloadsClash(): Problem {
  return problem('options-clash', '--workload and --replay can’t be used together.', 'A replay is a workload of its own.', 'Leave one of them out.')
}

function readLegs(text: string): Result<Leg[], Problem> {
  const names = text.split(',').map((name) => name.trim())
  const unknown = names.filter((name) => !legSchema.safeParse(name).success)
  if (unknown.length === 0) return ok([...new Set(names)] as Leg[])
  return err(
    problem(
      'legs-invalid',
      `--legs ${text} can't be run: ${unknown.map((name) => `"${name}"`).join(', ')} is no leg.`,
      'Expected some of runner (the real path), direct (without the runner), null (against a model that answers at once), separated by commas.',
      'For example: --legs runner,null',
    ),
  )
}

/** `model:num_ctx`, parted by commas: sessions take them in turn. A last part of digits alone is num_ctx, since model names hold colons too. */
function readMix(text: string, model: string | undefined, options: Workload['options']): Result<Workload['variants'], Problem> {
  const variants = text.split(',').map((entry) => {
    const { model: name, contextTokens } = mixEntry(entry)
    return { model: name === '' ? (model ?? '') : name, options: contextTokens === undefined ? options : { ...options, num_ctx: contextTokens } }
  })
  if (variants.length >= 2 && variants.every((variant) => variant.model !== '')) return ok(variants)
  return err(
    problem(
      'mix-invalid',
      `--mix ${text} can't be used.`,
      'Expected two or more of model:num_ctx, parted by commas; a model may be left out where --model names it, and so may :num_ctx.',
      'For example: --mix smollm2:135m:1024,smollm2:135m:2048',
    ),
  )
}

function mixEntry(entry: string): { model: string; contextTokens: number | undefined } {
  const match = /^(.*?)(?::(\d+))?$/.exec(entry.trim())
  return { model: match?.[1] ?? '', contextTokens: match?.[2] === undefined ? undefined : Number(match[2]) }
}

function defined<T extends object>(values: T): Partial<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Partial<T>
}

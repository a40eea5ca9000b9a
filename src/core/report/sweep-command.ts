/** The command that runs the same sweep again; `plimsoll sweep` reads it back to the same request. */
import { faultArguments } from '../sweep/faults.ts'
import { modeOf } from '../sweep/modes.ts'
import type { SweepPlan } from '../sweep/plan.ts'

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/

/** Quoted for a POSIX shell where needed. */
function shellWord(word: string): string {
  return PLAIN.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

const optionWords = (flag: string, values: Readonly<Record<string, unknown>>): string[] =>
  Object.entries(values).flatMap(([name, value]) => [flag, `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`])

/** The arguments after `plimsoll`, unquoted. Everything that decides figures is spelled out, also where it is a default today. */
export function sweepArguments(plan: SweepPlan): string[] {
  const { request, workload, slo } = plan
  const { target } = request
  const words = ['sweep']
  if (target.kind === 'server') words.push('--server', target.url, '--model', target.model, ...openAiWords(target))
  else {
    words.push('--engine', target.engine, '--model', target.model, '--slots', String(target.slots))
    words.push(...optionWords('--sim', target.settings))
  }
  if (request.levels.length > 0) words.push('--levels', request.levels.join(','))
  const mode = modeOf(request)
  words.push(...(mode === undefined ? ['--repeats', String(request.repeats)] : ['--mode', mode]))
  if (request.waves !== null) words.push('--waves', String(request.waves))
  words.push('--legs', request.legs.join(','), ...loadWords(request.load))
  words.push(...workloadWords(workload))
  words.push('--prompt-tokens', String(workload.promptTokens), '--output-tokens', String(workload.outputTokens))
  const { num_ctx: contextTokens, ...options } = workload.options
  if (typeof contextTokens === 'number') words.push('--num-ctx', String(contextTokens))
  words.push(...optionWords('--option', options))
  if (!workload.memoryNote) words.push('--no-memory-note')
  if (workload.variants.length > 0) words.push('--mix', workload.variants.map(({ model, options: own }) => mixWord(model, own)).join(','))
  words.push('--slo-ttfa', String(slo.ttfaMs), '--slo-target', String(slo.targetRatio), '--max-errors', String(slo.maxErrorRatio))
  words.push('--turn-deadline', String(request.turnDeadlineMs), '--seed', String(request.seed))
  words.push(...faultArguments(request.faults))
  return words
}

function loadWords(load: SweepPlan['request']['load']): string[] {
  if (load === undefined || load.kind === 'burst') return []
  const rates = load.kind === 'open' ? ['--rates', load.ratesPerSec.join(',')] : []
  return ['--load', load.kind, '--span', `${load.spanMs}`, ...rates]
}

function workloadWords({ kind, source }: SweepPlan['workload']): string[] {
  if (kind === undefined || kind === 'short-chat') return []
  if (kind === 'replay') return ['--replay', source ?? 'last']
  return ['--workload', kind === 'file' ? (source ?? 'prompts.txt') : kind]
}

function openAiWords({ api, keyName, price }: SweepPlan['request']['target'] & { kind: 'server' }): string[] {
  if (api !== 'openai') return []
  const words = ['--api', 'openai']
  if (keyName !== undefined) words.push('--key-env', keyName)
  if (price !== undefined) words.push('--price-in', String(price.inputUsd), '--price-out', String(price.outputUsd))
  return words
}

const mixWord = (model: string, options: Readonly<Record<string, unknown>>) =>
  typeof options.num_ctx === 'number' ? `${model}:${options.num_ctx}` : model

/** One line for a shell. */
export function sweepCommand(plan: SweepPlan): string {
  return ['npx', 'plimsoll', ...sweepArguments(plan)].map(shellWord).join(' ')
}

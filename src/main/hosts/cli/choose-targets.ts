/** From what was asked for to the targets worth trying, best first, each with the sentence that says why it is this one. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Engine, Target } from '../../../core/sweep/target.ts'
import type { FoundServer } from './cli-app.ts'
import type { TargetWish } from './sweep-options.ts'

export type Candidate = { readonly target: Target; readonly why: string | null }

/** Names that the built-in servers answer to by default. */
const DEFAULT_MODELS: Readonly<Record<Engine, string>> = { llama: 'plimsoll-mid', simulated: 'plimsoll-simulated', null: 'plimsoll-null' }

const builtIn = (engine: Engine, model: string | null, slots: number, settings: Record<string, unknown> = {}): Target => ({
  kind: 'built-in',
  engine,
  model: model ?? DEFAULT_MODELS[engine],
  slots,
  settings,
})

export async function chooseTargets(
  wish: TargetWish,
  discoverServers: (url?: string) => Promise<readonly FoundServer[]>,
): Promise<Result<Candidate[], Problem>> {
  switch (wish.kind) {
    case 'built-in':
      return ok([{ target: builtIn(wish.engine, wish.model, wish.slots, wish.settings), why: null }])
    case 'server': {
      if (wish.model !== null) return ok([{ target: { kind: 'server', url: wish.url, model: wish.model, ...wish.openAi }, why: null }])
      const [found] = await discoverServers(wish.url)
      if (found?.problem != null) return err(found.problem)
      const [model] = found?.models ?? []
      if (model === undefined) return err(noModel(found?.label ?? 'The model server', wish.url))
      return ok([{ target: { kind: 'server', url: wish.url, model }, why: `No --model was given; taking ${model} of ${found?.label}.` }])
    }
    case 'automatic':
      return ok(automatic(wish.model, await discoverServers()))
  }
}

function automatic(model: string | null, servers: readonly FoundServer[]): Candidate[] {
  const answering = servers.filter(({ problem }) => problem === null)
  const found = answering.find((server) => (model === null ? server.models.length > 0 : server.models.includes(model)))
  const chosen = model ?? found?.models[0]
  if (found !== undefined && chosen !== undefined)
    return [{ target: { kind: 'server', url: found.url, model: chosen }, why: `${found.label} answers at ${found.url}; measuring ${chosen}.` }]
  const [empty] = answering
  const lacking =
    empty === undefined
      ? `No Ollama answers at ${servers.map(({ url }) => url).join(' or ')}`
      : model === null
        ? `${empty.label} at ${empty.url} has no model`
        : `${empty.label} at ${empty.url} has no model "${model}" (it has ${empty.models.join(', ') || 'none'})`
  // A named model is nobody's but Ollama's: the built-in servers stand in only when any model will do.
  if (model !== null && empty !== undefined) return [{ target: { kind: 'server', url: empty.url, model }, why: `${lacking}.` }]
  return [
    { target: builtIn('llama', model, 1), why: `${lacking}; measuring the built-in llama.cpp server with a small generated model.` },
    { target: builtIn('simulated', null, 1), why: 'Measuring the simulated server instead: its numbers say nothing about this machine.' },
  ]
}

function noModel(label: string, url: string): Problem {
  return problem(
    'model-missing',
    `${label} at ${url} has no model that chats.`,
    '',
    'Pull one there (ollama pull smollm2:135m) or name one with --model.',
  )
}

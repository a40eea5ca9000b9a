/**
 * What a sweep runs against: a server that stands already is read, a built-in one is started and read; they look the same from then on.
 * Remembers which of them speaks which wire, so that whoever has an address alone can ask after its models.
 */
import type { Problem } from '../../core/result/problem.ts'
import { ok, type Result } from '../../core/result/result.ts'
import type { Engine, ServerFacts, Target } from '../../core/sweep/target.ts'

export interface BuiltInServer {
  readonly url: string
  readonly pid: number | undefined
  /** The model to ask for: the wanted one, or the engine's own when none was named. */
  readonly info: { readonly models: readonly string[] }
  stop(): Promise<void>
}

export type OpenAiWire = { readonly api: 'openai'; readonly keyName?: string; readonly key?: string }

export interface TargetDeps {
  readServerFacts(url: string, model: string, wire?: OpenAiWire): Promise<Result<ServerFacts, Problem>>
  /** Names of the models that a server on Ollama's API holds in memory. */
  residentModels(url: string): Promise<Result<readonly { readonly name: string }[], Problem>>
  /** Whether a server on OpenAI's wire still answers. */
  answersOpenAi(url: string, key: string | undefined): Promise<Result<void, Problem>>
  startBuiltIn(wanted: { engine: Engine; model?: string; slots?: number; settings: Record<string, unknown> }): Promise<Result<BuiltInServer, Problem>>
  readKey(name: string): Result<string, Problem>
}

export type StandingTarget = { readonly facts: ServerFacts; readonly url: string; readonly wire?: OpenAiWire; stop(): Promise<void> }

export interface Targets {
  start(target: Target): Promise<Result<StandingTarget, Problem>>
  /** An error when the server can't be read. A server on OpenAI's wire says nothing of memory: while it answers, its model counts as there. */
  residentModels(url: string): Promise<Result<readonly string[], Problem>>
}

export function createTargets(deps: TargetDeps): Targets {
  const spoken = new Map<string, { readonly wire: OpenAiWire; readonly model: string }>()

  const startServer = async (target: Target & { kind: 'server' }): Promise<Result<StandingTarget, Problem>> => {
    if (target.api !== 'openai') {
      const facts = await deps.readServerFacts(target.url, target.model)
      return facts.ok ? ok({ facts: facts.value, url: facts.value.url, async stop() {} }) : facts
    }
    const wire = wireOf(deps, target.keyName)
    if (!wire.ok) return wire
    const facts = await deps.readServerFacts(target.url, target.model, wire.value)
    if (!facts.ok) return facts
    const { url, model } = facts.value
    spoken.set(url, { wire: wire.value, model })
    return ok({ facts: facts.value, url, wire: wire.value, stop: async () => void spoken.delete(url) })
  }

  return {
    start: (target) => (target.kind === 'built-in' ? startOwn(deps, target) : startServer(target)),
    async residentModels(url) {
      const openAi = spoken.get(url)
      if (openAi === undefined) {
        const resident = await deps.residentModels(url)
        return resident.ok ? ok(resident.value.map(({ name }) => name)) : resident
      }
      const answers = await deps.answersOpenAi(url, openAi.wire.key)
      return answers.ok ? ok([openAi.model]) : answers
    },
  }
}

function wireOf(deps: TargetDeps, keyName: string | undefined): Result<OpenAiWire, Problem> {
  if (keyName === undefined) return ok({ api: 'openai' })
  const key = deps.readKey(keyName)
  return key.ok ? ok({ api: 'openai', keyName, key: key.value }) : key
}

async function startOwn(deps: TargetDeps, target: Target & { kind: 'built-in' }): Promise<Result<StandingTarget, Problem>> {
  const { engine, slots, settings } = target
  const started = await deps.startBuiltIn({ engine, slots, settings, ...(target.model === '' ? {} : { model: target.model }) })
  if (!started.ok) return started
  const server = started.value
  const facts = await deps.readServerFacts(server.url, server.info.models[0] ?? target.model)
  if (!facts.ok) {
    await server.stop()
    return facts
  }
  return ok({ facts: { ...facts.value, pid: facts.value.pid ?? server.pid ?? null }, url: server.url, stop: () => server.stop() })
}

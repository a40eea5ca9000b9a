/**
 * What a sweep runs against: a server that stands already is read, a built-in one is started and read; they look the same from then on.
 * Remembers which of them speaks which wire, so that whoever has an address alone can ask after its models.
 */
import type { Sample } from '../../core/metric/sample.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
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
  watchGauges(server: { readonly url: string; readonly gauges: 'metrics' | 'slots'; readonly key?: string }): GaugeWatch
}

interface GaugeWatch {
  latest(): Sample['server']
  close(): void
}

export type StandingTarget = {
  readonly facts: ServerFacts
  readonly url: string
  readonly wire?: OpenAiWire
  /** Whether it still is the same; absent on OpenAI's wire, where a look may cost money or count against a limit. */
  reread?(): Promise<Result<ServerFacts, Problem>>
  stop(): Promise<void>
}

export interface Targets {
  start(target: Target): Promise<Result<StandingTarget, Problem>>
  /** An error when the server can't be read. A server on OpenAI's wire says nothing of memory: while it answers, its model counts as there. */
  residentModels(url: string): Promise<Result<readonly string[], Problem>>
  /** Of the server that stands now, less what ran there before. */
  gauges(): Sample['server']
}

export function createTargets(deps: TargetDeps): Targets {
  const spoken = new Map<string, { readonly wire: OpenAiWire; readonly model: string; readonly watch: GaugeWatch | undefined }>()

  const startServer = async (target: Target & { kind: 'server' }): Promise<Result<StandingTarget, Problem>> => {
    if (target.api !== 'openai') {
      const facts = await deps.readServerFacts(target.url, target.model)
      if (!facts.ok) return facts
      const { url } = facts.value
      return ok({ facts: facts.value, url, reread: () => deps.readServerFacts(url, target.model), async stop() {} })
    }
    const wire = wireOf(deps, target.keyName)
    if (!wire.ok) return wire
    if (target.keyName !== undefined && target.price === undefined && !isNearby(target.url)) return err(priceMissing(target.url))
    const facts = await deps.readServerFacts(target.url, target.model, wire.value)
    if (!facts.ok) return facts
    const { url, model, gauges } = facts.value
    const { key } = wire.value
    const watch = gauges === 'metrics' || gauges === 'slots' ? deps.watchGauges({ url, gauges, ...(key === undefined ? {} : { key }) }) : undefined
    spoken.set(url, { wire: wire.value, model, watch })
    const stop = async () => {
      watch?.close()
      spoken.delete(url)
    }
    return ok({ facts: facts.value, url, wire: wire.value, stop })
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
    gauges: () => [...spoken.values()].at(-1)?.watch?.latest(),
  }
}

/** On this machine or in its own network, where a key keeps strangers out and nobody sends a bill. */
function isNearby(url: string): boolean {
  const host = /^(?:https?:\/\/)?\[?([^\]/:]+|[0-9a-f:]+)/i.exec(url)?.[1] ?? ''
  return /^(localhost|127\.|10\.|192\.168\.|172\.(1[6-9]|2\d|3[01])\.|::1$|f[cd][0-9a-f]{2}:)|\.(local|lan|internal)$/i.test(host)
}

/** M13: a key for a server elsewhere mostly means a bill. */
function priceMissing(url: string): Problem {
  return problem(
    'price-missing',
    `A sweep of ${url} with a key may cost money, and its price is not known.`,
    'Prices in US dollars per million tokens were expected, 0 where it costs nothing.',
    'Give them: --price-in 0.15 --price-out 0.60',
  )
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

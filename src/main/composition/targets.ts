/** What a sweep runs against: a server that stands already is read, a built-in one is started and read; both look the same from then on. */
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

export interface TargetDeps {
  readServerFacts(url: string, model: string): Promise<Result<ServerFacts, Problem>>
  startBuiltIn(wanted: { engine: Engine; model?: string; slots?: number; settings: Record<string, unknown> }): Promise<Result<BuiltInServer, Problem>>
}

export type StandingTarget = { readonly facts: ServerFacts; readonly url: string; stop(): Promise<void> }

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

export async function startTarget(deps: TargetDeps, target: Target): Promise<Result<StandingTarget, Problem>> {
  if (target.kind === 'built-in') return startOwn(deps, target)
  const facts = await deps.readServerFacts(target.url, target.model)
  return facts.ok ? ok({ facts: facts.value, url: facts.value.url, async stop() {} }) : facts
}

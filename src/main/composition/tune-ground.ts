/** The servers that tuning tries: a private Ollama beside the person's own, or a built-in one. */
import type { Problem } from '../../core/result/problem.ts'
import { problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import type { TuneRequest } from '../../core/sweep/tune.ts'
import type { Clock } from '../platform/clock.ts'
import type { Models } from '../services/models/models.ts'
import { findOwnOllama, type OwnOllama } from '../services/tune/own-ollama.ts'
import { startPrivateOllama } from '../services/tune/private-ollama.ts'
import type { TuneGround, TuneServer } from './tuner.ts'

export interface GroundDeps {
  readonly clock: Clock
  readonly models: Pick<Models, 'listeningProcess' | 'residentModels' | 'discoverServers'>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Folders of private servers are made here. */
  readonly dir: string
}

export async function prepareTune(deps: GroundDeps, request: TuneRequest): Promise<Result<TuneGround, Problem>> {
  const { target } = request
  if (target.kind === 'built-in') {
    const { engine, model, settings } = target
    return ok({
      label: `${model === '' ? engine : model} on the built-in ${engine} server`,
      setting: '--slots',
      startServer: async (slots) =>
        ok({ target: { kind: 'built-in', engine, model, slots, settings }, resident: async () => NOTHING_RESIDENT, stop: async () => {} }),
    })
  }
  const process = await deps.models.listeningProcess(target.ownUrl)
  const own = await findOwnOllama({ program: target.program, process }, deps.env)
  if (!own.ok) return own
  // Whichever suits best is chosen once, by the first server, so that all trials have the same.
  let model = target.model
  return ok({
    label: `${model ?? 'a model'} on a private Ollama (${own.value.program})`,
    setting: 'OLLAMA_NUM_PARALLEL',
    async startServer(slots) {
      const started = await startWithModel(deps, own.value, slots, model)
      if (started.ok && started.value.target.kind === 'server') model = started.value.target.model
      return started
    },
  })
}

const NOTHING_RESIDENT = { vramBytes: null, contextTokens: null }

async function startWithModel(deps: GroundDeps, own: OwnOllama, slots: number, wanted: string | null): Promise<Result<TuneServer, Problem>> {
  const started = await startPrivateOllama(deps, own, slots)
  if (!started.ok) return started
  const { url, stop } = started.value
  const [found] = await deps.models.discoverServers([url])
  const model = wanted ?? found?.models[0]?.name
  if (model === undefined) {
    await stop()
    return err(
      problem(
        'model-missing',
        `There is no model that chats in ${own.modelsDir}.`,
        '',
        'Fetch one (ollama pull smollm2:135m), or name one with --model.',
      ),
    )
  }
  return ok({
    target: { kind: 'server', url, model },
    async resident() {
      const resident = await deps.models.residentModels(url)
      const [one] = resident.ok ? resident.value : []
      return one === undefined ? NOTHING_RESIDENT : { vramBytes: one.vramBytes, contextTokens: one.contextTokens }
    },
    stop,
  })
}

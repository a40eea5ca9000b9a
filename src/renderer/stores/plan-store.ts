/** The plan of the next sweep: filled in from the start (the best target found, the defaults), edited in the page, kept by main. */
import { z } from 'zod'
import type { Problem } from '../../core/result/problem.ts'
import {
  type Load,
  type Mode,
  modeSchema,
  type Slo,
  type SweepRequest,
  sweepRequestSchema,
  type Workload,
  type WorkloadKind,
} from '../../core/sweep/plan.ts'
import type { Target } from '../../core/sweep/target.ts'
import { type DiscoveryStore, targetOptions } from './discovery-store.ts'
import { createPace } from './pace.ts'
import type { PageConnection } from './page-connection.ts'
import { createStore, type ReadableStore } from './store.ts'

export const MODE_LIST = modeSchema.options

export const MODE_TEXTS: Readonly<Record<Mode, string>> = {
  quick: 'One repeat on the real path. The answer within a minute.',
  standard: 'Three repeats, shuffled. Then one thing at a time is changed on purpose, to prove the cause.',
  thorough: 'Five repeats and more levels between: narrow intervals.',
}

/** What a person begins with who wants levels of their own. */
export const FIRST_OWN_LEVELS: readonly number[] = [1, 2, 4, 8]

export type PlanEstimate = { readonly cells: number; readonly sessions: number; readonly seconds: number; readonly costUsd: number | null }

export type Plan = {
  /** Null until it is known what there is to measure. */
  readonly request: SweepRequest | null
  readonly targetLabel: string
  /** Differs from what Plimsoll would propose. */
  readonly edited: boolean
  readonly estimate: PlanEstimate | null
  readonly modeEstimates: Readonly<Partial<Record<Mode, PlanEstimate>>>
  /** Why there is no estimate, and mostly also why the sweep could not start. */
  readonly problem: Problem | null
}

export type PlanStore = ReadableStore<Plan> & {
  setTarget(target: Target, label: string): void
  change(part: Partial<Pick<SweepRequest, 'legs' | 'waves' | 'load'>>): void
  changeSlo(part: Partial<Slo>): void
  changeWorkload(part: Partial<Workload>): void
  /** Prompt and answer get the lengths that are usual for the kind. */
  setWorkloadKind(kind: WorkloadKind): void
  setLoad(load: Load): void
  setMode(mode: Mode): void
  /** Exactly so many repeats of levels of one's own, and nothing that a mode would add. */
  setRepeats(repeats: number): void
  /** Levels of one's own, or none: then the sweep finds them. */
  setLevels(levels: readonly number[]): void
  /** The plan of another sweep becomes the next one's. */
  adopt(request: SweepRequest, label: string): void
  reset(): void
}

const KEY = 'plan'
const SAVE_EVERY_MS = 300
const savedSchema = z.object({ request: sweepRequestSchema, targetLabel: z.string() })

/** As text with its names in the schema's order: edits move them about. */
const inOrder = (request: SweepRequest) => JSON.stringify(sweepRequestSchema.parse(request))

const proposal = (target: Target): SweepRequest => sweepRequestSchema.parse({ target, mode: 'standard' })

export function createPlanStore(connection: PageConnection, discovery: DiscoveryStore): PlanStore {
  const empty: Plan = { request: null, targetLabel: '', edited: false, estimate: null, modeEstimates: {}, problem: null }
  const store = createStore<Plan>(empty)

  const best = () => targetOptions(discovery.get().found)[0]
  const isEdited = (request: SweepRequest) => {
    const option = best()
    return option !== undefined && inOrder(request) !== inOrder(proposal(option.target))
  }
  const saving = createPace(() => {
    const { request, targetLabel } = store.get()
    void connection.client.app.saveLayout({ key: KEY, json: request === null ? '' : JSON.stringify({ request, targetLabel }) })
  }, SAVE_EVERY_MS)

  let asked = 0
  const estimating = createPace(() => void estimate(), SAVE_EVERY_MS)
  const estimate = async () => {
    const { request } = store.get()
    if (request === null) return
    const mine = ++asked
    const requests = [request, ...MODE_LIST.map((mode) => ({ ...request, mode }))]
    const [own, ...others] = await Promise.all(requests.map((one) => connection.client.sweeps.estimate(one)))
    if (mine !== asked || own === undefined) return
    const modeEstimates = Object.fromEntries(MODE_LIST.flatMap((mode, i) => (others[i]?.ok ? [[mode, others[i].value]] : [])))
    store.update((now) => ({ ...now, modeEstimates, estimate: own.ok ? own.value : null, problem: own.ok ? null : own.error }))
  }

  const put = (request: SweepRequest, targetLabel: string) => {
    store.update((now) => ({ ...now, request, targetLabel, edited: isEdited(request) }))
    estimating.request()
    saving.request()
  }
  const edit = (change: (request: SweepRequest) => SweepRequest) => {
    const { request, targetLabel } = store.get()
    if (request !== null) put(change(request), targetLabel)
  }
  const propose = () => {
    const option = best()
    if (option !== undefined) put(proposal(option.target), option.label)
  }
  discovery.subscribe(() => {
    const { request } = store.get()
    if (request === null && loaded) propose()
    else if (request !== null) store.update((now) => ({ ...now, edited: isEdited(request) }))
  })

  let loaded = false
  connection.live((client) => {
    if (loaded) estimating.request()
    else
      void client.app.loadLayout({ key: KEY }).then((answer) => {
        if (!answer.ok || loaded) return
        loaded = true
        const saved = savedSchema.safeParse(parseJson(answer.value.json))
        if (saved.success && store.get().request === null) put(saved.data.request, saved.data.targetLabel)
        else if (store.get().request === null) propose()
      })
    return () => {}
  })

  return {
    get: store.get,
    subscribe: store.subscribe,
    setTarget: (target, label) => put({ ...(store.get().request ?? proposal(target)), target }, label),
    change: (part) => edit((request) => ({ ...request, ...part })),
    changeSlo: (part) => edit((request) => ({ ...request, slo: { ...request.slo, ...part } })),
    changeWorkload: (part) => edit((request) => ({ ...request, workload: { ...request.workload, ...part } })),
    setWorkloadKind: (kind) =>
      edit(({ workload: { promptTokens: _prompt, outputTokens: _output, kind: _kind, prompts: _prompts, ...rest }, ...request }) => ({
        ...request,
        workload: kind === 'short-chat' ? rest : { ...rest, kind },
      })),
    // An open load has rates, not levels that a sweep could look for.
    setLoad: (load) => edit(({ load: _, ...request }) => (load.kind === 'burst' ? request : { ...request, load })),
    setMode: (mode) => edit((request) => ({ ...request, mode, waves: null })),
    setRepeats: (repeats) => edit(({ mode: _, ...request }) => ({ ...request, repeats })),
    setLevels: (levels) =>
      edit((request) => ({ ...request, levels: [...levels], ...(levels.length === 0 ? { mode: request.mode ?? 'standard' } : {}) })),
    adopt: (request, label) => put(request, label),
    reset: propose,
  }
}

function parseJson(json: string | null): unknown {
  if (json === null || json === '') return undefined
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}

/**
 * What a server on OpenAI's wire says of itself and of one model (M11): which kind it is stands in core/model-servers/server-kinds, and only what that
 * kind tells is taken. Every document may be absent, slow, half, or a web page: then nothing is known from it.
 */
import type { z } from 'zod'
import { lmStudioModelsSchema, openAiModelsSchema, propsSchema, slotsSchema, vllmVersionSchema } from '../../../core/model-servers/documents.ts'
import { readGauges, readMetricsText } from '../../../core/model-servers/metrics-text.ts'
import { type KindName, recogniseServer } from '../../../core/model-servers/server-kinds.ts'
import { openAiPath } from '../../../core/openai/api-path.ts'
import { hideKeyInFailure } from '../../../core/openai/hide-key.ts'
import { openAiProblem } from '../../../core/openai/openai-problems.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { ServerFailure } from '../../../core/session/server-problems.ts'
import type { ServerFacts } from '../../../core/sweep/target.ts'
import { type HttpClient, type HttpOrigin, originText } from '../../platform/http-client.ts'
import { getJson, getText } from '../../platform/http-json.ts'
import { configuredSlots, declaredSlots } from './declared-slots.ts'
import { freeMemoryBytes } from './free-memory.ts'
import { findListeningProcess } from './listening-process.ts'
import { atBothLoopbacks, infoSchema, namesShown } from './server-facts.ts'

export interface OpenAiAccess {
  readonly url: string
  readonly key: string | undefined
}

/** The list of models decides whether there is a server at all; providers far away take their time. */
const MODELS_DEADLINE_MS = 10_000
/** What only tells more is not waited for long. */
const EXTRA_DEADLINE_MS = 2_000

/** The address without its version: the other documents of local servers lie beside it, and `/v1` is put before the API's own paths again. */
export function plainOrigin(origin: HttpOrigin): HttpOrigin {
  return { ...origin, basePath: origin.basePath.replace(/\/v1$/, '') }
}

export function readOpenAiFacts(http: HttpClient, { url, key }: OpenAiAccess, model: string): Promise<Result<ServerFacts, Problem>> {
  return atBothLoopbacks(url, (origin) => factsAt(http, plainOrigin(origin), key, model))
}

/** Whether something answers there that could be such a server; any status will do. */
export async function answersOpenAi(http: HttpClient, origin: HttpOrigin, key: string | undefined): Promise<Result<void, Problem>> {
  const models = await modelsOf(http, plainOrigin(origin), key)
  if (models.ok || models.error.kind === 'status' || models.error.kind === 'malformed') return ok(undefined)
  return err(openAiProblem(originText(origin), '', models.error))
}

const headersOf = (key: string | undefined) => (key === undefined ? {} : { headers: { Authorization: `Bearer ${key}` } })

function modelsOf(http: HttpClient, origin: HttpOrigin, key: string | undefined): Promise<Result<unknown, ServerFailure>> {
  const path = openAiPath(origin.basePath, '/models')
  return getJson(http, { origin, method: 'GET', path, deadlineMs: MODELS_DEADLINE_MS, ...headersOf(key) })
}

async function factsAt(http: HttpClient, origin: HttpOrigin, key: string | undefined, model: string): Promise<Result<ServerFacts, Problem>> {
  const server = originText(origin)
  const listed = await modelsOf(http, origin, key)
  const models = listed.ok ? openAiModelsSchema.safeParse(listed.value) : undefined
  // Some gateways have no list: a 404 there says nothing of the chat path, which the first turn will try.
  const noList = !listed.ok && listed.error.kind === 'status' && [404, 405, 501].includes(listed.error.status)
  if (!listed.ok && !noList) return err(openAiProblem(server, model, hideKeyInFailure(listed.error, key)))
  if (listed.ok && models?.success !== true)
    return err(openAiProblem(server, model, { kind: 'malformed', text: JSON.stringify(listed.value).slice(0, 120) }))
  const known = models?.success === true ? models.data.data : []
  const seen = await readExtras(http, origin, key)
  const owners = models?.success === true ? known.flatMap(({ owned_by: owner }) => owner ?? []) : undefined
  const kind = recogniseServer({
    isOurs: seen.info !== undefined,
    greeting: seen.greeting,
    hasProps: seen.props !== undefined,
    hasLmStudioModels: seen.lmStudio !== undefined,
    owners,
    series: seen.metrics?.map(({ name }) => name),
  })
  // llama-server answers to any name; the others do not.
  const listedModel = known.find(({ id }) => id === model || id === `${model}:latest`)
  if (listedModel === undefined && known.length > 0 && kind !== 'llama-server')
    return err(
      missing(
        server,
        model,
        known.map(({ id }) => id),
      ),
    )
  const process = await findListeningProcess(origin.host, origin.port)
  return ok({
    ...kindFacts(kind, seen, model),
    kind,
    url: server,
    model,
    api: 'openai',
    ...slotFacts(kind, seen, model, declaredSlots(process, null)),
    ...(listedModel?.max_model_len == null ? {} : { contextTokens: listedModel.max_model_len }),
    pid: process?.pid ?? null,
    configuredSlots: configuredSlots(process),
    freeMemoryBytes: process === null ? null : await freeMemoryBytes(),
    gauges: gaugesOf(seen),
  })
}

type Extras = Awaited<ReturnType<typeof readExtras>>

async function readExtras(http: HttpClient, origin: HttpOrigin, key: string | undefined) {
  const question = { origin, method: 'GET', deadlineMs: EXTRA_DEADLINE_MS, ...headersOf(key) } as const
  const json = async <T>(path: string, schema: z.ZodType<T>): Promise<T | undefined> => {
    const answer = await getJson(http, { ...question, path })
    const read = answer.ok ? schema.safeParse(answer.value) : undefined
    return read?.success === true ? read.data : undefined
  }
  const text = async (path: string): Promise<string | undefined> => {
    const answer = await getText(http, { ...question, path })
    return answer.ok ? answer.value : undefined
  }
  const [info, props, slots, lmStudio, vllm, metricsText, greeting] = await Promise.all([
    json('/plimsoll/info', infoSchema),
    json('/props', propsSchema),
    json('/slots', slotsSchema),
    json('/api/v1/models', lmStudioModelsSchema),
    json('/version', vllmVersionSchema),
    text('/metrics'),
    text('/'),
  ])
  return { info, props, slots, lmStudio, vllm, metrics: metricsText === undefined ? undefined : readMetricsText(metricsText), greeting }
}

function gaugesOf(seen: Extras): ServerFacts['gauges'] {
  if (seen.info !== undefined) return 'log'
  if (seen.metrics !== undefined && readGauges(seen.metrics) !== null) return 'metrics'
  return seen.slots === undefined ? null : 'slots'
}

const NOTHING = {
  version: null,
  versionKnown: false,
  simulated: false,
  engine: null,
  modelSizeBytes: null,
  quantization: null,
  family: null,
  contextTokens: null,
  vramBytes: null,
  supportsTools: null,
} as const

function kindFacts(kind: KindName, seen: Extras, model: string) {
  switch (kind) {
    case 'plimsoll':
      return { ...NOTHING, simulated: seen.info?.simulated ?? false, engine: seen.info?.engine ?? null }
    case 'llama-server': {
      const version = seen.props?.build_info ?? null
      const contextTokens = seen.slots?.[0]?.n_ctx ?? seen.props?.default_generation_settings?.n_ctx ?? null
      const supportsTools = seen.props?.chat_template_caps?.supports_tools ?? null
      return { ...NOTHING, version, versionKnown: version !== null, contextTokens, supportsTools }
    }
    case 'vllm': {
      const version = seen.vllm?.version ?? null
      return { ...NOTHING, version, versionKnown: version !== null }
    }
    case 'lm-studio': {
      const one = lmStudioModel(seen, model)
      return {
        ...NOTHING,
        modelSizeBytes: one?.size_bytes ?? null,
        quantization: one?.quantization?.name ?? null,
        family: one?.architecture ?? null,
        contextTokens: one?.loaded_instances[0]?.config?.context_length ?? null,
        supportsTools: one?.capabilities?.trained_for_tool_use ?? null,
      }
    }
    default:
      return NOTHING
  }
}

/** By its key, or by the name of an instance of it. */
function lmStudioModel(seen: Extras, model: string) {
  return seen.lmStudio?.models.find(({ key, loaded_instances: instances }) => key === model || instances.some(({ id }) => id === model))
}

type SlotFacts = Pick<ServerFacts, 'declaredSlots' | 'declaredSlotsSource'>

function slotFacts(kind: KindName, seen: Extras, model: string, process: { slots: number; source: string } | null): SlotFacts {
  const found = (slots: number | null | undefined, source: string): SlotFacts | null =>
    slots == null ? null : { declaredSlots: slots, declaredSlotsSource: source }
  const fromProcess = found(process?.slots, process?.source ?? '')
  const none: SlotFacts = { declaredSlots: null, declaredSlotsSource: null }
  switch (kind) {
    case 'plimsoll':
      return found(seen.info?.slots, 'the server itself') ?? none
    case 'llama-server':
      return (
        found(seen.slots?.length, '/slots of the server') ??
        found(seen.props?.total_slots, 'total_slots in /props of the server') ??
        fromProcess ??
        none
      )
    case 'lm-studio':
      return found(lmStudioModel(seen, model)?.loaded_instances[0]?.config?.parallel, 'config.parallel of the loaded model in /api/v1/models') ?? none
    case 'ollama':
      return fromProcess ?? none
    default:
      return none
  }
}

function missing(server: string, model: string, names: readonly string[]): Problem {
  return problem(
    'model-missing',
    `${server} has no model ${model === '' ? 'without a name' : model}.`,
    `It has ${namesShown(names)}.`,
    'Choose one of these with --model.',
  )
}

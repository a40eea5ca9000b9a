/** What a server on Ollama's API says of itself and of one model, read before a sweep, never assumed (M11). Others: openai-facts.ts. */
import { z } from 'zod'
import { kvBytesPerToken } from '../../../core/model-servers/context-memory.ts'
import { openAiModelsSchema, slotsSchema } from '../../../core/model-servers/documents.ts'
import { forcedToOne, isVersionKnown } from '../../../core/model-servers/ollama-slots.ts'
import { recogniseServer, SERVER_KINDS } from '../../../core/model-servers/server-kinds.ts'
import { psSchema, type ShowDocument, showSchema, type TagsDocument, tagsSchema, versionSchema } from '../../../core/ollama/documents.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { engineSchema, type ServerFacts } from '../../../core/sweep/target.ts'
import { type HttpClient, type HttpOrigin, originText, parseOrigin } from '../../platform/http-client.ts'
import { getText } from '../../platform/http-json.ts'
import { askServer } from './ask-server.ts'
import { configuredSlots, type DeclaredSlots, declaredSlots, llamaServerPorts } from './declared-slots.ts'
import { freeMemoryBytes } from './free-memory.ts'
import { findListeningProcess, type ListeningProcess } from './listening-process.ts'

/** The part of `/plimsoll/info` that is needed here; the model-host's own schema is wider. */
export const infoSchema = z.object({ engine: engineSchema, simulated: z.boolean(), slots: z.number().nullable() })

const GREETING_DEADLINE_MS = 2_000
/** More names make no better sentence. */
const NAMED_MODELS = 8

/** `localhost` is tried as 127.0.0.1, and as ::1 where nothing listens there; the facts hold the address that answered (R19). */
export async function readServerFacts(http: HttpClient, url: string, model: string): Promise<Result<ServerFacts, Problem>> {
  return atBothLoopbacks(url, (origin) => factsAt(http, origin, model))
}

export async function atBothLoopbacks(
  url: string,
  read: (origin: HttpOrigin) => Promise<Result<ServerFacts, Problem>>,
): Promise<Result<ServerFacts, Problem>> {
  const origin = parseOrigin(url)
  if (!origin.ok) return origin
  const facts = await read(origin.value)
  if (facts.ok || facts.error.code !== 'server-unreachable' || !/^(https?:\/\/)?localhost(:|\/|$)/.test(url.trim())) return facts
  const other = await read({ ...origin.value, host: '::1' })
  return other.ok ? other : facts
}

async function factsAt(http: HttpClient, origin: HttpOrigin, model: string): Promise<Result<ServerFacts, Problem>> {
  const server = originText(origin)
  const version = await askServer(http, server, { method: 'GET', path: '/api/version', schema: versionSchema })
  if (!version.ok) return err((await whyOtherWire(http, server)) ?? version.error)
  const [tags, ps, show, info, greeting, process] = await Promise.all([
    askServer(http, server, { method: 'GET', path: '/api/tags', schema: tagsSchema }),
    askServer(http, server, { method: 'GET', path: '/api/ps', schema: psSchema }),
    askServer(http, server, { method: 'POST', path: '/api/show', body: { model }, schema: showSchema, model }),
    askServer(http, server, { method: 'GET', path: '/plimsoll/info', schema: infoSchema }),
    getText(http, { origin, method: 'GET', path: '/', deadlineMs: GREETING_DEADLINE_MS }),
    findListeningProcess(origin.host, origin.port),
  ])
  if (!show.ok) return err(show.error.code === 'model-missing' && tags.ok ? missingModel(server, model, tags.value) : show.error)
  const ours = info.ok ? info.value : null
  const kind = recogniseServer({ isOurs: info.ok, greeting: greeting.ok ? greeting.value : undefined })
  const loaded = ps.ok ? ps.value.models.find((one) => sameModel(one.name, model)) : undefined
  const listed = tags.ok ? tags.value.models.find((one) => sameModel(one.name, model)) : undefined
  const { details, capabilities, model_info: modelInfo } = show.value
  const forced =
    ours === null ? forcedToOne({ family: details?.family ?? null, format: details?.format ?? null, capabilities: capabilities ?? null }) : null
  const declared = ours === null ? await slotsOf(http, process, version.value.version, forced) : ownSlots(ours.slots)
  return ok({
    kind,
    url: server,
    version: version.value.version,
    versionKnown: isVersionKnown(version.value.version),
    simulated: ours?.simulated ?? false,
    engine: ours?.engine ?? null,
    model,
    modelSizeBytes: listed?.size ?? null,
    quantization: details?.quantization_level || null,
    family: details?.family || null,
    contextTokens: loaded?.context_length ?? contextParameter(show.value),
    vramBytes: loaded?.size_vram ?? null,
    declaredSlots: declared?.slots ?? null,
    declaredSlotsSource: declared?.source ?? null,
    supportsTools: supportsTools(show.value),
    pid: process?.pid ?? null,
    api: 'ollama',
    configuredSlots: configuredSlots(process),
    residentBytes: loaded?.size ?? null,
    kvBytesPerToken: kvBytesPerToken(modelInfo, process?.env?.get('OLLAMA_KV_CACHE_TYPE')),
    freeMemoryBytes: process === null ? null : await freeMemoryBytes(),
    forcedToOne: forced,
    gauges: SERVER_KINDS.find((row) => row.kind === kind)?.gauges ?? null,
  })
}

/** A server that has no version on Ollama's API but a list of models on OpenAI's is no wrong address, only the wrong wire. */
async function whyOtherWire(http: HttpClient, server: string): Promise<Problem | null> {
  const models = await askServer(http, server, { method: 'GET', path: '/v1/models', schema: openAiModelsSchema, deadlineMs: GREETING_DEADLINE_MS })
  if (!models.ok) return null
  return problem(
    'other-wire',
    `${server} speaks OpenAI's wire, not Ollama's API.`,
    'A server on Ollama’s API was expected, since nothing else was said.',
    `Say so: --api openai. It has ${namesShown(models.value.data.map(({ id }) => id))}.`,
  )
}

const ownSlots = (slots: number | null): DeclaredSlots | null => (slots === null ? null : { slots, source: 'the server itself' })

/** The child's own list of slots is the surest there is, where there is one child and it answers. */
async function slotsOf(
  http: HttpClient,
  process: ListeningProcess | null,
  version: string | null,
  forced: string | null,
): Promise<DeclaredSlots | null> {
  const [port, ...others] = llamaServerPorts(process)
  if (port !== undefined && others.length === 0) {
    const slots = await askServer(http, `http://127.0.0.1:${port}`, { method: 'GET', path: '/slots', schema: slotsSchema })
    if (slots.ok) return { slots: slots.value.length, source: "/slots of the model's own llama-server" }
  }
  return declaredSlots(process, version, forced)
}

/** `mid` and `mid:latest` are one model. */
function sameModel(listed: string, asked: string): boolean {
  return listed === asked || listed === `${asked}:latest` || `${listed}:latest` === asked
}

/** `num_ctx 1024` in the model's own parameters; what the model was trained for says nothing of what is used. */
function contextParameter(show: ShowDocument): number | null {
  const match = /^num_ctx\s+(\d+)/m.exec(show.parameters ?? '')
  return match === null ? null : Number(match[1])
}

function supportsTools(show: ShowDocument): boolean | null {
  if (show.capabilities !== undefined) return show.capabilities.includes('tools')
  return show.template === undefined ? null : show.template.includes('.Tools')
}

function missingModel(server: string, model: string, tags: TagsDocument): Problem {
  const names = tags.models.map((one) => one.name)
  return problem(
    'model-missing',
    `${server} has no model ${model === '' ? 'without a name' : model}.`,
    names.length === 0 ? 'It has no models at all.' : `It has ${namesShown(names)}.`,
    names.length === 0 ? `Fetch one first: \`ollama pull ${model}\`.` : `Choose one of these, or fetch it: \`ollama pull ${model}\`.`,
  )
}

export function namesShown(names: readonly string[]): string {
  const more = names.length > NAMED_MODELS ? ` and ${names.length - NAMED_MODELS} more` : ''
  return `${names.slice(0, NAMED_MODELS).join(', ')}${more}`
}

/** What a server says of itself and of one model, read before a sweep, never assumed (M11). */
import { z } from 'zod'
import { psSchema, type ShowDocument, showSchema, type TagsDocument, tagsSchema, versionSchema } from '../../../core/ollama/documents.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { engineSchema, type ServerFacts } from '../../../core/sweep/target.ts'
import { type HttpClient, type HttpOrigin, originText, parseOrigin } from '../../platform/http-client.ts'
import { getJson } from '../../platform/http-json.ts'
import { askServer } from './ask-server.ts'
import { declaredSlots, isVersionKnown } from './declared-slots.ts'
import { findListeningProcess } from './listening-process.ts'

/** The part of `/plimsoll/info` that is needed here; the model-host's own schema is wider. */
const infoSchema = z.object({ engine: engineSchema, simulated: z.boolean(), slots: z.number().nullable() })

const OLLAMA_GREETING = 'Ollama is running'
const GREETING_DEADLINE_MS = 2_000
/** More names make no better sentence. */
const NAMED_MODELS = 8

/** `localhost` is tried as 127.0.0.1, and as ::1 where nothing listens there; the facts hold the address that answered (R19). */
export async function readServerFacts(http: HttpClient, url: string, model: string): Promise<Result<ServerFacts, Problem>> {
  const origin = parseOrigin(url)
  if (!origin.ok) return origin
  const facts = await factsAt(http, origin.value, model)
  if (facts.ok || facts.error.code !== 'server-unreachable' || !/^(https?:\/\/)?localhost(:|\/|$)/.test(url.trim())) return facts
  const other = await factsAt(http, { ...origin.value, host: '::1' }, model)
  return other.ok ? other : facts
}

async function factsAt(http: HttpClient, origin: HttpOrigin, model: string): Promise<Result<ServerFacts, Problem>> {
  const server = originText(origin)
  const version = await askServer(http, server, { method: 'GET', path: '/api/version', schema: versionSchema })
  if (!version.ok) return version
  const [tags, ps, show, info, greeting, process] = await Promise.all([
    askServer(http, server, { method: 'GET', path: '/api/tags', schema: tagsSchema }),
    askServer(http, server, { method: 'GET', path: '/api/ps', schema: psSchema }),
    askServer(http, server, { method: 'POST', path: '/api/show', body: { model }, schema: showSchema, model }),
    askServer(http, server, { method: 'GET', path: '/plimsoll/info', schema: infoSchema }),
    greets(http, origin),
    findListeningProcess(origin.host, origin.port),
  ])
  if (!show.ok) return err(show.error.code === 'model-missing' && tags.ok ? missingModel(server, model, tags.value) : show.error)
  const ours = info.ok ? info.value : null
  const loaded = ps.ok ? ps.value.models.find((one) => sameModel(one.name, model)) : undefined
  const listed = tags.ok ? tags.value.models.find((one) => sameModel(one.name, model)) : undefined
  const declared =
    ours === null ? declaredSlots(process, version.value.version) : ours.slots === null ? null : { slots: ours.slots, source: 'the server itself' }
  return ok({
    kind: ours !== null ? 'plimsoll' : greeting ? 'ollama' : 'unknown',
    url: server,
    version: version.value.version,
    versionKnown: isVersionKnown(version.value.version),
    simulated: ours?.simulated ?? false,
    engine: ours?.engine ?? null,
    model,
    modelSizeBytes: listed?.size ?? null,
    quantization: show.value.details?.quantization_level || null,
    family: show.value.details?.family || null,
    contextTokens: loaded?.context_length ?? contextParameter(show.value),
    vramBytes: loaded?.size_vram ?? null,
    declaredSlots: declared?.slots ?? null,
    declaredSlotsSource: declared?.source ?? null,
    supportsTools: supportsTools(show.value),
    pid: process?.pid ?? null,
  })
}

/** Ollama greets at its root in plain text, which is no JSON: here that is the good answer. */
async function greets(http: HttpClient, origin: HttpOrigin): Promise<boolean> {
  const answer = await getJson(http, { origin, method: 'GET', path: '/', deadlineMs: GREETING_DEADLINE_MS })
  return !answer.ok && answer.error.kind === 'malformed' && answer.error.text.startsWith(OLLAMA_GREETING)
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
  const more = names.length > NAMED_MODELS ? ` and ${names.length - NAMED_MODELS} more` : ''
  return problem(
    'model-missing',
    `${server} has no model ${model === '' ? 'without a name' : model}.`,
    names.length === 0 ? 'It has no models at all.' : `It has ${names.slice(0, NAMED_MODELS).join(', ')}${more}.`,
    names.length === 0 ? `Fetch one first: \`ollama pull ${model}\`.` : `Choose one of these, or fetch it: \`ollama pull ${model}\`.`,
  )
}

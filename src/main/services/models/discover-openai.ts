/** Looks whether servers on OpenAI's wire answer at the addresses where LM Studio, llama-server and vLLM usually listen on this machine. No key is sent. */
import { lmStudioModelsSchema, openAiModelsSchema, propsSchema } from '../../../core/model-servers/documents.ts'
import { type KindName, recogniseServer } from '../../../core/model-servers/server-kinds.ts'
import type { HttpClient } from '../../platform/http-client.ts'
import { askServer } from './ask-server.ts'

export interface OpenAiServer {
  readonly url: string
  readonly kind: KindName
  readonly models: readonly string[]
}

/** By their documentation: LM Studio, llama-server, vLLM. */
const USUAL_ADDRESSES = ['http://127.0.0.1:1234', 'http://127.0.0.1:8080', 'http://127.0.0.1:8000'] as const
/** Together under the 2 s that discovery may take. */
const DEADLINE_MS = 800

/** @returns those that answer; what else listens there is nobody's business */
export async function discoverOpenAiServers(http: HttpClient, addresses: readonly string[] = USUAL_ADDRESSES): Promise<readonly OpenAiServer[]> {
  const found = await Promise.all(addresses.map((url) => lookAt(http, url)))
  return found.flatMap((server) => server ?? [])
}

async function lookAt(http: HttpClient, url: string): Promise<OpenAiServer | null> {
  const models = await askServer(http, url, { method: 'GET', path: '/v1/models', schema: openAiModelsSchema, deadlineMs: DEADLINE_MS })
  if (!models.ok) return null
  const { data } = models.value
  const ask = { method: 'GET', deadlineMs: DEADLINE_MS } as const
  const [props, lmStudio] = await Promise.all([
    askServer(http, url, { ...ask, path: '/props', schema: propsSchema }),
    askServer(http, url, { ...ask, path: '/api/v1/models', schema: lmStudioModelsSchema }),
  ])
  const kind = recogniseServer({ hasProps: props.ok, hasLmStudioModels: lmStudio.ok, owners: data.flatMap(({ owned_by: owner }) => owner ?? []) })
  return { url, kind, models: data.map(({ id }) => id).filter((id) => !EMBEDDER.test(id)) }
}

const EMBEDDER = /embed|bge-|rerank/i

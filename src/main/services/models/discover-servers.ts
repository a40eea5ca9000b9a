/** Looks whether model servers answer at given addresses and what could be swept there, best first. */
import { psSchema, type TagsDocument, tagsSchema, versionSchema } from '../../../core/ollama/documents.ts'
import type { Problem } from '../../../core/result/problem.ts'
import { type HttpClient, originText, parseOrigin } from '../../platform/http-client.ts'
import { askServer } from './ask-server.ts'

export interface DiscoveredServer {
  readonly url: string
  readonly version: string | null
  /** Why it can't be used; null when it answers. */
  readonly problem: Problem | null
  /** Fit for a sweep, the best first: those in memory, then from small to large. */
  readonly models: readonly DiscoveredModel[]
}

export interface DiscoveredModel {
  readonly name: string
  readonly sizeBytes: number | null
  readonly resident: boolean
}

/** Together under the 2 s that discovery may take. */
const DEADLINE_MS = 1_500

/** Families that embed and do not chat. */
const EMBEDDING_FAMILY = /bert|embed/i

export async function discoverServers(http: HttpClient, addresses: readonly string[]): Promise<readonly DiscoveredServer[]> {
  const urls = new Set(
    addresses.map((address) => {
      const origin = parseOrigin(address)
      return origin.ok ? originText(origin.value) : address
    }),
  )
  return Promise.all([...urls].map((url) => discoverServer(http, url)))
}

async function discoverServer(http: HttpClient, url: string): Promise<DiscoveredServer> {
  const ask = { method: 'GET', deadlineMs: DEADLINE_MS } as const
  const [version, tags, ps] = await Promise.all([
    askServer(http, url, { ...ask, path: '/api/version', schema: versionSchema }),
    askServer(http, url, { ...ask, path: '/api/tags', schema: tagsSchema }),
    askServer(http, url, { ...ask, path: '/api/ps', schema: psSchema }),
  ])
  if (!version.ok) return { url, version: null, problem: version.error, models: [] }
  if (!tags.ok) return { url, version: version.value.version, problem: tags.error, models: [] }
  const resident = new Set(ps.ok ? ps.value.models.map((model) => model.name) : [])
  return { url, version: version.value.version, problem: null, models: sweepable(tags.value, resident) }
}

export function sweepable(tags: TagsDocument, resident: ReadonlySet<string>): readonly DiscoveredModel[] {
  return tags.models
    .filter((model) => !EMBEDDING_FAMILY.test(model.details?.family ?? '') && !isRemote(model))
    .map((model) => ({ name: model.name, sizeBytes: model.size ?? null, resident: resident.has(model.name) }))
    .sort(
      (a, b) =>
        Number(b.resident) - Number(a.resident) ||
        (a.sizeBytes ?? Number.POSITIVE_INFINITY) - (b.sizeBytes ?? Number.POSITIVE_INFINITY) ||
        (a.name < b.name ? -1 : 1),
    )
}

/** Ollama lists models that run on somebody else's machine too: they cost money and measure nothing here. */
function isRemote(model: TagsDocument['models'][number]): boolean {
  return typeof model.remote_host === 'string' || /[:-]cloud$/.test(model.name)
}

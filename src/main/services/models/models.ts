/**
 * Model servers as they are found: what a server says of itself and of a model, what it holds in memory, which servers answer here,
 * and the built-in ones that we start. Reads and starts; measures nothing.
 */
import type { Problem } from '../../../core/result/problem.ts'
import type { Result } from '../../../core/result/result.ts'
import type { ServerFacts } from '../../../core/sweep/target.ts'
import type { ForkChild } from '../../platform/child.ts'
import { systemClock } from '../../platform/clock.ts'
import { createHttpClient, parseOrigin } from '../../platform/http-client.ts'
import type { Log } from '../../platform/log.ts'
import { type BuiltInRequest, type BuiltInServer, createBuiltInServers } from './built-in-servers.ts'
import { discoverOpenAiServers, type OpenAiServer } from './discover-openai.ts'
import { type DiscoveredServer, discoverServers } from './discover-servers.ts'
import { type GaugeWatch, watchGauges } from './gauge-watch.ts'
import { findListeningProcess, type ListeningProcess } from './listening-process.ts'
import { answersOpenAi, readOpenAiFacts } from './openai-facts.ts'
import { type ResidentModel, residentModels } from './resident-models.ts'
import { readServerFacts } from './server-facts.ts'
import { type WarmOptions, warmModel } from './warm-model.ts'

export interface ModelsDeps {
  readonly fork: ForkChild
  /** Folder for generated models. */
  readonly dir: string
  readonly log: Log
  /** Names the address of Ollama in `OLLAMA_HOST`. */
  readonly env: Readonly<Record<string, string | undefined>>
}

export interface Models {
  /** @param wire absent = Ollama's native API */
  readServerFacts(url: string, model: string, wire?: { readonly key?: string }): Promise<Result<ServerFacts, Problem>>
  /** Whether a server on OpenAI's wire still answers, whatever it says. */
  answersOpenAi(url: string, key: string | undefined): Promise<Result<void, Problem>>
  residentModels(url: string): Promise<Result<readonly ResidentModel[], Problem>>
  warmModel(url: string, model: string, options?: WarmOptions): Promise<Result<void, Problem>>
  /** What listens at an address of this machine, as far as it may be looked into. */
  listeningProcess(url: string): Promise<ListeningProcess | null>
  /** Asks a server that says so how many requests run and wait, until it is closed. */
  watchGauges(server: { readonly url: string; readonly gauges: 'metrics' | 'slots'; readonly key?: string }): GaugeWatch
  /** Asks the usual addresses, or those given; takes up to 2 s. */
  discoverServers(addresses?: readonly string[]): Promise<readonly DiscoveredServer[]>
  /** Those that answer at the usual addresses of servers on OpenAI's wire, or at those given; takes up to 2 s. */
  discoverOpenAiServers(addresses?: readonly string[]): Promise<readonly OpenAiServer[]>
  startBuiltIn(request: BuiltInRequest): Promise<Result<BuiltInServer, Problem>>
  /** Stops the built-in servers that still run. */
  close(): Promise<void>
}

export function createModels(deps: ModelsDeps): Models {
  const http = createHttpClient()
  const builtIn = createBuiltInServers(deps)
  return {
    readServerFacts: (url, model, wire) =>
      wire === undefined ? readServerFacts(http, url, model) : readOpenAiFacts(http, { url, key: wire.key }, model),
    async answersOpenAi(url, key) {
      const origin = parseOrigin(url)
      return origin.ok ? answersOpenAi(http, origin.value, key) : origin
    },
    residentModels: (url) => residentModels(http, url),
    warmModel: (url, model, options) => warmModel(http, url, model, options),
    discoverServers: (addresses) => discoverServers(http, addresses ?? usualAddresses(deps.env)),
    async listeningProcess(url) {
      const origin = parseOrigin(url)
      return origin.ok ? findListeningProcess(origin.value.host, origin.value.port) : null
    },
    discoverOpenAiServers: (addresses) => discoverOpenAiServers(http, addresses),
    watchGauges: (server) => watchGauges({ http, clock: systemClock }, server),
    startBuiltIn: builtIn.start,
    async close() {
      await builtIn.close()
      http.close()
    },
  }
}

const OLLAMA_ADDRESS = 'http://127.0.0.1:11434'

function usualAddresses(env: ModelsDeps['env']): readonly string[] {
  const named = env.OLLAMA_HOST?.trim()
  return named === undefined || named === '' ? [OLLAMA_ADDRESS] : [named, OLLAMA_ADDRESS]
}

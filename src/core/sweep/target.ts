/** What a sweep measures: a model on a model server that speaks Ollama's native API. */
import { z } from 'zod'

export const engineSchema = z.enum(['llama', 'simulated', 'null'])
export type Engine = z.infer<typeof engineSchema>

export const targetSchema = z.discriminatedUnion('kind', [
  /** A server that runs already. */
  z.object({
    kind: z.literal('server'),
    url: z.string(),
    model: z.string(),
    /** The wire it is spoken to in; absent = Ollama's native API. */
    api: z.enum(['ollama', 'openai']).optional(),
    /** Environment variable that holds the key; the key itself is never stored. */
    keyName: z.string().optional(),
    /** US dollars per million tokens; absent = it costs nothing. */
    price: z.object({ inputUsd: z.number().nonnegative(), outputUsd: z.number().nonnegative() }).optional(),
  }),
  /** One of ours, started for the sweep. `settings` are the simulated engine's knobs (see model-host/simulation-settings). */
  z.object({
    kind: z.literal('built-in'),
    engine: engineSchema,
    model: z.string(),
    slots: z.int().positive(),
    settings: z.record(z.string(), z.unknown()).default({}),
  }),
])
export type Target = z.infer<typeof targetSchema>

/** What was read of the server before the sweep, never assumed (M11). Null = it did not say. */
export const serverFactsSchema = z.object({
  kind: z.enum(['ollama', 'plimsoll', 'llama-server', 'vllm', 'lm-studio', 'openai', 'unknown']),
  url: z.string(),
  /** "0.0.0" is what a source build of Ollama says: unknown, and nothing is assumed from it. */
  version: z.string().nullable(),
  versionKnown: z.boolean(),
  simulated: z.boolean(),
  engine: engineSchema.nullable(),
  model: z.string(),
  modelSizeBytes: z.number().nullable(),
  quantization: z.string().nullable(),
  family: z.string().nullable(),
  contextTokens: z.number().nullable(),
  /** Size on the GPU, from the process list once the model is loaded. */
  vramBytes: z.number().nullable(),
  declaredSlots: z.number().nullable(),
  /** Where `declaredSlots` was read: "OLLAMA_NUM_PARALLEL of the server's process". */
  declaredSlotsSource: z.string().nullable(),
  supportsTools: z.boolean().nullable(),
  /** Process id of the server where it runs on this machine and could be found: the sampler follows its tree. */
  pid: z.number().nullable(),
  /** Absent from here on in sweeps of older versions. The wire that it was spoken to in. */
  api: z.enum(['ollama', 'openai']).optional(),
  /** What the slots were set to, where that was read; `declaredSlots` is what the model was started with, which may be fewer. */
  configuredSlots: z.number().nullable().optional(),
  /** The loaded model in memory of any kind; more than `vramBytes` is a spill to the CPU. */
  residentBytes: z.number().nullable().optional(),
  /** What one token of context takes over all layers; an upper bound where layers see a window only. */
  kvBytesPerToken: z.number().nullable().optional(),
  /** Free on this machine when it was read; null for a server elsewhere. */
  freeMemoryBytes: z.number().nullable().optional(),
  /** Why this model gets one slot whatever is set. */
  forcedToOne: z.string().nullable().optional(),
  /** Where it says during a sweep how many requests run and wait. */
  gauges: z.enum(['metrics', 'slots', 'log']).nullable().optional(),
})
export type ServerFacts = z.infer<typeof serverFactsSchema>

/** Servers that run a model; a provider's address says more than "OpenAI-compatible server". */
const NAMED: Partial<Record<ServerFacts['kind'], string>> = { 'llama-server': 'llama-server', vllm: 'vLLM', 'lm-studio': 'LM Studio' }

/** One line for people: "smollm2:135m on Ollama 0.11.4", always with "simulated" where it is. */
export function targetLabel(facts: ServerFacts): string {
  const version = facts.version !== null && facts.versionKnown ? ` ${facts.version}` : ''
  const server =
    facts.kind === 'plimsoll'
      ? facts.simulated
        ? 'the simulated server'
        : 'the built-in server'
      : facts.kind === 'ollama'
        ? `Ollama${version}`
        : (NAMED[facts.kind] ?? facts.url)
  return `${facts.model} on ${server}`
}

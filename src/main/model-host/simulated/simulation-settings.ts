/** Every knob of the simulated server: its known truth. Set by `--sim key=value` or a JSON file; what is not named keeps its default. */
import { z } from 'zod'
import { forcedToolFields } from '../forced-tool-call.ts'
import { modelNamesSchema } from '../model-names.ts'

const share = z.number().min(0).max(1).default(0)
const lengthMs = z.number().min(0)

export const simulationSettingsSchema = z.strictObject({
  /** Lots (errors, resets, lengths) are drawn from it; same seed and same prompts, same lots. */
  seed: z.number().int().default(1),
  models: modelNamesSchema.default(['plimsoll-simulated']),
  /** Context of requests that name none, tokens. A request that names another makes the model reload. */
  contextTokens: z.number().int().positive().default(4_096),

  /** Time from slot to first token: fixed, or else by the rate. */
  prefillMs: lengthMs.optional(),
  prefillTokensPerSec: z.number().positive().default(2_000),
  /** What prompts do to each other: nothing; share the rate (Ollama 0.11); one after the other, whose wait is in no duration (Ollama 0.12 and newer). */
  neighbourPrefill: z.enum(['none', 'shared', 'serial']).default('none'),
  /** Answers stand still while any prompt is evaluated. */
  prefillStallsDecode: z.boolean().default(false),
  /** This share of a prompt is free when one that began alike (256 characters) was seen before. */
  prefixCachedRatio: share,

  /** Time per token of one stream alone. */
  decodeMs: z.number().positive().default(10),
  /** As a function of the streams at once: the same; so many times as long; read from `decodeTableMs`. */
  decodeShape: z.enum(['flat', 'proportional', 'table']).default('flat'),
  /** Time per token at 1, 2, 3 … streams; the last holds for more. */
  decodeTableMs: z.array(z.number().positive()).min(1).default([10]),
  /** Above so many streams a token takes `cliffFactor` times as long (speculative decoding, engine paths); 0: no cliff. */
  cliffAbove: z.number().int().min(0).default(0),
  cliffFactor: z.number().positive().default(3),
  /** Above so many streams the cliff is over again; 0: it never is. */
  cliffUpTo: z.number().int().min(0).default(0),
  /** Above so many streams the total no longer rises, each token takes as much longer (caches that no longer fit, full bandwidth); 0: never. */
  memoryBoundAbove: z.number().int().min(0).default(0),
  /** Everything takes this much longer for each minute since the first request, up to the limit (heat). */
  driftPerMinRatio: z.number().min(-0.9).default(0),
  driftMaxRatio: z.number().min(0).default(1),

  /** Answer length where the request sets no lower limit: a number, or from–to. */
  answerTokens: z.union([z.number().int().min(1), z.tuple([z.number().int().min(1), z.number().int().min(1)])]).default(64),
  /** Reasoning before the answer; above 0 the model is one that can think. */
  thinkingTokens: z.number().int().min(0).default(0),
  /** The model has a template for tools. */
  tools: z.boolean().default(true),
  ...forcedToolFields,
  /** Tool calls come inside the done line. */
  toolCallInDoneLine: z.boolean().default(false),

  loadMs: lengthMs.default(250),
  startLoaded: z.boolean().default(false),
  keepAliveMs: lengthMs.default(300_000),
  modelBytes: z.number().positive().default(1_000_000_000),
  /** What one token of context takes, in each slot. */
  contextBytesPerToken: z.number().min(0).default(0),
  /** Memory of the GPU; what does not fit lies outside, and then every token takes `spillFactor` times as long. 0: there is no GPU. */
  vramBytes: z.number().min(0).default(0),
  spillFactor: z.number().positive().default(4),
  /** One pool of context for all slots: who does not fit beside the others fails ("Context size has been exceeded."); 0: each slot has its own. */
  contextPoolTokens: z.number().int().min(0).default(0),
  maxLoadedModels: z.number().int().min(1).default(1),
  /** Requests that may wait for the loader; more get the 503. */
  pendingCap: z.number().int().min(0).default(512),
  /** Requests for the loaded model pass those that wait for another (Ollama from 0.11.5 on); false: it reloads back and forth. */
  warmBypass: z.boolean().default(true),

  /** Silence after the prompt, before headers and first token. In no duration. */
  silentMs: lengthMs.default(0),
  /** Silence inside the answer, after so many tokens. */
  gapAtToken: z.number().int().min(1).optional(),
  gapMs: lengthMs.default(0),
  /** The call gives its slot back at the gap and queues again (Ollama: structured output of a model that thinks). */
  gapRequeues: z.boolean().default(false),
  /** The stream fails after so many tokens; 0: before the first, with status 500. */
  errorAtToken: z.number().int().min(0).optional(),
  errorShare: z.number().min(0).max(1).default(1),
  errorText: z.string().default('an error was encountered while running the model'),
  /** Streams that end without their end marker. */
  missingEndShare: share,
  /** Answers that don't stop. */
  runawayShare: share,
  runawayTokens: z.number().int().min(1).default(20_000),
  runawayObeysLimit: z.boolean().default(false),
  /** An aborted request keeps its slot so long. */
  holdAfterAbortMs: lengthMs.default(0),
  /** Requests on a connection that carried one before are met by a reset. */
  resetShare: share,
  /** Refused with Ollama's 503, though the model is loaded (a stuck loader). */
  busyShare: share,
  /** Above so many requests in the house: refused as `refusal` says; 0: no such limit. */
  maxInFlight: z.number().int().min(0).default(0),
  /** How that is said: 429 as llama-swap does it, 429 with retry-after, 429 until the quota is reset, 529 of an overloaded provider. */
  refusal: z.enum(['too-many', 'rate-limit', 'usage-limit', 'overloaded']).default('too-many'),
  /** As providers refuse (refusals.ts). So many requests a second, and so many at once before that: else 429 with retry-after; 0: no such limit. */
  rateLimitPerSec: z.number().min(0).default(0),
  rateLimitBurst: z.number().int().min(1).default(1),
  retryAfterS: z.number().min(0).default(1),
  /** After so many requests in all: 429 that names the moment of the reset; 0: no such limit. */
  usageLimitRequests: z.number().int().min(0).default(0),
  /** More than so many starts within the window: 529, "temporarily limiting"; 0: no such limit. */
  burstLimit: z.number().int().min(0).default(0),
  burstWindowMs: lengthMs.default(1_000),
  /** Refused with 529, whatever the load. */
  overloadedShare: share,

  /** OpenAI's wire as llama-server speaks it: a first delta with the role only, `timings` in the last chunk. */
  llamaServerStyle: z.boolean().default(false),
  chunksPerWrite: z.number().int().min(1).default(1),
  /** Chunks are held so long after the first of them: a proxy that sends in clumps; 0: none. */
  bufferMs: lengthMs.default(0),
  headersAtOnce: z.boolean().default(false),
  pingEveryMs: lengthMs.default(0),
})
export type SimulationSettings = z.infer<typeof simulationSettingsSchema>

/** Time of one token while `streams` stream, without drift. */
export function tokenMs(settings: SimulationSettings, streams: number): number {
  const { decodeMs, decodeShape, decodeTableMs, memoryBoundAbove } = settings
  const bound = memoryBoundAbove > 0 ? Math.max(1, streams / memoryBoundAbove) : 1
  const times = bound * cliffTimes(settings, streams)
  switch (decodeShape) {
    case 'flat':
      return decodeMs * times
    case 'proportional':
      return decodeMs * Math.max(1, streams) * times
    case 'table':
      return (decodeTableMs[Math.max(0, Math.min(streams, decodeTableMs.length) - 1)] ?? decodeMs) * times
  }
}

function cliffTimes({ cliffAbove, cliffUpTo, cliffFactor }: SimulationSettings, streams: number): number {
  const isOn = cliffAbove > 0 && streams > cliffAbove && (cliffUpTo === 0 || streams <= cliffUpTo)
  return isOn ? cliffFactor : 1
}

export type Placement = { readonly sizeBytes: number; readonly vramBytes: number; readonly spills: boolean }

/** Where a model with so much context in so many slots lies. */
export function placementOf(settings: SimulationSettings, contextTokens: number, slots: number): Placement {
  const { modelBytes, contextBytesPerToken, vramBytes } = settings
  const sizeBytes = modelBytes + contextBytesPerToken * contextTokens * slots
  return { sizeBytes, vramBytes: Math.min(sizeBytes, vramBytes), spills: vramBytes > 0 && sizeBytes > vramBytes }
}

/** How much longer everything takes, after so many minutes; 1 = no drift. */
export function driftFactor(settings: SimulationSettings, minutes: number): number {
  const drift = settings.driftPerMinRatio * minutes
  return 1 + Math.max(-0.9, Math.min(settings.driftMaxRatio, drift))
}

/** What the llama.cpp server can be told besides model and slots. */
import { z } from 'zod'
import { forcedToolFields } from '../forced-tool-call.ts'

export const llamaSettingsSchema = z.strictObject({
  /** Context of requests that name none, tokens a slot. A request that names another makes the model reload, as with Ollama. */
  contextTokens: z.number().int().min(64).default(2_048),
  /**
   * Of the evaluation. One is not shyness: with as many threads as cores llama.cpp's spinning barriers bring a small machine
   * down to 1 to 3 tokens/s.
   */
  threads: z.number().int().min(1).default(1),
  batchTokens: z.number().int().min(32).default(512),
  keepAliveMs: z.number().min(0).default(300_000),
  pendingCap: z.number().int().min(0).default(512),
  warmBypass: z.boolean().default(true),
  /** Length of an answer whose request sets no limit. The generated models never stop by themselves. */
  answerTokens: z.number().int().min(1).default(256),
  seed: z.number().int().default(1),
  ...forcedToolFields,
})
export type LlamaSettings = z.infer<typeof llamaSettingsSchema>

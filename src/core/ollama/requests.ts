/** What Ollama's native API is asked. Loose on purpose: fields that nobody here needs pass through unchecked, as on the real server. */
import { z } from 'zod'

const modelOptionsSchema = z.looseObject({
  num_predict: z.number().int().optional(),
  num_ctx: z.number().int().positive().optional(),
  num_thread: z.number().int().optional(),
  temperature: z.number().optional(),
  top_k: z.number().optional(),
  top_p: z.number().optional(),
  seed: z.number().int().optional(),
  stop: z.array(z.string()).optional(),
})
export type ModelOptions = z.infer<typeof modelOptionsSchema>

const toolCallSchema = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ index: z.number().optional(), name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) }),
})
export type ToolCall = z.infer<typeof toolCallSchema>

export const toolSchema = z.looseObject({
  type: z.string().default('function'),
  function: z.looseObject({ name: z.string(), description: z.string().optional(), parameters: z.unknown().optional() }),
})
export type Tool = z.infer<typeof toolSchema>

const chatMessageSchema = z.looseObject({
  role: z.string(),
  content: z.string().default(''),
  thinking: z.string().optional(),
  images: z.array(z.string()).optional(),
  tool_calls: z.array(toolCallSchema).optional(),
  tool_name: z.string().optional(),
})
export type ChatMessage = z.infer<typeof chatMessageSchema>

const common = {
  model: z.string(),
  /** Streams unless told not to. */
  stream: z.boolean().optional(),
  /** `json`, or a JSON schema. */
  format: z.unknown().optional(),
  /** Go duration text (`5m`, `-1`) or a number of seconds. */
  keep_alive: z.union([z.string(), z.number()]).optional(),
  think: z.union([z.boolean(), z.string()]).nullish(),
  options: modelOptionsSchema.nullish(),
}

export const chatRequestSchema = z.looseObject({
  ...common,
  messages: z
    .array(chatMessageSchema)
    .nullish()
    .transform((m) => m ?? []),
  tools: z
    .array(toolSchema)
    .nullish()
    .transform((t) => t ?? []),
})
export type ChatRequest = z.infer<typeof chatRequestSchema>

export const generateRequestSchema = z.looseObject({
  ...common,
  prompt: z.string().default(''),
  system: z.string().optional(),
  raw: z.boolean().optional(),
})
export type GenerateRequest = z.infer<typeof generateRequestSchema>

export const embedRequestSchema = z.looseObject({
  model: z.string(),
  input: z.union([z.string(), z.array(z.string())]),
  keep_alive: common.keep_alive,
  options: common.options,
})
export type EmbedRequest = z.infer<typeof embedRequestSchema>

/** Newer servers say `model`, older clients still send `name`. */
export const showRequestSchema = z.looseObject({ model: z.string().optional(), name: z.string().optional() })
export type ShowRequest = z.infer<typeof showRequestSchema>

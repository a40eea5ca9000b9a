/** What servers other than Ollama say of themselves, checked with zod as far as it is used: any of it may be absent or of another version. */
import { z } from 'zod'

/** `/v1/models`. */
export const openAiModelsSchema = z.looseObject({
  data: z.array(z.looseObject({ id: z.string(), owned_by: z.string().optional().catch(undefined), max_model_len: z.number().nullish().catch(null) })),
})

/** llama-server's `/props`. */
export const propsSchema = z.looseObject({
  /** A router in front of several models has none of its own. */
  total_slots: z.int().positive().optional().catch(undefined),
  build_info: z.string().optional().catch(undefined),
  default_generation_settings: z.looseObject({ n_ctx: z.number().optional() }),
  /** Where the template has no tools, the server takes them and drops them without a word. */
  chat_template_caps: z
    .looseObject({ supports_tools: z.boolean().optional().catch(undefined) })
    .optional()
    .catch(undefined),
})

/** llama-server's `/slots`, which `--no-slots` turns off. */
export const slotsSchema = z.array(z.looseObject({ n_ctx: z.number().optional(), is_processing: z.boolean().optional() })).min(1)

/** LM Studio's `/api/v1/models`. */
export const lmStudioModelsSchema = z.looseObject({
  models: z.array(
    z.looseObject({
      key: z.string(),
      size_bytes: z.number().nullish().catch(null),
      quantization: z.looseObject({ name: z.string().nullish() }).nullish().catch(null),
      architecture: z.string().nullish().catch(null),
      capabilities: z.looseObject({ trained_for_tool_use: z.boolean().optional() }).nullish().catch(null),
      loaded_instances: z
        .array(
          z.looseObject({
            id: z.string(),
            config: z.looseObject({ parallel: z.number().nullish().catch(null), context_length: z.number().nullish().catch(null) }).optional(),
          }),
        )
        .default([]),
    }),
  ),
})

/** vLLM's `/version`. */
export const vllmVersionSchema = z.looseObject({ version: z.string() })

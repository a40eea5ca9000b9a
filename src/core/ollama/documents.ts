/** Ollama's small answers: version, tags, ps, show, error. Checked with zod, since they come from any server at any address. */
import { z } from 'zod'

export const versionSchema = z.looseObject({ version: z.string() })
export type VersionDocument = z.infer<typeof versionSchema>

const modelDetailsSchema = z.looseObject({
  parent_model: z.string().optional(),
  format: z.string().optional(),
  family: z.string().optional(),
  families: z.array(z.string()).nullish(),
  parameter_size: z.string().optional(),
  quantization_level: z.string().optional(),
})
export type ModelDetails = z.infer<typeof modelDetailsSchema>

export const tagsSchema = z.looseObject({
  models: z
    .array(
      z.looseObject({
        name: z.string(),
        model: z.string().optional(),
        modified_at: z.string().optional(),
        /** Bytes on disk. */
        size: z.number().optional(),
        digest: z.string().optional(),
        details: modelDetailsSchema.optional(),
      }),
    )
    .nullish()
    .transform((m) => m ?? []),
})
export type TagsDocument = z.infer<typeof tagsSchema>

export const psSchema = z.looseObject({
  models: z
    .array(
      z.looseObject({
        name: z.string(),
        model: z.string().optional(),
        /** Bytes in memory of any kind; more than `size_vram` means a spill to the CPU. */
        size: z.number().optional(),
        size_vram: z.number().optional(),
        context_length: z.number().optional(),
        expires_at: z.string().optional(),
        digest: z.string().optional(),
        details: modelDetailsSchema.optional(),
      }),
    )
    .nullish()
    .transform((m) => m ?? []),
})
export type PsDocument = z.infer<typeof psSchema>

export const showSchema = z.looseObject({
  license: z.string().optional(),
  modelfile: z.string().optional(),
  parameters: z.string().optional(),
  template: z.string().optional(),
  details: modelDetailsSchema.optional(),
  model_info: z.record(z.string(), z.unknown()).nullish(),
  /** `completion`, `tools`, `thinking`, `vision`, `embedding`; absent before 0.6. */
  capabilities: z.array(z.string()).optional(),
})
export type ShowDocument = z.infer<typeof showSchema>

/** Answer of a server that is full while a model loads; the two spaces are Ollama's own. */
export const SERVER_BUSY_TEXT = 'server busy, please try again.  maximum pending requests exceeded'

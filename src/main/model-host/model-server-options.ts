/** What a model server is started with, on the command line, by a message from the main process, or in a test. Plain data: it crosses a process line. */
import { z } from 'zod'

export const engineKindSchema = z.enum(['llama', 'simulated', 'null'])

export const modelServerOptionsSchema = z.strictObject({
  engine: engineKindSchema,
  host: z.string().min(1).default('127.0.0.1'),
  /** 0: any free one. */
  port: z.number().int().min(0).max(65_535).default(0),
  /** Calls served at once; 0: without limit, which only `null` can. Without it `llama` and `simulated` serve one, as Ollama does, and `null` all. */
  slots: z.number().int().min(0).max(1_024).optional(),
  /** For `llama`: a GGUF file, or one of the generated models. For the others: the name to answer to. */
  model: z.string().min(1).optional(),
  /** Folder for generated models; made when missing. Without it the system's folder for temporary files. */
  cacheDir: z.string().min(1).optional(),
  /** JSON lines, one a request, are appended here. */
  logFile: z.string().min(1).optional(),
  /** The engine's own settings, checked by its own schema. */
  settings: z.record(z.string(), z.unknown()).default({}),
})
export type ModelServerOptions = z.infer<typeof modelServerOptionsSchema>
export type ModelServerRequest = z.input<typeof modelServerOptionsSchema>

/** What `/plimsoll/info` says. */
export const modelServerInfoSchema = z.object({
  engine: engineKindSchema,
  /** True: no inference behind these numbers; show them as simulated. */
  simulated: z.boolean(),
  /** null: no limit. */
  slots: z.number().int().nullable(),
  models: z.array(z.string()),
  version: z.string(),
  settings: z.record(z.string(), z.unknown()),
})
export type ModelServerInfo = z.infer<typeof modelServerInfoSchema>

/** What the control server can be told. Same defaults as the pacing server that peers were measured on: 50 ms, then 100 tokens/s, 64 tokens. */
import { z } from 'zod'
import { modelNamesSchema } from '../model-names.ts'

export const nullSettingsSchema = z.strictObject({
  models: modelNamesSchema.default(['plimsoll-null']),
  /** From slot to first token. 0: at once. */
  prefillMs: z.number().min(0).default(50),
  /** Pace of one stream; 0: all tokens at once. */
  tokensPerSec: z.number().min(0).default(100),
  /** Length of an answer whose request sets no lower limit. */
  answerTokens: z.number().int().min(1).default(64),
  text: z.string().min(1).default(' word'),
})
export type NullSettings = z.infer<typeof nullSettingsSchema>

/** How many tokens a prompt has where no tokenizer is at hand: four characters each, and four for a message's frame (OpenAI's rule of thumb for English). */
import type { CallMessage } from './engine.ts'

const CHARS_PER_TOKEN = 4
const FRAME_TOKENS = 4

export function estimateTokens(messages: readonly CallMessage[]): number {
  return messages.reduce((sum, message) => sum + FRAME_TOKENS + Math.ceil(message.content.length / CHARS_PER_TOKEN), 0)
}

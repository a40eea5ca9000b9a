/** Prompts of the work after the answer. The session's own words come first, so that no two prompts begin alike (M3). */
import type { ConversationMessage } from '../../../core/session/conversation.ts'

/** A title or note needs the beginning of what was said, not all of it. */
const QUOTE_CHARS = 600
const TITLE_CHARS = 80

export function titlePrompt(conversation: readonly ConversationMessage[]): string {
  return `${quote(conversation)}\n\nGive this conversation a title of at most six words. Answer with the title only.`
}

export function memoryPrompt(conversation: readonly ConversationMessage[]): string {
  return `${quote(conversation)}\n\nWrite one short sentence that is worth remembering of this. Answer with the sentence only.`
}

/** The last question and its answer. */
function quote(conversation: readonly ConversationMessage[]): string {
  const asked = conversation.findLast((message) => message.role === 'user')
  const answered = conversation.findLast((message) => message.role === 'assistant')
  return `${clip(asked?.content ?? '')}\n\n${clip(answered?.content ?? '')}`.trim()
}

const clip = (text: string) => (text.length > QUOTE_CHARS ? `${text.slice(0, QUOTE_CHARS)} …` : text)

/** A title as it is shown: one line, no quotes around it, not too long. */
export function oneLine(text: string): string {
  const line = text.trim().split('\n')[0] ?? ''
  const bare = line.replace(/\s+/g, ' ').replace(/^["'*#\s]+|["'*\s]+$/g, '')
  return bare.length > TITLE_CHARS ? `${bare.slice(0, TITLE_CHARS - 1)}…` : bare
}

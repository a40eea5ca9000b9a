/** What `/v1/chat/completions` is asked, as far as it means anything here; other fields pass unread. Messages come out in the engines' shape. */
import { z } from 'zod'
import { toolSchema } from '../../../core/ollama/requests.ts'
import type { CallMessage } from '../engine.ts'

const contentSchema = z.union([z.string(), z.array(z.looseObject({ type: z.string(), text: z.string().optional() }))]).nullish()

const openAiToolCallSchema = z.looseObject({
  id: z.string().optional(),
  function: z.looseObject({ name: z.string(), arguments: z.string().default('{}') }),
})

const messageSchema = z
  .looseObject({ role: z.string(), content: contentSchema, tool_calls: z.array(openAiToolCallSchema).nullish() })
  .transform((message): CallMessage => ({ role: message.role, content: textOf(message.content), toolCalls: callsOf(message.tool_calls ?? []) }))

export const openAiRequestSchema = z.looseObject({
  model: z.string().min(1),
  messages: z.array(messageSchema),
  stream: z.boolean().nullish(),
  stream_options: z.looseObject({ include_usage: z.boolean().optional() }).nullish(),
  max_tokens: z.number().int().nullish(),
  max_completion_tokens: z.number().int().nullish(),
  temperature: z.number().nullish(),
  seed: z.number().int().nullish(),
  tools: z
    .array(toolSchema)
    .nullish()
    .transform((tools) => tools ?? []),
})

function textOf(content: z.infer<typeof contentSchema>): string {
  if (typeof content === 'string') return content
  return (content ?? []).map((part) => part.text ?? '').join('\n')
}

function callsOf(calls: readonly z.infer<typeof openAiToolCallSchema>[]): CallMessage['toolCalls'] {
  return calls.map((call) => ({ id: call.id, function: { name: call.function.name, arguments: argumentsOf(call.function.arguments) } }))
}

function argumentsOf(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : {}
  } catch {
    return {}
  }
}

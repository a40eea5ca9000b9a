/** How a call's answer reads on each of the three wires: Ollama's chat and generate (NDJSON) and OpenAI's chat completions (SSE). Values to text, no sockets. */
import type { ChatChunk, FinalFields, GenerateChunk } from '../../../core/ollama/chunks.ts'
import type { ToolCall } from '../../../core/ollama/requests.ts'
import { encodeSse } from '../../../core/stream/encode-sse.ts'
import type { CallEnd, Channel } from '../engine.ts'
import { hashText, seededRandom } from '../seeded-random.ts'

/** All that was said, for answers that are not streamed. */
export interface WholeAnswer {
  readonly content: string
  readonly thinking: string
  readonly toolCalls: readonly ToolCall[]
}

export interface WireFormat {
  readonly streamType: string
  readonly jsonType: string
  /** What goes out with the headers, before anything was said; mostly nothing. */
  readonly opening: string
  /** One piece of text, with its line end. */
  token(text: string, channel: Channel, createdAt: string): string
  toolCalls(calls: readonly ToolCall[], createdAt: string): string
  /** The end marker and what goes with it; `calls` are tool calls that the final line carries. */
  final(end: CallEnd, calls: readonly ToolCall[], createdAt: string): string
  /** What ends a stream that fails after it began. */
  errorLine(message: string): string
  /** The answer in one piece. */
  whole(answer: WholeAnswer, end: CallEnd, createdAt: string): string
  /** The body of a refusal. */
  errorBody(status: number, message: string): string
}

const NDJSON = 'application/x-ndjson'
const JSON_UTF8 = 'application/json; charset=utf-8'

/** Never zero: Ollama leaves zeros out, and a duration that was measured is never quite zero there. */
const nanoseconds = (ms: number) => Math.max(1, Math.round(ms * 1e6))

function finalFields(end: CallEnd): FinalFields {
  if (end.reason === 'load' || end.reason === 'unload') return { done_reason: end.reason }
  return {
    done_reason: end.reason,
    total_duration: nanoseconds(end.totalMs),
    load_duration: nanoseconds(end.loadMs),
    prompt_eval_count: end.promptTokens,
    prompt_eval_duration: nanoseconds(end.promptEvalMs),
    eval_count: end.answerTokens,
    eval_duration: nanoseconds(end.evalMs),
  }
}

/** @param model as the request named it */
export function ollamaChatFormat(model: string): WireFormat {
  const line = (createdAt: string, message: ChatChunk['message'], done: boolean, rest: FinalFields = {}) => {
    const chunk: ChatChunk = { model, created_at: createdAt, message, done, ...rest }
    return `${JSON.stringify(chunk)}\n`
  }
  return {
    opening: '',
    streamType: NDJSON,
    jsonType: JSON_UTF8,
    token: (text, channel, createdAt) =>
      line(
        createdAt,
        { role: 'assistant', content: channel === 'content' ? text : '', ...(channel === 'thinking' ? { thinking: text } : {}) },
        false,
      ),
    toolCalls: (calls, createdAt) => line(createdAt, { role: 'assistant', content: '', tool_calls: [...calls] }, false),
    final: (end, calls, createdAt) =>
      line(createdAt, { role: 'assistant', content: '', ...(calls.length > 0 ? { tool_calls: [...calls] } : {}) }, true, finalFields(end)),
    errorLine: (message) => `${JSON.stringify({ error: message })}\n`,
    whole: (answer, end, createdAt) =>
      line(
        createdAt,
        {
          role: 'assistant',
          content: answer.content,
          ...(answer.thinking === '' ? {} : { thinking: answer.thinking }),
          ...(answer.toolCalls.length > 0 ? { tool_calls: [...answer.toolCalls] } : {}),
        },
        true,
        finalFields(end),
      ).trimEnd(),
    errorBody: (_status, message) => JSON.stringify({ error: message }),
  }
}

/** @param model as the request named it */
export function ollamaGenerateFormat(model: string): WireFormat {
  const line = (createdAt: string, response: string, done: boolean, rest: Partial<GenerateChunk> = {}) => {
    const chunk: GenerateChunk = { model, created_at: createdAt, response, done, ...rest }
    return `${JSON.stringify(chunk)}\n`
  }
  // The conversation as token numbers is answered, as Ollama does, but stays empty: nobody here can go on from it.
  const last = (end: CallEnd) => ({ ...finalFields(end), ...(end.reason === 'load' || end.reason === 'unload' ? {} : { context: [] }) })
  return {
    opening: '',
    streamType: NDJSON,
    jsonType: JSON_UTF8,
    token: (text, channel, createdAt) => line(createdAt, channel === 'content' ? text : '', false, channel === 'thinking' ? { thinking: text } : {}),
    toolCalls: () => '',
    final: (end, _calls, createdAt) => line(createdAt, '', true, last(end)),
    errorLine: (message) => `${JSON.stringify({ error: message })}\n`,
    whole: (answer, end, createdAt) =>
      line(createdAt, answer.content, true, { ...(answer.thinking === '' ? {} : { thinking: answer.thinking }), ...last(end) }).trimEnd(),
    errorBody: (_status, message) => JSON.stringify({ error: message }),
  }
}

/** Vectors that tell nothing: the right shape, numbers drawn from the input. @param inputs one vector each */
export function ollamaEmbedFormat(model: string, inputs: readonly string[]): WireFormat {
  const vector = (input: string) => {
    const random = seededRandom(hashText(input))
    return Array.from({ length: EMBEDDING_LENGTH }, () => random.next() * 2 - 1)
  }
  return {
    ...ollamaChatFormat(model),
    whole: (_answer, end) =>
      JSON.stringify({
        model,
        embeddings: inputs.map(vector),
        total_duration: nanoseconds(end.totalMs),
        load_duration: nanoseconds(end.loadMs),
        prompt_eval_count: end.promptTokens,
      }),
  }
}

const EMBEDDING_LENGTH = 64

export interface OpenAiFormatOptions {
  readonly model: string
  readonly callId: number
  /** From `stream_options.include_usage`. */
  readonly usage: boolean
  readonly createdEpochS: number
  readonly fingerprint: string
  readonly llamaServerStyle: boolean
}

export function openAiChatFormat({ model, callId, usage, createdEpochS, fingerprint, llamaServerStyle }: OpenAiFormatOptions): WireFormat {
  const head = (object: string) => ({ id: `chatcmpl-${callId}`, object, created: createdEpochS, model, system_fingerprint: fingerprint })
  const chunk = (delta: object, finish: string | null = null, rest: object = {}) =>
    encodeSse(JSON.stringify({ ...head('chat.completion.chunk'), choices: [{ index: 0, delta, finish_reason: finish }], ...rest }))
  const timings = (end: CallEnd) => ({
    timings: { cache_n: 0, prompt_n: end.promptTokens, prompt_ms: end.promptEvalMs, predicted_n: end.answerTokens, predicted_ms: end.evalMs },
  })
  const openAiCalls = (calls: readonly ToolCall[]) =>
    calls.map((call, index) => ({
      id: call.id ?? `call_${callId}_${index}`,
      index,
      type: 'function',
      function: { name: call.function.name, arguments: JSON.stringify(call.function.arguments) },
    }))
  const usageOf = (end: CallEnd) => ({
    prompt_tokens: end.promptTokens,
    completion_tokens: end.answerTokens,
    total_tokens: end.promptTokens + end.answerTokens,
  })
  let calledTools = false
  const finishReason = (end: CallEnd, calls: readonly ToolCall[]) =>
    calledTools || calls.length > 0 ? 'tool_calls' : end.reason === 'length' ? 'length' : 'stop'

  return {
    opening: llamaServerStyle ? chunk({ role: 'assistant', content: null }) : '',
    streamType: 'text/event-stream',
    jsonType: 'application/json',
    token: (text, channel) =>
      chunk({ role: 'assistant', content: channel === 'content' ? text : '', ...(channel === 'thinking' ? { reasoning: text } : {}) }),
    toolCalls(calls) {
      calledTools = true
      return chunk({ role: 'assistant', content: '', tool_calls: openAiCalls(calls) })
    },
    final(end, calls) {
      const last = chunk(
        { role: 'assistant', content: '', ...(calls.length > 0 ? { tool_calls: openAiCalls(calls) } : {}) },
        finishReason(end, calls),
        llamaServerStyle ? timings(end) : {},
      )
      const counted = usage ? encodeSse(JSON.stringify({ ...head('chat.completion.chunk'), choices: [], usage: usageOf(end) })) : ''
      return `${last}${counted}${encodeSse('[DONE]')}`
    },
    // Ollama has no error event here: an empty chunk comes, then the stream ends with neither finish reason nor [DONE].
    errorLine: () => chunk({ role: 'assistant', content: '' }),
    whole: (answer, end) =>
      JSON.stringify({
        ...head('chat.completion'),
        choices: [
          {
            index: 0,
            message: {
              role: 'assistant',
              content: answer.content,
              ...(answer.thinking === '' ? {} : { reasoning: answer.thinking }),
              ...(answer.toolCalls.length > 0 ? { tool_calls: openAiCalls(answer.toolCalls) } : {}),
            },
            finish_reason: finishReason(end, answer.toolCalls),
          },
        ],
        usage: usageOf(end),
      }),
    errorBody: (status, message) => openAiErrorBody(status, message),
  }
}

export function openAiErrorBody(status: number, message: string): string {
  const type = status === 400 ? 'invalid_request_error' : status === 429 ? 'rate_limit_error' : status === 529 ? 'overloaded_error' : 'api_error'
  return JSON.stringify({ error: { message, type, param: null, code: null } })
}

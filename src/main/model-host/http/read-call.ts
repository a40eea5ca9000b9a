/** From a request's body to a model call, or to the refusal that Ollama gives for it: same status, same shape, its words where they are known. */
import type { z } from 'zod'
import { chatRequestSchema, embedRequestSchema, generateRequestSchema, type ModelOptions, type Tool } from '../../../core/ollama/requests.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { CallFailure, CallMessage, ModelCall, ModelCard } from '../engine.ts'
import { findCard } from './model-documents.ts'
import { openAiRequestSchema } from './openai-request.ts'
import { ollamaChatFormat, ollamaEmbedFormat, ollamaGenerateFormat, openAiChatFormat, type WireFormat } from './wire-format.ts'

export type CallPath = '/api/chat' | '/api/generate' | '/api/embed' | '/v1/chat/completions'

export const CALL_PATHS: readonly CallPath[] = ['/api/chat', '/api/generate', '/api/embed', '/v1/chat/completions']

/** What a request asks, on any of the wires. */
export interface AskedCall {
  readonly card: ModelCard
  readonly format: WireFormat
  /** As the request named it. */
  readonly model: string
  readonly stream: boolean
  /** Only load or unload the model. */
  readonly loadOnly: boolean
  readonly call: Pick<ModelCall, 'messages' | 'tools' | 'think' | 'embed' | 'format' | 'options' | 'keepAliveMs'>
}

export interface ReadCallDeps {
  readonly cards: readonly ModelCard[]
  readonly callId: number
  readonly epochMs: number
  readonly fingerprint: string
  readonly llamaServerStyle: boolean
}

export function readCall(path: CallPath, body: string, deps: ReadCallDeps): Result<AskedCall, CallFailure> {
  if (body.trim() === '') return refuse(400, path === '/v1/chat/completions' ? 'unexpected end of JSON input' : 'missing request body')
  let value: unknown
  try {
    value = JSON.parse(body)
  } catch (cause) {
    return refuse(400, cause instanceof Error ? cause.message : 'invalid JSON')
  }
  switch (path) {
    case '/api/chat':
      return readChat(value, deps)
    case '/api/generate':
      return readGenerate(value, deps)
    case '/api/embed':
      return readEmbed(value, deps)
    case '/v1/chat/completions':
      return readOpenAi(value, deps)
  }
}

function readChat(value: unknown, deps: ReadCallDeps): Result<AskedCall, CallFailure> {
  const parsed = chatRequestSchema.safeParse(value)
  if (!parsed.success) return refuseShape(parsed.error)
  const asked = parsed.data
  if (asked.model === '') return refuse(400, 'model is required')
  const card = findCard(deps.cards, asked.model)
  if (card === undefined) return refuse(404, `model ${JSON.stringify(asked.model)} not found, try pulling it first`)
  const unable = missingCapability(card, asked.tools, asked.think)
  if (unable !== undefined) return refuse(400, unable)
  return ok({
    card,
    format: ollamaChatFormat(asked.model),
    model: asked.model,
    stream: asked.stream !== false,
    loadOnly: asked.messages.length === 0,
    call: {
      messages: asked.messages.map((m) => ({ role: m.role, content: m.content, toolCalls: m.tool_calls ?? [] })),
      tools: asked.tools,
      think: thinks(card, asked.think),
      embed: false,
      format: asked.format,
      options: asked.options ?? {},
      keepAliveMs: readKeepAlive(asked.keep_alive),
    },
  })
}

function readGenerate(value: unknown, deps: ReadCallDeps): Result<AskedCall, CallFailure> {
  const parsed = generateRequestSchema.safeParse(value)
  if (!parsed.success) return refuseShape(parsed.error)
  const asked = parsed.data
  const card = findCard(deps.cards, asked.model)
  if (card === undefined) return refuse(404, `model '${asked.model}' not found`)
  const unable = missingCapability(card, [], asked.think)
  if (unable !== undefined) return refuse(400, unable)
  const system: CallMessage[] = asked.system === undefined ? [] : [{ role: 'system', content: asked.system, toolCalls: [] }]
  return ok({
    card,
    format: ollamaGenerateFormat(asked.model),
    model: asked.model,
    stream: asked.stream !== false,
    loadOnly: asked.prompt === '',
    call: {
      messages: [...system, { role: 'user', content: asked.prompt, toolCalls: [] }],
      tools: [],
      think: thinks(card, asked.think),
      embed: false,
      format: asked.format,
      options: asked.options ?? {},
      keepAliveMs: readKeepAlive(asked.keep_alive),
    },
  })
}

function readEmbed(value: unknown, deps: ReadCallDeps): Result<AskedCall, CallFailure> {
  const parsed = embedRequestSchema.safeParse(value)
  if (!parsed.success) return refuseShape(parsed.error)
  const asked = parsed.data
  const card = findCard(deps.cards, asked.model)
  if (card === undefined) return refuse(404, `model ${JSON.stringify(asked.model)} not found, try pulling it first`)
  if (!card.embeds) return refuse(501, 'this server does not support embeddings')
  const inputs = typeof asked.input === 'string' ? [asked.input] : asked.input
  return ok({
    card,
    format: ollamaEmbedFormat(asked.model, inputs),
    model: asked.model,
    stream: false,
    loadOnly: false,
    call: {
      messages: inputs.map((content) => ({ role: 'user', content, toolCalls: [] })),
      tools: [],
      think: false,
      embed: true,
      format: undefined,
      options: asked.options ?? {},
      keepAliveMs: readKeepAlive(asked.keep_alive),
    },
  })
}

function readOpenAi(value: unknown, deps: ReadCallDeps): Result<AskedCall, CallFailure> {
  const parsed = openAiRequestSchema.safeParse(value)
  if (!parsed.success) return refuseShape(parsed.error)
  const asked = parsed.data
  if (asked.messages.length === 0) return refuse(400, "[] is too short - 'messages'")
  const card = findCard(deps.cards, asked.model)
  if (card === undefined) return refuse(404, `model ${JSON.stringify(asked.model)} not found, try pulling it first`)
  const unable = missingCapability(card, asked.tools, undefined)
  if (unable !== undefined) return refuse(400, unable)
  const options: ModelOptions = {}
  const limit = asked.max_completion_tokens ?? asked.max_tokens
  if (typeof limit === 'number') options.num_predict = limit
  if (typeof asked.temperature === 'number') options.temperature = asked.temperature
  if (typeof asked.seed === 'number') options.seed = asked.seed
  return ok({
    card,
    format: openAiChatFormat({
      model: asked.model,
      callId: deps.callId,
      usage: asked.stream_options?.include_usage === true,
      createdEpochS: Math.floor(deps.epochMs / 1000),
      fingerprint: deps.fingerprint,
      llamaServerStyle: deps.llamaServerStyle,
    }),
    model: asked.model,
    stream: asked.stream === true,
    loadOnly: false,
    call: {
      messages: asked.messages,
      tools: asked.tools,
      think: thinks(card, undefined),
      embed: false,
      format: undefined,
      options,
      keepAliveMs: undefined,
    },
  })
}

/** A model that can think does so unless told not to, as Ollama's. */
function thinks(card: ModelCard, asked: boolean | string | null | undefined): boolean {
  return card.capabilities.includes('thinking') && asked !== false
}

function missingCapability(card: ModelCard, tools: readonly Tool[], think: boolean | string | null | undefined): string | undefined {
  const name = `registry.ollama.ai/library/${card.name}:latest`
  if (tools.length > 0 && !card.capabilities.includes('tools')) return `${name} does not support tools`
  if (think !== undefined && think !== null && think !== false && !card.capabilities.includes('thinking')) return `${name} does not support thinking`
  return undefined
}

const UNIT_MS: Record<string, number> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Go's duration text (`5m`, `1h30m`) or seconds; negative = for ever. */
export function readKeepAlive(value: string | number | undefined): number | undefined {
  if (value === undefined || value === '') return undefined
  if (typeof value === 'number') return value < 0 ? Number.POSITIVE_INFINITY : value * 1_000
  if (value.startsWith('-')) return Number.POSITIVE_INFINITY
  const parts = [...value.matchAll(/(\d+(?:\.\d+)?)(ms|s|m|h)?/g)]
  if (parts.length === 0) return undefined
  return parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * (UNIT_MS[unit ?? 's'] ?? 0), 0)
}

function refuse(status: number, message: string): Result<never, CallFailure> {
  return err({ status, message })
}

function refuseShape(error: z.ZodError): Result<never, CallFailure> {
  const issue = error.issues[0]
  const at = issue?.path.map(String) ?? []
  if (at[0] === 'model' && at.length === 1) return refuse(400, 'model is required')
  // Ollama checks options only when the model runs, hence its 500.
  if (at[0] === 'options' && at.length > 1) return refuse(500, `option "${at[1]}" must be of another type: ${issue?.message ?? 'not valid'}`)
  return refuse(400, `json: cannot read field ${at.join('.') || '(the request itself)'}: ${issue?.message ?? 'not valid'}`)
}

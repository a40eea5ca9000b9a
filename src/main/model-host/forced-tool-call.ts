/** Tool calls that do not come from a model's mind: neither the simulated server nor random weights have one. Which, when, and with what arguments. */
import { z } from 'zod'
import type { Tool, ToolCall } from '../../core/ollama/requests.ts'
import type { ModelCall } from './engine.ts'
import { WORDS } from './gguf/tiny-vocabulary.ts'
import type { SeededRandom } from './seeded-random.ts'

/** The knobs, as fields of an engine's settings. */
export const forcedToolFields = {
  /** Model calls of a turn that are answered by a tool call, when tools are offered. */
  toolCallsPerTurn: z.number().int().min(0).default(0),
  /** Which calls, in order; without it tools are taken in turn and arguments made to fit. */
  toolScript: z.array(z.strictObject({ name: z.string(), arguments: z.record(z.string(), z.unknown()).default({}) })).default([]),
  /** Length of a tool call; it arrives whole, after that time. */
  toolCallTokens: z.number().int().min(1).default(16),
}

export interface ForcedToolSettings {
  readonly toolCallsPerTurn: number
  readonly toolScript: readonly { readonly name: string; readonly arguments: Record<string, unknown> }[]
}

/** The tool call that this model call is answered by, if any: the first `toolCallsPerTurn` calls after the last message of the person are. */
export function forcedToolCalls(call: Pick<ModelCall, 'messages' | 'tools'>, settings: ForcedToolSettings, random: SeededRandom): ToolCall[] {
  if (call.tools.length === 0) return []
  const turnStart = call.messages.findLastIndex((message) => message.role === 'user')
  const made = call.messages.slice(turnStart + 1).filter((message) => message.toolCalls.length > 0).length
  if (made >= settings.toolCallsPerTurn) return []
  const id = `call_${Math.floor(random.next() * 2 ** 32).toString(36)}`
  const scripted = settings.toolScript[made % Math.max(1, settings.toolScript.length)]
  if (scripted !== undefined) return [{ id, function: { index: 0, name: scripted.name, arguments: scripted.arguments } }]
  const tool = call.tools[made % call.tools.length]
  return tool === undefined ? [] : [{ id, function: { index: 0, name: tool.function.name, arguments: fittingArguments(tool, random) } }]
}

/** Values for the required properties of a tool's JSON schema; enough to be accepted, not to make sense. */
function fittingArguments(tool: Tool, random: SeededRandom): Record<string, unknown> {
  const schema = tool.function.parameters
  if (!isRecord(schema) || !isRecord(schema.properties)) return {}
  const required = Array.isArray(schema.required) ? schema.required : Object.keys(schema.properties)
  const entries = Object.entries(schema.properties).filter(([name]) => required.includes(name))
  return Object.fromEntries(entries.map(([name, property]) => [name, fittingValue(name, property, random)]))
}

function fittingValue(name: string, property: unknown, random: SeededRandom): unknown {
  const schema = isRecord(property) ? property : {}
  if (Array.isArray(schema.enum) && schema.enum.length > 0) return schema.enum[Math.floor(random.next() * schema.enum.length)]
  if (schema.default !== undefined) return schema.default
  switch (schema.type) {
    case 'integer':
    case 'number':
      return typeof schema.minimum === 'number' ? schema.minimum : 1
    case 'boolean':
      return true
    case 'array':
      return []
    case 'object':
      return {}
    default:
      // A place that exists in any workspace; anything else gets a word.
      return /path|dir|folder/i.test(name) ? '.' : (WORDS[Math.floor(random.next() * WORDS.length)] ?? 'the')
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

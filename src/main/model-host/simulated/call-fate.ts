/** What a simulated call will say and what will befall it, drawn once, when it comes in. The simulation then only gives it time. */
import type { Tool, ToolCall } from '../../../core/ollama/requests.ts'
import type { Channel, ModelCall } from '../engine.ts'
import { estimateTokens } from '../estimate-tokens.ts'
import { WORDS } from '../gguf/tiny-vocabulary.ts'
import { hashText, type SeededRandom, seededRandom } from '../seeded-random.ts'
import type { SimulationSettings } from './simulation-settings.ts'

export interface CallFate {
  /** Met by a reset before anything else. */
  readonly reset: boolean
  /** Met by the 503. */
  readonly busy: boolean
  readonly promptTokens: number
  /** Tokens of time it takes, thinking and tool call included; at an error those before it. */
  readonly tokens: number
  readonly thinkingTokens: number
  readonly toolCalls: readonly ToolCall[]
  readonly ends: 'stop' | 'length' | 'error' | 'cut'
  word(index: number): { text: string; channel: Channel }
}

/**
 * @param occurrence how often this very prompt came before: a repeated prompt draws anew
 */
export function drawFate(call: ModelCall, settings: SimulationSettings, occurrence: number): CallFate {
  const random = seededRandom(settings.seed ^ hashText(`${occurrence} ${promptText(call)}`))
  // All lots are drawn each time and in this order, so that one knob does not shift the lots of another.
  const lots = { reset: random.next(), busy: random.next(), error: random.next(), cut: random.next(), runaway: random.next(), length: random.next() }
  const wordSeed = Math.floor(random.next() * 2 ** 32)

  const toolCalls = nextToolCall(call, settings, random)
  const runaway = lots.runaway < settings.runawayShare
  const fails = settings.errorAtToken !== undefined && lots.error < settings.errorShare
  const thinkingTokens = call.think ? settings.thinkingTokens : 0
  const natural = thinkingTokens + (toolCalls.length > 0 ? settings.toolCallTokens : answerLength(settings, runaway, lots.length))
  const limit = call.options.num_predict
  const limited = limit !== undefined && limit > 0 && limit < natural && !(runaway && !settings.runawayObeysLimit)
  const tokens = limited ? limit : natural
  const words = seededRandom(wordSeed)
  return {
    reset: call.reusedSocket && lots.reset < settings.resetShare,
    busy: lots.busy < settings.busyShare,
    promptTokens: estimateTokens(call.messages),
    tokens: fails ? Math.min(tokens, settings.errorAtToken ?? tokens) : tokens,
    thinkingTokens,
    toolCalls: limited ? [] : toolCalls,
    ends: fails ? 'error' : lots.cut < settings.missingEndShare ? 'cut' : limited ? 'length' : 'stop',
    word: (index) => ({
      text: ` ${WORDS[Math.floor(words.next() * WORDS.length)] ?? 'the'}`,
      channel: index < thinkingTokens ? 'thinking' : 'content',
    }),
  }
}

/** Cached prefixes are recognised by this many characters. */
const PREFIX_CHARS = 256

export function promptText(call: Pick<ModelCall, 'messages'>): string {
  return call.messages.map((message) => `${message.role}\n${message.content}`).join('\n')
}

export function promptPrefix(call: Pick<ModelCall, 'messages'>): string {
  return promptText(call).slice(0, PREFIX_CHARS)
}

function answerLength(settings: SimulationSettings, runaway: boolean, lot: number): number {
  if (runaway) return settings.runawayTokens
  if (typeof settings.answerTokens === 'number') return settings.answerTokens
  const [from, to] = settings.answerTokens
  return from + Math.floor(lot * (Math.max(from, to) - from + 1))
}

/** The tool call that this model call is answered by, if any: the first `toolCallsPerTurn` calls after the last message of the person are. */
function nextToolCall(call: ModelCall, settings: SimulationSettings, random: SeededRandom): ToolCall[] {
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
export function fittingArguments(tool: Tool, random: SeededRandom): Record<string, unknown> {
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

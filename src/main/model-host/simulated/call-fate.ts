/** What a simulated call will say and what will befall it, drawn once, when it comes in. The simulation then only gives it time. */
import type { ToolCall } from '../../../core/ollama/requests.ts'
import type { Channel, ModelCall } from '../engine.ts'
import { estimateTokens } from '../estimate-tokens.ts'
import { forcedToolCalls } from '../forced-tool-call.ts'
import { WORDS } from '../gguf/tiny-vocabulary.ts'
import { hashText, seededRandom } from '../seeded-random.ts'
import type { SimulationSettings } from './simulation-settings.ts'

export interface CallFate {
  /** Met by a reset before anything else. */
  readonly reset: boolean
  /** Met by the 503. */
  readonly busy: boolean
  /** Met by the 529. */
  readonly overloaded: boolean
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
  const overloadedLot = seededRandom(wordSeed ^ OVERLOAD_SALT).next()

  const toolCalls = forcedToolCalls(call, settings, random)
  const runaway = lots.runaway < settings.runawayShare
  const fails = settings.errorAtToken !== undefined && lots.error < settings.errorShare
  const thinkingTokens = call.think ? settings.thinkingTokens : 0
  const natural = thinkingTokens + (toolCalls.length > 0 ? settings.toolCallTokens : answerLength(settings, runaway, lots.length))
  const limit = call.options.num_predict
  const limited = limit !== undefined && limit > 0 && limit < natural && !(runaway && !settings.runawayObeysLimit)
  const tokens = call.embed ? 0 : limited ? limit : natural
  const words = seededRandom(wordSeed)
  return {
    reset: call.reusedSocket && lots.reset < settings.resetShare,
    busy: lots.busy < settings.busyShare,
    overloaded: overloadedLot < settings.overloadedShare,
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

/** Keeps this lot apart from the words of the answer. */
const OVERLOAD_SALT = 0x529

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

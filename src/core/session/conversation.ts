/**
 * The conversation as the model is told it, folded from a session's events: what was asked, answered, and what the tools gave.
 * A session that lives and one that was opened again send the same.
 */
import type { TurnId } from '../result/ids.ts'
import { problem } from '../result/problem.ts'
import type { SessionEvent } from './session-event.ts'

export type ConversationMessage =
  | { readonly role: 'user'; readonly content: string }
  | { readonly role: 'assistant'; readonly content: string; readonly tool_calls?: readonly SaidToolCall[] }
  | { readonly role: 'tool'; readonly content: string; readonly tool_name: string }

export interface SaidToolCall {
  readonly function: { readonly name: string; readonly arguments: Record<string, unknown> }
}

/** Built up event by event: one per session, or once over a stored session's events. */
export class Conversation {
  readonly #turns = new Map<TurnId, Turn>()

  take(event: SessionEvent): void {
    if (event.type === 'turn-accepted') {
      this.#turns.set(event.turnId, { ask: event.text, told: [], text: '', step: undefined, answering: false, toolNames: new Map() })
      return
    }
    const turn = this.#turns.get(event.turnId)
    if (turn !== undefined) takeInTurn(turn, event)
  }

  /** What a model call of this turn is told: the turns before it, its question, what the model said and the tools gave so far. */
  messagesFor(turnId: TurnId): ConversationMessage[] {
    const messages: ConversationMessage[] = []
    for (const [id, turn] of this.#turns) {
      const told = toldOf(turn)
      if (id === turnId) return [...messages, { role: 'user', content: turn.ask }, ...told]
      // Of a turn that ended before any answer nothing is told, so that two questions never follow each other.
      if (told.length > 0) messages.push({ role: 'user', content: turn.ask }, ...told)
    }
    return messages
  }

  /** The answer's text since the last tool call. */
  answerOf(turnId: TurnId): string {
    return this.#turns.get(turnId)?.text ?? ''
  }
}

interface Turn {
  readonly ask: string
  readonly told: ConversationMessage[]
  readonly toolNames: Map<number, string>
  text: string
  /** Tool calls of the model's last message, while its tools run. */
  step: SaidToolCall[] | undefined
  /** The model call under way is one of the answer, not of the background work. */
  answering: boolean
}

function takeInTurn(turn: Turn, event: SessionEvent): void {
  switch (event.type) {
    case 'call-sent':
      turn.answering = event.purpose === 'answer'
      turn.step = undefined
      break
    case 'delta':
      if (event.channel === 'text' && turn.answering) turn.text += event.text
      break
    case 'tool-started':
      if (turn.step === undefined) {
        turn.step = []
        turn.told.push({ role: 'assistant', content: turn.text, tool_calls: turn.step })
        turn.text = ''
      }
      turn.step.push({ function: { name: event.name, arguments: argumentsOf(event.input) } })
      turn.toolNames.set(event.tool, event.name)
      break
    case 'tool-ended':
      turn.told.push({ role: 'tool', content: event.output, tool_name: turn.toolNames.get(event.tool) ?? '' })
      break
    default:
      break
  }
}

function toldOf(turn: Turn): readonly ConversationMessage[] {
  return turn.text === '' ? turn.told : [...turn.told, { role: 'assistant', content: turn.text }]
}

function argumentsOf(input: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(input)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {}
  } catch {
    return {}
  }
}

/** True once the session has a title. */
export function isTitled(events: readonly SessionEvent[]): boolean {
  return events.some((event) => event.type === 'title')
}

/**
 * The missing last events of turns that were still open when the process ended: cut, with what is known of them.
 * Stamps are those of the turn's last event, since the clock may have begun anew with the machine.
 */
export function interruptedEnds(events: readonly SessionEvent[]): SessionEvent[] {
  const open = new Map<string, { first: SessionEvent; last: SessionEvent; started: number | null; done: number | null }>()
  for (const event of events) {
    const turn = open.get(event.turnId)
    if (event.type === 'turn-ended') open.delete(event.turnId)
    else if (turn === undefined) open.set(event.turnId, { first: event, last: event, started: null, done: null })
    else {
      turn.last = event
      if (event.type === 'turn-started') turn.started = event.atMs
      if (event.type === 'turn-done') turn.done = event.atMs
    }
  }
  let seq = events.at(-1)?.seq ?? 0
  return [...open.values()].map(({ first, last, started, done }) => {
    seq += 1
    const timeline = {
      acceptedAtMs: first.atMs,
      runnerStartAtMs: started,
      firstModelRequestAtMs: null,
      firstActivityAtMs: null,
      doneAtMs: done,
      backgroundEndAtMs: last.atMs,
      outcome: 'cut' as const,
      problem: problem(
        'interrupted',
        'Plimsoll ended while this turn was under way.',
        '',
        'What had come of the answer is kept; ask again to go on.',
      ),
      calls: [],
      tools: [],
    }
    return { seq, atMs: last.atMs, turnId: first.turnId, type: 'turn-ended' as const, timeline }
  })
}

/** A chat as it reads: session events folded into turns. Pure; the store applies events in batches and hands React the result once a frame. */
import type { SessionEvent } from '../../../core/session/session-event.ts'
import type { TurnTimeline } from '../../../core/session/timeline.ts'

export type Step =
  | { readonly kind: 'text'; readonly call: number; readonly text: string }
  | { readonly kind: 'thinking'; readonly call: number; readonly text: string }
  | {
      readonly kind: 'tool'
      readonly tool: number
      readonly name: string
      readonly input: string
      readonly summary: string
      readonly ok: boolean | null
      readonly tookMs: number | null
      readonly startedAtMs: number
    }
  | { readonly kind: 'notice'; readonly text: string }

export type TurnState = 'queued' | 'working' | 'background' | 'done' | 'failed' | 'stopped'

export type ChatTurn = {
  readonly turnId: string
  readonly text: string
  readonly state: TurnState
  /** Set while the turn waits for admission. */
  readonly queue: { readonly place: number; readonly inFlight: number; readonly limit: number } | null
  readonly steps: readonly Step[]
  /** Model calls of the work behind the answer; what they say is not part of it. */
  readonly backgroundCalls: readonly number[]
  readonly timeline: TurnTimeline | null
}

export type Transcript = { readonly title: string | null; readonly lastSeq: number; readonly turns: readonly ChatTurn[] }

export const emptyTranscript: Transcript = { title: null, lastSeq: 0, turns: [] }

function appendText(steps: readonly Step[], kind: 'text' | 'thinking', call: number, text: string): readonly Step[] {
  const last = steps.at(-1)
  if (last?.kind === kind && last.call === call) return [...steps.slice(0, -1), { ...last, text: last.text + text }]
  return [...steps, { kind, call, text }]
}

function endTool(steps: readonly Step[], event: Extract<SessionEvent, { type: 'tool-ended' }>): readonly Step[] {
  return steps.map((step) =>
    step.kind === 'tool' && step.tool === event.tool && step.ok === null
      ? { ...step, ok: event.ok, summary: event.summary, tookMs: event.atMs - step.startedAtMs }
      : step,
  )
}

const OUTCOME_STATE = { completed: 'done', failed: 'failed', cut: 'stopped' } as const

function applyToTurn(turn: ChatTurn, event: SessionEvent): ChatTurn {
  switch (event.type) {
    case 'turn-queued':
      return { ...turn, state: 'queued', queue: { place: event.place, inFlight: event.inFlight, limit: event.limit } }
    case 'turn-started':
      return { ...turn, state: 'working', queue: null }
    case 'notice':
      return { ...turn, steps: [...turn.steps, { kind: 'notice', text: event.text }] }
    case 'delta':
      if (event.channel === 'tool-call' || turn.backgroundCalls.includes(event.call)) return turn
      return { ...turn, steps: appendText(turn.steps, event.channel, event.call, event.text) }
    case 'tool-started':
      return {
        ...turn,
        steps: [
          ...turn.steps,
          { kind: 'tool', tool: event.tool, name: event.name, input: event.input, summary: '', ok: null, tookMs: null, startedAtMs: event.atMs },
        ],
      }
    case 'tool-ended':
      return { ...turn, steps: endTool(turn.steps, event) }
    case 'turn-done':
      return { ...turn, state: 'background' }
    case 'turn-ended':
      return { ...turn, state: OUTCOME_STATE[event.timeline.outcome], queue: null, timeline: event.timeline }
    case 'call-sent':
      return event.purpose === 'answer' ? turn : { ...turn, backgroundCalls: [...turn.backgroundCalls, event.call] }
    case 'turn-accepted':
    case 'title':
    case 'memory':
      return turn
  }
}

/** Applies a batch; events that were seen before (a replay after a reconnect) change nothing. */
export function applyEvents(transcript: Transcript, events: readonly SessionEvent[]): Transcript {
  const turns = [...transcript.turns]
  let { title, lastSeq } = transcript
  for (const event of events) {
    if (event.seq <= lastSeq) continue
    lastSeq = event.seq
    if (event.type === 'title') title = event.title
    if (event.type === 'turn-accepted') {
      turns.push({ turnId: event.turnId, text: event.text, state: 'working', queue: null, steps: [], backgroundCalls: [], timeline: null })
      continue
    }
    const at = turns.findLastIndex((turn) => turn.turnId === event.turnId)
    const turn = turns[at]
    if (turn !== undefined) turns[at] = applyToTurn(turn, event)
  }
  return { title, lastSeq, turns }
}

/** True while something runs or waits that Esc could stop. */
export function canStop(transcript: Transcript): boolean {
  return transcript.turns.some((turn) => turn.state === 'queued' || turn.state === 'working' || turn.state === 'background')
}

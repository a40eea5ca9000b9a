import { expect, test } from 'vitest'
import type { SessionEvent } from '../../../core/session/session-event.ts'
import type { TurnTimeline } from '../../../core/session/timeline.ts'
import { applyEvents, canStop, emptyTranscript } from './chat-transcript.ts'

const timeline: TurnTimeline = {
  acceptedAtMs: 0,
  runnerStartAtMs: 1,
  firstModelRequestAtMs: 2,
  firstActivityAtMs: 3,
  doneAtMs: 9,
  backgroundEndAtMs: 9,
  outcome: 'completed',
  problem: null,
  calls: [],
  tools: [],
}

type Bare = SessionEvent extends infer E ? (E extends SessionEvent ? Omit<E, 'seq' | 'atMs' | 'turnId'> : never) : never
const events = (...bare: Bare[]): SessionEvent[] =>
  bare.map((event, index) => ({ ...event, seq: index + 1, atMs: index * 10, turnId: 't1' }) as SessionEvent)

const whole = events(
  { type: 'turn-accepted', text: 'Where is it?' },
  { type: 'turn-queued', place: 2, inFlight: 4, limit: 4 },
  { type: 'turn-started' },
  { type: 'delta', call: 0, channel: 'thinking', text: 'Let me ' },
  { type: 'delta', call: 0, channel: 'thinking', text: 'look.' },
  { type: 'tool-started', tool: 0, name: 'search', input: '{"text":"it"}' },
  { type: 'tool-ended', tool: 0, ok: true, summary: '3 hits in src/', output: '…' },
  { type: 'delta', call: 1, channel: 'text', text: 'In ' },
  { type: 'delta', call: 1, channel: 'text', text: 'src.' },
  { type: 'turn-done' },
  { type: 'title', title: 'Where it is' },
  { type: 'turn-ended', timeline },
)

test('deltas of one channel join, tools keep their place between them', () => {
  const transcript = applyEvents(emptyTranscript, whole)
  expect(transcript.title).toBe('Where it is')
  expect(transcript.turns[0]?.steps).toMatchObject([
    { kind: 'thinking', text: 'Let me look.' },
    { kind: 'tool', name: 'search', ok: true, summary: '3 hits in src/', tookMs: 10 },
    { kind: 'text', text: 'In src.' },
  ])
  expect(transcript.turns[0]?.state).toBe('done')
})

test('what the title and the memory note say is not part of the answer', () => {
  const transcript = applyEvents(
    emptyTranscript,
    events(
      { type: 'turn-accepted', text: 'x' },
      { type: 'call-sent', call: 0, purpose: 'answer', model: 'm' },
      { type: 'delta', call: 0, channel: 'text', text: 'Yes.' },
      { type: 'turn-done' },
      { type: 'call-sent', call: 1, purpose: 'title', model: 'm' },
      { type: 'delta', call: 1, channel: 'text', text: 'A title' },
    ),
  )
  expect(transcript.turns[0]?.steps).toEqual([{ kind: 'text', call: 0, text: 'Yes.' }])
})

test('a queued turn shows its place, and can be taken back', () => {
  const transcript = applyEvents(emptyTranscript, whole.slice(0, 2))
  expect(transcript.turns[0]).toMatchObject({ state: 'queued', queue: { place: 2, limit: 4 } })
  expect(canStop(transcript)).toBe(true)
})

test('events that come again after a reconnect change nothing', () => {
  const once = applyEvents(emptyTranscript, whole)
  expect(applyEvents(once, whole)).toEqual(once)
  let stepwise = emptyTranscript
  for (const event of whole) stepwise = applyEvents(stepwise, [event])
  expect(stepwise).toEqual(once)
})

test('a failed turn and a stopped one tell which they are', () => {
  for (const [outcome, state] of [
    ['failed', 'failed'],
    ['cut', 'stopped'],
  ] as const) {
    const transcript = applyEvents(
      emptyTranscript,
      events({ type: 'turn-accepted', text: 'x' }, { type: 'turn-ended', timeline: { ...timeline, outcome } }),
    )
    expect(transcript.turns[0]?.state).toBe(state)
    expect(canStop(transcript)).toBe(false)
  }
})

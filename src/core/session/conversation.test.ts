import { describe, expect, test } from 'vitest'
import { turnIdSchema } from '../result/ids.ts'
import { Conversation, interruptedEnds, isTitled } from './conversation.ts'
import type { SessionEvent } from './session-event.ts'

const turnId = turnIdSchema.parse('t1')
const next = turnIdSchema.parse('t2')

type Body = SessionEvent extends infer E ? (E extends SessionEvent ? Omit<E, 'seq' | 'atMs' | 'turnId'> : never) : never

/** Stamps count with the events. */
function events(...bodies: Body[]): SessionEvent[] {
  return bodies.map((body, i) => ({ seq: i + 1, atMs: (i + 1) * 10, turnId, ...body }) as SessionEvent)
}

function conversationOf(list: readonly SessionEvent[]): Conversation {
  const conversation = new Conversation()
  for (const event of list) conversation.take(event)
  return conversation
}

const accepted = { type: 'turn-accepted', text: 'Hi' } as const
const sent = (call: number, purpose: 'answer' | 'title' = 'answer') => ({ type: 'call-sent', call, purpose, model: 'm' }) as const
const said = (call: number, text: string, channel: 'text' | 'thinking' = 'text') => ({ type: 'delta', call, channel, text }) as const

describe('a conversation', () => {
  test('holds what was answered, not what was thought, nor the background work', () => {
    const list = events(
      accepted,
      sent(0),
      said(0, 'hm', 'thinking'),
      said(0, 'Hel'),
      said(0, 'lo'),
      { type: 'turn-done' },
      sent(1, 'title'),
      said(1, 'Greeting'),
    )
    expect(conversationOf(list).messagesFor(turnId)).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hello' },
    ])
  })

  test('keeps tool calls of one message together, with their answers after it', () => {
    const list = events(
      accepted,
      sent(0),
      said(0, 'Let me look.'),
      { type: 'tool-started', tool: 0, name: 'list_files', input: '{"path":"."}' },
      { type: 'tool-ended', tool: 0, ok: true, summary: '', output: 'a.txt' },
      { type: 'tool-started', tool: 1, name: 'read_file', input: 'not json' },
      { type: 'tool-ended', tool: 1, ok: false, summary: '', output: 'Error' },
      sent(1),
      said(1, 'Done.'),
    )
    expect(conversationOf(list).messagesFor(turnId)).toEqual([
      { role: 'user', content: 'Hi' },
      {
        role: 'assistant',
        content: 'Let me look.',
        tool_calls: [{ function: { name: 'list_files', arguments: { path: '.' } } }, { function: { name: 'read_file', arguments: {} } }],
      },
      { role: 'tool', content: 'a.txt', tool_name: 'list_files' },
      { role: 'tool', content: 'Error', tool_name: 'read_file' },
      { role: 'assistant', content: 'Done.' },
    ])
  })

  test('leaves out a turn that came to no answer, so that no two questions follow each other', () => {
    const list = events(accepted, sent(0))
    const later: SessionEvent = { seq: 9, atMs: 99, turnId: next, type: 'turn-accepted', text: 'Again' }
    expect(conversationOf([...list, later]).messagesFor(next)).toEqual([{ role: 'user', content: 'Again' }])
  })

  test('does not tell an earlier turn what a later one asked', () => {
    const later: SessionEvent = { seq: 9, atMs: 99, turnId: next, type: 'turn-accepted', text: 'Again' }
    expect(conversationOf([...events(accepted), later]).messagesFor(turnId)).toEqual([{ role: 'user', content: 'Hi' }])
  })
})

test('a turn without its end is ended as cut at its last event, with the next seq', () => {
  const open = events(accepted, { type: 'turn-started' }, sent(0), said(0, 'Hel'), { type: 'turn-done' })
  expect(interruptedEnds(open)).toMatchObject([
    {
      seq: 6,
      atMs: 50,
      type: 'turn-ended',
      timeline: { outcome: 'cut', acceptedAtMs: 10, runnerStartAtMs: 20, doneAtMs: 50, backgroundEndAtMs: 50 },
    },
  ])
  const ended = [...open, ...interruptedEnds(open)]
  expect(interruptedEnds(ended)).toEqual([])
  expect(isTitled(ended)).toBe(false)
})

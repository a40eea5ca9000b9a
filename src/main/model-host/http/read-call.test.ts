import { expect, test } from 'vitest'
import type { ModelCard } from '../engine.ts'
import { readCall, readKeepAlive } from './read-call.ts'

const card: ModelCard = {
  name: 'm',
  sizeBytes: 0,
  details: {},
  capabilities: ['completion', 'tools'],
  template: '',
  modelInfo: {},
  contextTokens: 2_048,
  embeds: false,
}
const deps = { cards: [card], callId: 1, epochMs: 0, fingerprint: 'fp', llamaServerStyle: false }

test.each<[string | number | undefined, number | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['5m', 300_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['250ms', 250],
  ['300', 300_000],
  [300, 300_000],
  [0, 0],
  ['0', 0],
  [-1, Number.POSITIVE_INFINITY],
  ['-1m', Number.POSITIVE_INFINITY],
  ['soon', undefined],
])('keep-alive %s is %s ms', (text, ms) => {
  expect(readKeepAlive(text)).toBe(ms)
})

test('a chat by OpenAI’s wire asks the same as one by Ollama’s', () => {
  const tools = [{ type: 'function', function: { name: 'ls', parameters: { type: 'object' } } }]
  const ollama = readCall(
    '/api/chat',
    JSON.stringify({
      model: 'm:latest',
      messages: [
        { role: 'user', content: 'look' },
        { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: { name: 'ls', arguments: { path: '.' } } }] },
        { role: 'tool', content: 'a' },
      ],
      tools,
      options: { num_predict: 9, temperature: 0.5, seed: 3 },
    }),
    deps,
  )
  const openAi = readCall(
    '/v1/chat/completions',
    JSON.stringify({
      model: 'm',
      messages: [
        { role: 'user', content: [{ type: 'text', text: 'look' }] },
        { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'ls', arguments: '{"path":"."}' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'a' },
      ],
      tools,
      max_tokens: 9,
      temperature: 0.5,
      seed: 3,
    }),
    deps,
  )
  if (!ollama.ok || !openAi.ok) throw new Error(JSON.stringify([ollama, openAi]))
  expect(openAi.value.call).toEqual(ollama.value.call)
  expect([ollama.value.stream, openAi.value.stream]).toEqual([true, false])
})

test('an embedding from a server that has none is refused, before any queue', () => {
  expect(readCall('/api/embed', JSON.stringify({ model: 'm', input: 'x' }), deps)).toMatchObject({ ok: false, error: { status: 501 } })
})

import { describe, expect, test } from 'vitest'
import { isOpenAiActivity, readOpenAiEvent } from './chunks.ts'
import { completionBody } from './completion-body.ts'
import { hideKey } from './hide-key.ts'
import { openAiProblem } from './openai-problems.ts'

const chunk = (delta: object, rest: object = {}) => JSON.stringify({ choices: [{ index: 0, delta, finish_reason: null }], ...rest })
const deltaOf = (data: string) => {
  const event = readOpenAiEvent(data)
  if (event.kind !== 'chunk') throw new Error(event.kind)
  return event.delta
}

describe('an event of a chat completion', () => {
  test('a role alone and an empty text are no activity; text, reasoning and a tool call are', () => {
    const seen = [
      { role: 'assistant' },
      { role: 'assistant', content: null },
      { content: '' },
      { content: 'a' },
      { reasoning_content: 'b' },
      { reasoning: 'c' },
    ]
    expect(seen.map((delta) => isOpenAiActivity(deltaOf(chunk(delta))))).toEqual([false, false, false, true, true, true])
    expect(isOpenAiActivity(deltaOf(chunk({ tool_calls: [{ index: 0, id: 'x', function: { name: 'ls', arguments: '' } }] })))).toBe(true)
    expect(isOpenAiActivity(deltaOf(chunk({ tool_calls: [{ index: 0, function: { arguments: '' } }] })))).toBe(false)
  })

  test('reasoning that comes under both names counts once', () => {
    expect(deltaOf(chunk({ reasoning: 'hm', reasoning_content: 'hm' })).thinking).toBe('hm')
  })

  test('usage may come alone, with no choice at all', () => {
    expect(
      readOpenAiEvent('{"choices":[],"usage":{"prompt_tokens":7,"completion_tokens":3,"prompt_tokens_details":{"cached_tokens":4}}}'),
    ).toMatchObject({
      kind: 'chunk',
      finishReason: null,
      usage: { promptTokens: 7, cachedPromptTokens: 4, answerTokens: 3 },
    })
  })

  test("llama-server's timings: the cached part of the prompt counts as prompt", () => {
    const timings = { cache_n: 5, prompt_n: 7, prompt_ms: 90.5, predicted_n: 4, predicted_ms: 41.5 }
    expect(readOpenAiEvent(chunk({}, { timings }))).toMatchObject({
      timings: { promptMs: 90.5, predictedMs: 41.5, promptTokens: 12, cachedPromptTokens: 5, answerTokens: 4 },
    })
    expect(readOpenAiEvent(chunk({}, { timings: { prompt_ms: 'soon' } }))).toMatchObject({ kind: 'chunk', timings: undefined })
  })

  test('the end, an error in any wrapping, and what is no event are told apart', () => {
    expect(readOpenAiEvent('[DONE]')).toEqual({ kind: 'done' })
    expect(readOpenAiEvent('{"error":{"message":"out of memory","type":"server_error"}}')).toEqual({ kind: 'error', message: 'out of memory' })
    expect(readOpenAiEvent('{"error":"broken"}')).toEqual({ kind: 'error', message: 'broken' })
    expect(['<html>', '7', '{"hello":1}', '{"choices":'].map((data) => readOpenAiEvent(data).kind)).toEqual(Array(4).fill('malformed'))
  })
})

describe('the body of a chat completion', () => {
  const ask = (options: Record<string, number | string | boolean>, host = '127.0.0.1') =>
    completionBody({ model: 'm', messages: [{ role: 'user', content: 'hi' }], options }, host)

  test('caps the answer under the name that the server knows, and leaves out how Ollama loads', () => {
    expect(ask({ num_predict: 9, num_ctx: 1024, num_thread: 1, temperature: 0, top_k: 1 })).toEqual({
      model: 'm',
      messages: [{ role: 'user', content: 'hi' }],
      stream: true,
      stream_options: { include_usage: true },
      max_tokens: 9,
      temperature: 0,
      top_k: 1,
    })
    expect(ask({ num_predict: 9 }, 'api.openai.com')).toMatchObject({ max_completion_tokens: 9 })
    expect(ask({ num_predict: -1 })).not.toHaveProperty('max_tokens')
  })

  test('the answers of tools name the calls they belong to', () => {
    const call = (name: string) => ({ function: { name, arguments: { path: name } } })
    const messages = [
      { role: 'assistant', content: '', tool_calls: [call('a'), call('b')] },
      { role: 'tool', content: 'of a' },
      { role: 'tool', content: 'of b' },
      { role: 'assistant', content: '', tool_calls: [call('c')] },
      { role: 'tool', content: 'of c' },
    ]
    expect(completionBody({ model: 'm', messages, options: {} }, 'h').messages).toMatchObject([
      { tool_calls: [{ id: 'call_0', function: { name: 'a', arguments: '{"path":"a"}' } }, { id: 'call_1' }] },
      { content: 'of a', tool_call_id: 'call_0' },
      { content: 'of b', tool_call_id: 'call_1' },
      { tool_calls: [{ id: 'call_2' }] },
      { content: 'of c', tool_call_id: 'call_2' },
    ])
  })
})

describe('refusals', () => {
  const codeOf = (status: number, sentence = '', retryAfterS?: number) =>
    openAiProblem('https://api.example.com', 'm', { kind: 'status', status, sentence, ...(retryAfterS === undefined ? {} : { retryAfterS }) })

  test('each kind has a sentence of its own', () => {
    expect(codeOf(401, 'bad key').code).toBe('key-refused')
    expect(codeOf(429, 'slow down', 17)).toMatchObject({ code: 'provider-rate-limit', happened: expect.stringContaining('wait 17 s') })
    expect(codeOf(429, 'You exceeded your current quota').code).toBe('provider-quota')
    expect(codeOf(529).code).toBe('provider-overloaded')
    expect(codeOf(404, 'The model `x` does not exist').code).toBe('model-missing')
    expect(codeOf(404, '404 page not found').code).toBe('not-a-model-server')
  })

  test('a key that a server repeats is hidden, in pieces too', () => {
    const key = 'sk-test-abcdefghijklmnop'
    expect(hideKey(`Incorrect API key provided: ${key}. Also ${key.slice(0, 12)}**** and ****${key.slice(-8)}.`, key)).toBe(
      'Incorrect API key provided: [key]. Also [key]**** and ****[key].',
    )
    expect(hideKey('no key at all', undefined)).toBe('no key at all')
  })
})

import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Script, type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { systemClock } from '../../platform/clock.ts'
import { createHttpClient, type HttpClient, parseOrigin } from '../../platform/http-client.ts'
import type { ModelCallResult } from './model-call-shapes.ts'
import { callOpenAi } from './openai-call.ts'

let http: HttpClient
let server: ScriptedServer | undefined
beforeEach(() => {
  http = createHttpClient()
})
afterEach(async () => {
  http.close()
  await endServer()
})

async function endServer(): Promise<void> {
  await server?.close()
  server = undefined
}

const KEY = 'sk-test-0123456789abcdef'

async function call(
  script: Script,
  options: { signal?: AbortSignal; path?: string; onDelta?: () => void } = {},
): Promise<ModelCallResult & { deltas: string[] }> {
  server ??= await startScriptedServer(script)
  const origin = parseOrigin(server.url + (options.path ?? ''))
  if (!origin.ok) throw new Error(server.url)
  const deltas: string[] = []
  const request = { index: 0, purpose: 'answer' as const, origin: origin.value, model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [] }
  const signal = options.signal ?? new AbortController().signal
  const result = await callOpenAi({ clock: systemClock, http }, { ...request, think: undefined, options: { num_predict: 4 }, key: KEY }, signal, {
    onSent: () => {},
    onDelta(channel, text) {
      deltas.push(`${channel}: ${text}`)
      options.onDelta?.()
    },
  })
  return { ...result, deltas }
}

const sse = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/event-stream' })
const chunk = (delta: object, rest: object = {}, finish: string | null = null) =>
  `data: ${JSON.stringify({ id: 'x', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`
const USAGE = `data: ${JSON.stringify({ choices: [], usage: { prompt_tokens: 12, completion_tokens: 2 } })}\n\n`
const END = `${chunk({}, {}, 'stop')}${USAGE}data: [DONE]\n\n`

test('a whole answer: the role and pings are no activity, stamps are in order, usage counts, the key stands in its header', async () => {
  let goOn = (_: string) => {}
  const rest = [chunk({ content: 'Hel' }), chunk({ content: 'lo' }) + END]
  const script: Script = (_, response) => {
    sse(response).write(`: ping\n\n${chunk({ role: 'assistant', content: null })}`)
    goOn = (piece) => void response.write(piece)
    setTimeout(() => response.write(chunk({ reasoning_content: 'hm' })), 10)
  }
  // Each piece is sent when the one before has been seen.
  const { call: record, text, deltas } = await call(script, { onDelta: () => goOn(rest.shift() ?? '') })
  expect([text, deltas]).toEqual(['Hello', ['thinking: hm', 'text: Hel', 'text: lo']])
  expect(record).toMatchObject({
    outcome: 'completed',
    endMarker: true,
    httpStatus: 200,
    promptTokens: 12,
    outputTokens: 2,
    tokensEstimated: false,
    server: null,
  })
  const stamps = [
    record.sentAtMs,
    record.headersAtMs,
    record.firstByteAtMs,
    record.firstDeltaAtMs,
    record.firstTextAtMs,
    record.lastDeltaAtMs,
    record.endAtMs,
  ]
  expect(stamps).not.toContain(null)
  expect([...stamps].sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(stamps)
  expect(record.firstTextAtMs).toBeGreaterThan(record.firstDeltaAtMs ?? Number.POSITIVE_INFINITY)
  expect(server?.asked[0]).toMatchObject({ path: '/v1/chat/completions', body: { model: 'm', stream: true, max_tokens: 4 } })
})

test('the version in an address is not doubled', async () => {
  await call((_, response) => sse(response).end(chunk({ content: 'a' }) + END), { path: '/openai/v1' })
  expect(server?.asked[0]?.path).toBe('/openai/v1/chat/completions')
})

test("llama-server's timings are kept as durations, and the rest of the time stands as what they do not explain", async () => {
  const timings = { cache_n: 0, prompt_n: 7, prompt_ms: 3, predicted_n: 2, predicted_ms: 4 }
  const { call: record } = await call((_, response) => {
    setTimeout(() => sse(response).end(`${chunk({ content: 'a' })}${chunk({ content: 'b' })}${chunk({}, { timings }, 'length')}data: [DONE]\n\n`), 60)
  })
  expect(record).toMatchObject({ promptTokens: 7, outputTokens: 2, server: { loadNs: 0, promptEvalNs: 3e6, evalNs: 4e6 } })
  expect(record.server?.totalNs).toBeCloseTo((record.endAtMs - record.sentAtMs) * 1e6, -4)
})

test('tool calls that come in pieces are put together', async () => {
  const part = (index: number, called: object, id?: string) =>
    chunk({ tool_calls: [{ index, ...(id === undefined ? {} : { id }), function: called }] })
  const { toolCalls, call: record } = await call((_, response) =>
    sse(response).end(
      part(0, { name: 'ls', arguments: '' }, 'a') +
        part(0, { arguments: '{"path":' }) +
        part(1, { name: 'cat', arguments: '{}' }, 'b') +
        part(0, { arguments: '"src"}' }) +
        chunk({}, {}, 'tool_calls') +
        'data: [DONE]\n\n',
    ),
  )
  expect(toolCalls).toEqual([{ function: { name: 'ls', arguments: { path: 'src' } } }, { function: { name: 'cat', arguments: {} } }])
  expect(record).toMatchObject({ outcome: 'completed', tokensEstimated: true })
})

test.each([
  ['no finish_reason', `${chunk({ content: 'a' })}data: [DONE]\n\n`, 'stream-cut'],
  ['no [DONE]', chunk({ content: 'a' }) + chunk({}, {}, 'stop'), 'stream-cut'],
  ['cut in the middle of an event', `${chunk({ content: 'a' })}data: {"choices":[{"del`, 'not-a-model-server'],
  ['an error after the first text', `${chunk({ content: 'a' })}data: {"error":{"message":"out of memory"}}\n\n`, 'server-error'],
])('%s is a failure that keeps what came', async (_, body, code) => {
  const { call: record } = await call((__, response) => sse(response).end(body))
  expect(record).toMatchObject({ outcome: 'failed', endMarker: false, outputTokens: 1, tokensEstimated: true, problem: { code } })
})

test('what is no stream at all is said to be none', async () => {
  const { call: page } = await call((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'))
  expect(page.problem?.code).toBe('not-a-model-server')
  await endServer()
  const { call: json } = await call((_, response) =>
    response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"choices":[{"message":{}}]}'),
  )
  expect(json).toMatchObject({ outcome: 'failed', problem: { code: 'not-a-model-server' }, outputTokens: null })
})

test('refusals keep status and sentence; the key that a server repeats does not', async () => {
  const { call: wrongKey } = await call((_, response) =>
    response.writeHead(401).end(JSON.stringify({ error: { message: `Incorrect API key: ${KEY}` } })),
  )
  expect(wrongKey).toMatchObject({ outcome: 'failed', httpStatus: 401, problem: { code: 'key-refused' }, outputTokens: null, firstDeltaAtMs: null })
  expect(JSON.stringify(wrongKey)).not.toContain(KEY)
  await endServer()
  const { call: limited } = await call((_, response) => response.writeHead(429, { 'Retry-After': '17' }).end('{"error":{"message":"slow down"}}'))
  expect(limited).toMatchObject({ httpStatus: 429, problem: { code: 'provider-rate-limit', happened: expect.stringContaining('17 s') } })
  await endServer()
  const { call: proxy } = await call((_, response) => response.writeHead(529, { 'Content-Type': 'text/html' }).end('<html>sorry</html>'))
  expect(proxy).toMatchObject({ httpStatus: 529, problem: { code: 'provider-overloaded' } })
})

test('an answer is over at its end marker, although the connection stays open', async () => {
  const { call: record } = await call((_, response) => void sse(response).write(chunk({ content: 'a' }) + END))
  expect(record.outcome).toBe('completed')
})

test('a cut call keeps what came', async () => {
  const abort = new AbortController()
  const { call: record } = await call((_, response) => void sse(response).write(chunk({ content: 'a' })), {
    signal: abort.signal,
    onDelta: () => abort.abort(),
  })
  expect(record).toMatchObject({ outcome: 'cut', outputTokens: 1, endMarker: false, problem: null })
})

test('a kept connection that the server has closed meanwhile is replaced once, before any byte came', async () => {
  let answered = 0
  const script: Script = (_, response) => {
    answered += 1
    if (answered === 2) return void response.socket?.resetAndDestroy()
    sse(response).end(chunk({ content: 'a' }) + END)
  }
  await call(script)
  const { call: record } = await call(script)
  expect(record).toMatchObject({ outcome: 'completed', resent: true })
  expect(answered).toBe(3)
})

import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ollama } from 'ollama'
import { afterEach, describe, expect, test } from 'vitest'
import { ask } from '../../../test/read-answer.ts'
import { readOllamaLine } from '../../core/ollama/chunks.ts'
import { psSchema, showSchema, tagsSchema, versionSchema } from '../../core/ollama/documents.ts'
import { createSseParser } from '../../core/stream/sse-parser.ts'
import { systemClock } from '../platform/clock.ts'
import { type ModelServerHandle, startModelServer } from './model-server.ts'
import type { ModelServerRequest } from './model-server-options.ts'

const running: ModelServerHandle[] = []
afterEach(async () => {
  await Promise.all(running.splice(0).map((server) => server.stop()))
})

async function serve(request: ModelServerRequest): Promise<ModelServerHandle> {
  const started = await startModelServer(request)
  if (!started.ok) throw new Error(JSON.stringify(started.error))
  running.push(started.value)
  return started.value
}

const simulated = (settings: object = {}, slots = 1) =>
  serve({ engine: 'simulated', slots, settings: { startLoaded: true, prefillMs: 20, decodeMs: 2, answerTokens: 5, ...settings } })
const chat = (content: string, rest: object = {}) => ({ model: 'plimsoll-simulated', messages: [{ role: 'user', content }], ...rest })
const kinds = (lines: readonly string[]) => lines.map((line) => readOllamaLine(line).kind)

describe('Ollama’s API', () => {
  test('the ollama client streams from it and gets durations', async () => {
    const server = await simulated()
    const client = new Ollama({ host: server.url })
    const chunks = []
    for await (const chunk of await client.chat({ ...chat('hello'), stream: true })) chunks.push(chunk)
    expect(chunks).toHaveLength(6)
    expect(chunks.at(-1)).toMatchObject({ done: true, done_reason: 'stop', eval_count: 5 })
    expect(chunks.at(-1)?.prompt_eval_duration).toBeGreaterThan(15e6)
  })

  test('documents say what they should, and that it is simulated', async () => {
    const server = await simulated()
    const json = async (path: string, body?: unknown) => JSON.parse((await ask(`${server.url}${path}`, body)).text)
    expect(versionSchema.parse(await json('/api/version')).version).toBe('0.0.0-plimsoll-simulated')
    expect(tagsSchema.parse(await json('/api/tags')).models.map((m) => m.name)).toEqual(['plimsoll-simulated:latest'])
    expect(psSchema.parse(await json('/api/ps')).models[0]).toMatchObject({ name: 'plimsoll-simulated:latest', context_length: 4_096 })
    const show = showSchema.parse(await json('/api/show', { model: 'plimsoll-simulated:latest' }))
    expect(show.capabilities).toContain('tools')
    expect(show.details?.family).toBe('plimsoll-simulated')
    expect(await json('/plimsoll/info')).toMatchObject({ engine: 'simulated', simulated: true, slots: 1, settings: { decodeMs: 2 } })
  })

  test('a queued request gets nothing at all until its first token: no status, no header', async () => {
    const server = await simulated({ prefillMs: 150 })
    const [first, second] = await Promise.all([ask(`${server.url}/api/chat`, chat('a')), ask(`${server.url}/api/chat`, chat('b'))])
    expect(first.headersMs - first.sentMs).toBeGreaterThan(140)
    expect(second.headersMs - second.sentMs).toBeGreaterThan(290)
    for (const answer of [first, second]) expect(answer.firstMs - answer.headersMs).toBeLessThan(50)
  })

  test('generate streams responses, an answer in one piece comes with all its durations', async () => {
    const server = await simulated()
    const generated = await ask(`${server.url}/api/generate`, { model: 'plimsoll-simulated', prompt: 'x' })
    expect(kinds(generated.lines)).toEqual(['delta', 'delta', 'delta', 'delta', 'delta', 'final'])
    const whole = await ask(`${server.url}/api/chat`, chat('x', { stream: false }))
    expect(whole.headers['content-type']).toContain('application/json')
    expect(JSON.parse(whole.text)).toMatchObject({ done: true, eval_count: 5, message: { role: 'assistant' } })
  })

  test.each([
    ['an unknown model', '/api/chat', { model: 'nope', messages: [{ role: 'user', content: 'x' }] }, 404, 'nope'],
    ['an unknown model to generate', '/api/generate', { model: 'nope', prompt: 'x' }, 404, 'nope'],
    ['broken JSON', '/api/chat', '{bad', 400, 'JSON'],
    ['nothing', '/api/chat', '', 400, 'missing request body'],
    ['no model', '/api/chat', { messages: [] }, 400, 'model is required'],
    ['messages that are none', '/api/chat', { model: 'plimsoll-simulated', messages: 'x' }, 400, 'messages'],
    ['a foreign option type', '/api/chat', chat('x', { options: { num_ctx: 'x' } }), 500, 'num_ctx'],
    ['thinking from a model that can’t', '/api/chat', chat('x', { think: true }), 400, 'does not support thinking'],
    ['an unknown path', '/nope', {}, 404, 'not found'],
  ])('%s is refused as Ollama does', async (_what, path, body, status, words) => {
    const server = await simulated()
    const answer = await ask(`${server.url}${path}`, body)
    expect(answer.status).toBe(status)
    expect(answer.text).toContain(words)
  })

  test('tools to a model without a template for them are refused', async () => {
    const server = await simulated({ tools: false })
    const answer = await ask(`${server.url}/api/chat`, chat('x', { tools: [{ type: 'function', function: { name: 'ls' } }] }))
    expect([answer.status, answer.text]).toEqual([400, expect.stringContaining('does not support tools')])
  })

  test('the wrong method is refused, HEAD is answered', async () => {
    const server = await simulated()
    expect((await ask(`${server.url}/api/chat`, undefined)).status).toBe(405)
    expect(await ask(server.url, undefined, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
  })
})

test('an embedding with the default context evicts a chat model that was loaded with another', async () => {
  const server = await simulated({ loadMs: 60 })
  const embed = () => ask(`${server.url}/api/embed`, { model: 'plimsoll-simulated', input: ['a', 'b'] })
  const loads: number[] = []
  for (let i = 0; i < 3; i++) {
    const answer = JSON.parse((await embed()).text)
    expect(answer.embeddings).toHaveLength(2)
    const last = (await ask(`${server.url}/api/chat`, chat(`q${i}`, { options: { num_ctx: 32_768 } }))).lines.at(-1) ?? ''
    loads.push(JSON.parse(last).load_duration / 1e6)
  }
  expect(loads.every((ms) => ms >= 59)).toBe(true)
})

describe('OpenAI’s API', () => {
  const events = (text: string) => {
    const parser = createSseParser()
    return [...parser.push(text), ...parser.end()].flatMap((item) => (item.kind === 'event' ? [item.data] : []))
  }

  test('streams chunks, usage when asked for, and [DONE]', async () => {
    const server = await simulated()
    const answer = await ask(`${server.url}/v1/chat/completions`, chat('x', { stream: true, stream_options: { include_usage: true }, max_tokens: 3 }))
    const data = events(answer.text)
    expect(data.at(-1)).toBe('[DONE]')
    expect(JSON.parse(data.at(-2) ?? '')).toMatchObject({ choices: [], usage: { completion_tokens: 3 } })
    expect(JSON.parse(data.at(-3) ?? '').choices[0].finish_reason).toBe('length')
    expect(JSON.parse(data[0] ?? '').choices[0].delta.content).not.toBe('')
    const bare = await ask(`${server.url}/v1/chat/completions`, chat('y', { stream: true }))
    expect(bare.text).not.toContain('usage')
  })

  test('an error in mid-stream leaves neither finish reason nor [DONE]', async () => {
    const server = await simulated({ errorAtToken: 2 })
    const answer = await ask(`${server.url}/v1/chat/completions`, chat('x', { stream: true }))
    expect(answer.status).toBe(200)
    expect(answer.text).not.toContain('[DONE]')
    expect(answer.text).not.toMatch(/finish_reason":"/)
  })

  test('as llama-server speaks it: a role-only delta that is no activity, timings at the end', async () => {
    const server = await simulated({ llamaServerStyle: true })
    const data = events((await ask(`${server.url}/v1/chat/completions`, chat('x', { stream: true }))).text)
    expect(JSON.parse(data[0] ?? '').choices[0].delta).toEqual({ role: 'assistant', content: null })
    expect(JSON.parse(data.at(-2) ?? '').timings).toMatchObject({ predicted_n: 5, prompt_ms: expect.closeTo(20, -1) })
  })

  test('pings keep a silent stream warm, before any token', async () => {
    const server = await simulated({ silentMs: 200, pingEveryMs: 40 })
    const answer = await ask(`${server.url}/v1/chat/completions`, chat('x', { stream: true }))
    expect(answer.pieces[0]).toBe(': ping\n\n')
    expect(answer.firstMs - answer.sentMs).toBeLessThan(180)
    expect(events(answer.text).at(-1)).toBe('[DONE]')
  })
})

describe('faults on the wire', () => {
  test('an error at token k is a line after status 200, with no end marker', async () => {
    const server = await simulated({ errorAtToken: 2 })
    const answer = await ask(`${server.url}/api/chat`, chat('x'))
    expect(answer.status).toBe(200)
    expect(kinds(answer.lines)).toEqual(['delta', 'delta', 'error'])
    expect(server.log()[0]).toMatchObject({ outcome: 'failed', tokens: 2 })
  })

  test('a missing end marker: HTTP ends well, the answer does not', async () => {
    const server = await simulated({ missingEndShare: 1 })
    const answer = await ask(`${server.url}/api/chat`, chat('x'))
    expect(answer.complete).toBe(true)
    expect(kinds(answer.lines)).toEqual(Array(5).fill('delta'))
    expect(server.log()[0]?.outcome).toBe('cut')
  })

  test('a coalescing proxy: several chunks in one read, none lost', async () => {
    const server = await simulated({ chunksPerWrite: 4, answerTokens: 10, decodeMs: 20 })
    const answer = await ask(`${server.url}/api/chat`, chat('x'))
    expect(answer.lines).toHaveLength(11)
    expect(answer.pieces.length).toBeLessThan(5)
  })

  test('a proxy that sends in clumps holds what came in between, the first token too; at the end all is there', async () => {
    const server = await simulated({ bufferMs: 150, answerTokens: 20, prefillMs: 10, decodeMs: 20 })
    const answer = await ask(`${server.url}/api/chat`, chat('x'))
    expect(answer.lines).toHaveLength(21)
    expect(answer.firstMs - answer.sentMs).toBeGreaterThan(140)
    expect(answer.pieces.length).toBeLessThan(8)
  })

  test('a provider’s refusal says when to come again, on either wire', async () => {
    const server = await simulated({ rateLimitPerSec: 0.001, retryAfterS: 17 })
    await ask(`${server.url}/api/chat`, chat('x'))
    const body = JSON.stringify({ model: 'plimsoll-simulated', messages: [{ role: 'user', content: 'x' }] })
    const refused = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', body })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '17'])
    expect(await refused.json()).toMatchObject({ error: { type: 'rate_limit_error' } })
  })

  test('headers may come at once, long before the first token', async () => {
    const server = await simulated({ headersAtOnce: true, prefillMs: 300 })
    const answer = await ask(`${server.url}/api/chat`, chat('x'))
    expect(answer.headersMs - answer.sentMs).toBeLessThan(200)
    expect(answer.firstMs - answer.sentMs).toBeGreaterThan(280)
  })

  test('a reused connection may be reset, a fresh one never', async () => {
    const server = await simulated({ resetShare: 1 })
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    expect((await ask(`${server.url}/api/chat`, chat('a'), { agent })).status).toBe(200)
    await expect(ask(`${server.url}/api/chat`, chat('b'), { agent })).rejects.toMatchObject({ code: 'ECONNRESET' })
    agent.destroy()
    expect(server.log().map((record) => record.outcome)).toEqual(['ok', 'reset'])
  })
})

describe('its own log', () => {
  test('agrees with the client about the first token, names the call, and counts the wait in the queue', async () => {
    const server = await simulated({ prefillMs: 100, decodeMs: 10 })
    const answers = await Promise.all(
      Array.from({ length: 4 }, (_, i) => ask(`${server.url}/api/chat`, chat(`q${i}`), { headers: { 'x-plimsoll-call': `call-${i}` } })),
    )
    const { requests } = JSON.parse((await ask(`${server.url}/plimsoll/log`)).text)
    for (const [i, answer] of answers.entries()) {
      const record = requests.find((r: { callId: string }) => r.callId === `call-${i}`)
      expect(record).toMatchObject({ outcome: 'ok', tokens: 5, simulated: true })
      expect(Math.abs(answer.firstMs - answer.sentMs - (record.firstTokenMs - record.arrivalMs))).toBeLessThan(40)
    }
    const queued = requests.map((r: { queuedMs: number }) => Math.round(r.queuedMs / 140)).sort()
    expect(queued).toEqual([0, 1, 2, 3])
    expect(Math.abs(requests[0].arrivalMs - systemClock.nowMs())).toBeLessThan(60_000)
  })

  test('is appended to a file, one line a request', async () => {
    const dir = await mkdtemp(join(tmpdir(), 'plimsoll-log-'))
    const server = await serve({ engine: 'null', settings: { prefillMs: 0, tokensPerSec: 0 }, logFile: join(dir, 'log.jsonl') })
    await ask(`${server.url}/api/chat`, { model: 'plimsoll-null', messages: [{ role: 'user', content: 'x' }] })
    await ask(`${server.url}/api/chat`, { model: 'nope', messages: [] })
    await running.pop()?.stop()
    const lines = (await readFile(join(dir, 'log.jsonl'), 'utf8')).trim().split('\n')
    expect(lines.map((line) => JSON.parse(line).outcome)).toEqual(['ok', 'refused'])
    await rm(dir, { recursive: true })
  })

  test('a client that hangs up is written down as gone, and its slot serves the next', async () => {
    const server = await simulated({ answerTokens: 1_000, decodeMs: 10 })
    const gone = ask(`${server.url}/api/chat`, chat('a'), { onPiece: (_piece, hangUp) => hangUp() }).catch(() => undefined)
    await gone
    const next = await ask(`${server.url}/api/chat`, chat('b'), { onPiece: (_piece, hangUp) => hangUp() }).catch(() => undefined)
    expect(next?.status).toBe(200)
    await expect.poll(() => server.log().map((record) => record.outcome)).toEqual(['aborted', 'aborted'])
    expect(server.log()[1]?.queuedMs).toBeLessThan(500)
  })

  test('a queued request that hangs up leaves without a trace for the others', async () => {
    const server = await simulated({ prefillMs: 200 })
    const first = ask(`${server.url}/api/chat`, chat('a'))
    await expect.poll(() => server.log().length).toBe(1)
    const gone = ask(`${server.url}/api/chat`, chat('b'), { onSent: (hangUp) => setTimeout(hangUp, 50) }).catch(() => 'gone')
    expect(await gone).toBe('gone')
    await first
    expect(server.log().map((record) => [record.outcome, record.slotAcquiredMs === null])).toEqual([
      ['ok', false],
      ['aborted', true],
    ])
  })
})

describe('who may ask', () => {
  test('a page of another origin and a name that is not loopback are refused', async () => {
    const server = await simulated()
    const status = async (headers: Record<string, string>) => (await ask(`${server.url}/api/tags`, undefined, { headers })).status
    expect(await status({ origin: 'http://evil.example' })).toBe(403)
    expect(await status({ origin: 'null' })).toBe(403)
    expect(await status({ host: 'evil.example' })).toBe(403)
    expect(await status({ origin: 'http://localhost:5173' })).toBe(200)
  })
})

test('stopping ends open streams and frees the port', async () => {
  const server = await simulated({ answerTokens: 10_000, decodeMs: 50 })
  const answer = ask(`${server.url}/api/chat`, chat('x'), {
    onPiece: () => {
      void running.pop()?.stop()
    },
  })
  expect((await answer).complete).toBe(false)
  await expect(ask(`${server.url}/api/version`)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('two requests sent at once on one connection are answered whole and in order', async () => {
  const server = await serve({ engine: 'null', settings: { prefillMs: 5, tokensPerSec: 200, answerTokens: 3 } })
  const one = JSON.stringify({ model: 'plimsoll-null', messages: [{ role: 'user', content: 'x' }] })
  const raw = `POST /api/chat HTTP/1.1\r\nhost: 127.0.0.1\r\ncontent-length: ${one.length}\r\n\r\n${one}`
  const socket = connect(server.port, '127.0.0.1')
  let text = ''
  socket.on('data', (piece) => {
    text += piece
  })
  socket.write(raw + raw)
  await expect.poll(() => text.match(/\r\n0\r\n\r\n/g)?.length).toBe(2)
  socket.destroy()
  expect(text.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
  expect(text.match(/"done":true/g)).toHaveLength(2)
  expect(text.indexOf('"done":true')).toBeLessThan(text.lastIndexOf('HTTP/1.1 200'))
})

test('a body that never ends holds no slot, and is written down as gone when its client is', async () => {
  const server = await simulated()
  const half = request(`${server.url}/api/chat`, { method: 'POST', headers: { 'content-length': '1000' } })
  half.on('error', () => {})
  half.write('{"model":')
  expect((await ask(`${server.url}/api/chat`, chat('x'))).status).toBe(200)
  half.destroy()
  await expect.poll(() => server.log().map((record) => record.outcome)).toEqual(['aborted', 'ok'])
})

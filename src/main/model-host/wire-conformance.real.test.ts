/** The built-in model servers held against a real Ollama: the same requests, the same wire shapes, the same order of events, the same queue. */
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { OLLAMA_MODELS, type OllamaServer, ollamaMissing, startOllama } from '../../../test/ollama-server.ts'
import { ask, type ReadAnswer } from '../../../test/read-answer.ts'
import { type OllamaLine, readOllamaLine } from '../../core/ollama/chunks.ts'
import { SERVER_BUSY_TEXT } from '../../core/ollama/documents.ts'
import { createSseParser } from '../../core/stream/sse-parser.ts'
import { type ModelServerHandle, startModelServer } from './model-server.ts'
import type { ModelServerRequest } from './model-server-options.ts'

interface Target {
  readonly name: string
  readonly url: string
  readonly model: string
}

const missing = await ollamaMissing()
const left = missing === false ? '' : ` (left out: ${missing})`

const BUILT_IN: readonly (ModelServerRequest & { model: string })[] = [
  { engine: 'llama', model: 'plimsoll-mid', slots: 1, cacheDir: join(tmpdir(), 'plimsoll-models') },
  { engine: 'simulated', model: 'plimsoll-simulated', slots: 1, settings: { tools: false, prefillMs: 100, decodeMs: 5, answerTokens: 2_000 } },
  { engine: 'null', model: 'plimsoll-null', slots: 1, settings: { tokensPerSec: 200, answerTokens: 2_000 } },
]

/** What may differ between models and runs: reduced to its kind. */
const OPEN_KEYS = new Set(['model_info', 'tensors', 'context'])

/** Keys and types, no values. */
function shapeOf(value: unknown): unknown {
  if (value === null) return 'null'
  if (Array.isArray(value)) return value.length === 0 ? ['nothing'] : [shapeOf(value[0])]
  if (typeof value !== 'object') return typeof value
  const entries = Object.entries(value).map(([key, part]) => [key, OPEN_KEYS.has(key) ? (Array.isArray(part) ? 'list' : typeof part) : shapeOf(part)])
  return Object.fromEntries(entries.sort(([a], [b]) => String(a).localeCompare(String(b))))
}

const shapesOf = (lines: readonly string[]) => lines.map((line) => shapeOf(JSON.parse(line)))
const json = (answer: ReadAnswer): unknown => JSON.parse(answer.text)

function chatBody(target: Target, rest: { options?: object; content?: string; [key: string]: unknown } = {}) {
  const { options, content, ...others } = rest
  return {
    model: target.model,
    messages: [{ role: 'user', content: content ?? 'which line is the next' }],
    options: { num_predict: 3, num_thread: 1, temperature: 0, num_ctx: 1_024, ...options },
    ...others,
  }
}

describe.skipIf(missing !== false)(`built-in servers beside a real Ollama${left}`, () => {
  let ollama: OllamaServer
  let builtIn: ModelServerHandle[] = []
  let real: Target
  let others: Target[] = []
  let all: Target[] = []

  beforeAll(async () => {
    ollama = await startOllama({ parallel: 1 })
    real = { name: `ollama ${ollama.version}`, url: ollama.url, model: OLLAMA_MODELS.plain }
    builtIn = await Promise.all(
      BUILT_IN.map(async (request) => {
        const started = await startModelServer(request)
        if (!started.ok) throw new Error(JSON.stringify(started.error))
        return started.value
      }),
    )
    others = builtIn.map((server) => ({ name: server.info.engine, url: server.url, model: server.info.models[0] ?? '' }))
    all = [real, ...others]
    // Loads the model everywhere, so that the answers compared are warm ones.
    await Promise.all(all.map((target) => ask(`${target.url}/api/chat`, chatBody(target))))
  })
  afterAll(async () => {
    await Promise.all(builtIn.map((server) => server.stop()))
    await ollama?.stop()
  })

  /** The same request everywhere; whatever `look` sees must be the same as at the real one. */
  async function sameEverywhere(send: (target: Target) => Promise<ReadAnswer>, look: (answer: ReadAnswer) => unknown): Promise<unknown> {
    const expected = look(await send(real))
    for (const target of others) expect({ [target.name]: look(await send(target)) }).toEqual({ [target.name]: expected })
    return expected
  }

  test.each(['/api/version', '/api/tags', '/api/ps', '/v1/models'])('%s has the same keys and types', async (path) => {
    // The lists differ in length only.
    await sameEverywhere(
      (target) => ask(`${target.url}${path}`),
      (answer) => [answer.status, shapeOf(json(answer))],
    )
  })

  test('/api/show has the keys and types of the real one, as far as both have them', async () => {
    const look = (answer: ReadAnswer) => {
      const { modelfile, parameters, template, details, model_info, capabilities } = json(answer) as Record<string, unknown>
      return [answer.status, shapeOf({ modelfile, parameters, template, details, model_info }), capabilities]
    }
    expect(await sameEverywhere((target) => ask(`${target.url}/api/show`, { model: target.model }), look)).toMatchObject([200, {}, ['completion']])
  })

  test.each(['/api/chat', '/api/generate'])('%s streams the same lines in the same order', async (path) => {
    const body = (target: Target) => (path === '/api/chat' ? chatBody(target) : { ...chatBody(target), messages: undefined, prompt: 'which line' })
    const look = (answer: ReadAnswer) => [answer.status, answer.headers['content-type'], answer.headers['transfer-encoding'], shapesOf(answer.lines)]
    const expected = await sameEverywhere((target) => ask(`${target.url}${path}`, body(target)), look)
    expect(expected).toMatchObject([200, 'application/x-ndjson', 'chunked', { length: 4 }])
  })

  test('an answer in one piece has the same keys and types', async () => {
    await sameEverywhere(
      (target) => ask(`${target.url}/api/chat`, chatBody(target, { stream: false })),
      (answer) => [answer.status, answer.headers['content-type'], shapeOf(json(answer))],
    )
  })

  test('num_predict is kept, and named as the reason', async () => {
    const look = (answer: ReadAnswer) => {
      const last = readOllamaLine(answer.lines.at(-1) ?? '')
      return last.kind === 'final' ? [last.timings.answerTokens, last.timings.doneReason] : last
    }
    expect(await sameEverywhere((target) => ask(`${target.url}/api/chat`, chatBody(target, { options: { num_predict: 7 } })), look)).toEqual([
      7,
      'length',
    ])
  })

  test('an empty request loads the model and says so', async () => {
    await sameEverywhere(
      (target) => ask(`${target.url}/api/chat`, { model: target.model, messages: [], options: { num_ctx: 1_024 } }),
      (answer) => [answer.status, shapeOf(json(answer)), (json(answer) as { done_reason: string }).done_reason],
    )
  })

  test.each<[string, string, (target: Target) => unknown]>([
    ['an unknown model', '/api/chat', () => ({ model: 'nope', messages: [{ role: 'user', content: 'x' }] })],
    ['an unknown model to generate', '/api/generate', () => ({ model: 'nope', prompt: 'x' })],
    ['an unknown model to show', '/api/show', () => ({ model: 'nope' })],
    ['an unknown model by OpenAI’s wire', '/v1/chat/completions', () => ({ model: 'nope', messages: [{ role: 'user', content: 'x' }] })],
    [
      'tools without a template for them',
      '/api/chat',
      (target) => chatBody(target, { tools: [{ type: 'function', function: { name: 'ls', parameters: { type: 'object', properties: {} } } }] }),
    ],
    ['thinking that it can’t', '/api/chat', (target) => chatBody(target, { think: true })],
    ['broken JSON', '/api/chat', () => '{bad'],
    ['broken JSON by OpenAI’s wire', '/v1/chat/completions', () => '{bad'],
    ['an empty body', '/api/chat', () => ''],
    ['no model', '/api/chat', () => ({ messages: [] })],
    ['messages that are none', '/api/chat', (target) => ({ model: target.model, messages: 'x' })],
    ['an option of another type', '/api/chat', (target) => chatBody(target, { options: { num_ctx: 'x' } })],
    ['no messages by OpenAI’s wire', '/v1/chat/completions', (target) => ({ model: target.model, messages: [] })],
  ])('%s: same status, same shape of refusal', async (_what, path, body) => {
    const look = (answer: ReadAnswer) => [answer.status, answer.headers['content-type']?.split(';')[0], shapeOf(json(answer))]
    const expected = await sameEverywhere((target) => ask(`${target.url}${path}`, body(target)), look)
    expect((expected as number[])[0]).toBeGreaterThanOrEqual(400)
  })

  test.each(['GET /api/chat', 'POST /api/nothing', 'HEAD /'])('%s: same status', async (line) => {
    const [method = '', path = ''] = line.split(' ')
    await sameEverywhere(
      (target) => ask(`${target.url}${path}`, method === 'POST' ? {} : undefined, { method }),
      (answer) => answer.status,
    )
  })

  test('a page of another origin is refused', async () => {
    await sameEverywhere(
      (target) => ask(`${target.url}/api/tags`, undefined, { headers: { origin: 'http://evil.example' } }),
      (answer) => answer.status,
    )
  })

  test('OpenAI’s wire: the same events in the same order, usage when asked for', async () => {
    const look = (answer: ReadAnswer) => {
      const parser = createSseParser()
      const items = [...parser.push(answer.text), ...parser.end()]
      const shapes = items.map((item) => (item.kind === 'event' && item.data !== '[DONE]' ? shapeOf(JSON.parse(item.data)) : item))
      return [answer.status, answer.headers['content-type'], shapes]
    }
    const ask3 = (target: Target) =>
      ask(`${target.url}/v1/chat/completions`, {
        model: target.model,
        stream: true,
        stream_options: { include_usage: true },
        max_tokens: 3,
        messages: [{ role: 'user', content: 'which line' }],
      })
    const expected = await sameEverywhere(ask3, look)
    expect((expected as unknown[][])[2]).toHaveLength(6)
    await sameEverywhere(
      (target) => ask(`${target.url}/v1/chat/completions`, { model: target.model, max_tokens: 3, messages: [{ role: 'user', content: 'x' }] }),
      (answer) => [answer.status, answer.headers['content-type'], shapeOf(json(answer))],
    )
  })

  test('one slot, four at once: a staircase everywhere, headers with the first token, never two that stream', async () => {
    for (const target of all) {
      const answers = await burst(target, 4, 40)
      const byFirst = answers.toSorted((a, b) => a.firstMs - b.firstMs)
      for (const [i, answer] of byFirst.entries()) {
        expect(answer.status, target.name).toBe(200)
        expect(answer.firstMs - answer.headersMs, `${target.name}: headers before the first token`).toBeLessThan(60)
        // The final line may still be on its way when the next one starts.
        if (i > 0)
          expect(answer.firstMs, `${target.name}: number ${i + 1} before the one ahead was done`).toBeGreaterThan((byFirst[i - 1]?.endMs ?? 0) - 30)
      }
    }
  })

  test('the queue stands in total, and in none of the other durations', async () => {
    for (const target of all) {
      const finals = (await burst(target, 3, 40)).map((answer) => readOllamaLine(answer.lines.at(-1) ?? ''))
      const waits = finals.map(waitOf).sort((a, b) => a - b)
      const alone = serviceOf(finals[0])
      expect(waits[0], `${target.name}: ${waits}`).toBeLessThan(alone * 0.6)
      expect(waits[2], `${target.name}: ${waits}`).toBeGreaterThan(alone)
    }
  })

  test('who hangs up frees the slot: the next one starts long before the answer would have been done', async () => {
    for (const target of all) {
      let tokens = 0
      let firstMs = 0
      let hungUpMs = 0
      const long = ask(`${target.url}/api/chat`, chatBody(target, { content: 'a long one', options: { num_predict: 900 } }), {
        onPiece: (_piece, hangUp) => {
          tokens += 1
          if (tokens === 1) firstMs = performance.now()
          if (tokens < 30) return
          hungUpMs = performance.now()
          hangUp()
        },
      })
      const next = ask(`${target.url}/api/chat`, chatBody(target, { content: 'a short one' }))
      await long
      const wouldLastMs = ((hungUpMs - firstMs) / 29) * 870
      expect((await next).firstMs - hungUpMs, target.name).toBeLessThan(wouldLastMs / 2)
    }
  })

  test('one that hangs up in the queue leaves no trace: the one behind it waits for one answer, not two', async () => {
    for (const target of all) {
      const startMs = performance.now()
      const first = ask(`${target.url}/api/chat`, chatBody(target, { content: 'first', options: { num_predict: 60 } }))
      await new Promise((resolve) => setTimeout(resolve, 30))
      const gone = ask(`${target.url}/api/chat`, chatBody(target, { content: 'second', options: { num_predict: 600 } }), {
        onSent: (hangUp) => setTimeout(hangUp, 30),
      }).catch(() => undefined)
      await new Promise((resolve) => setTimeout(resolve, 30))
      const last = ask(`${target.url}/api/chat`, chatBody(target, { content: 'third' }))
      await gone
      const oneMs = (await first).endMs - startMs
      expect((await last).firstMs - startMs, target.name).toBeLessThan(oneMs * 2 + 500)
    }
  })

  test('two slots: two stream at once, never three; a model with a tool template says so and takes tools', async () => {
    const two = await startOllama({ parallel: 2 })
    const mine = await Promise.all([
      startModelServer({
        engine: 'llama',
        model: 'plimsoll-mid',
        slots: 2,
        cacheDir: join(tmpdir(), 'plimsoll-models'),
        settings: { toolCallsPerTurn: 1 },
      }),
      startModelServer({ engine: 'simulated', slots: 2, settings: { prefillMs: 100, decodeMs: 5 } }),
    ])
    const handles = mine.flatMap((started) => (started.ok ? [started.value] : []))
    try {
      const targets = [
        { name: 'ollama', url: two.url, model: OLLAMA_MODELS.tools as string },
        ...handles.map((server) => ({ name: server.info.engine as string, url: server.url, model: server.info.models[0] ?? '' })),
      ]
      expect(targets).toHaveLength(3)
      const tools = [{ type: 'function', function: { name: 'ls', parameters: { type: 'object', properties: {} } } }]
      for (const target of targets) {
        expect(largestOverlap(await burst(target, 5, 60)), target.name).toBe(2)
        const show = JSON.parse((await ask(`${target.url}/api/show`, { model: target.model })).text)
        expect(show.capabilities, target.name).toEqual(['completion', 'tools'])
        expect((await ask(`${target.url}/api/chat`, chatBody(target, { tools }))).status, target.name).toBe(200)
      }
    } finally {
      await Promise.all([two.stop(), ...handles.map((server) => server.stop())])
    }
  })

  test('too many while the model loads: some are served, the others get the 503 in the very same words', async () => {
    const full = await startOllama({ parallel: 1, maxQueue: 2 })
    const mine = await startModelServer({ engine: 'simulated', slots: 1, settings: { loadMs: 400, pendingCap: 2 } })
    try {
      if (!mine.ok) throw new Error(JSON.stringify(mine.error))
      const targets = [
        { name: 'ollama', url: full.url, model: OLLAMA_MODELS.plain as string },
        { name: 'simulated', url: mine.value.url, model: 'plimsoll-simulated' },
      ]
      for (const target of targets) {
        const answers = await burst(target, 10, 3)
        const refused = answers.filter((answer) => answer.status === 503)
        expect(refused.length, target.name).toBeGreaterThanOrEqual(5)
        expect(refused.length, target.name).toBeLessThan(10)
        expect(new Set(refused.map((answer) => answer.text)), target.name).toEqual(new Set([JSON.stringify({ error: SERVER_BUSY_TEXT })]))
      }
    } finally {
      await full.stop()
      if (mine.ok) await mine.value.stop()
    }
  })
})

function burst(target: Target, n: number, tokens: number): Promise<ReadAnswer[]> {
  const bodies = Array.from({ length: n }, (_, i) => chatBody(target, { content: `${i} of ${n}: which line`, options: { num_predict: tokens } }))
  return Promise.all(bodies.map((body) => ask(`${target.url}/api/chat`, body)))
}

/** Answers that stream at the same moment, the most of them that lasts longer than a hand-over. */
function largestOverlap(answers: readonly ReadAnswer[]): number {
  const HAND_OVER_MS = 30
  const spans = answers.map((answer) => ({ fromMs: answer.firstMs + HAND_OVER_MS, toMs: answer.endMs - HAND_OVER_MS }))
  return Math.max(...spans.map(({ fromMs }) => spans.filter((span) => span.fromMs <= fromMs && fromMs < span.toMs).length))
}

function waitOf(line: OllamaLine): number {
  if (line.kind !== 'final') throw new Error(JSON.stringify(line))
  const { totalMs = 0, loadMs = 0, promptEvalMs = 0, evalMs = 0 } = line.timings
  return totalMs - loadMs - promptEvalMs - evalMs
}

function serviceOf(line: OllamaLine | undefined): number {
  return line?.kind === 'final' ? (line.timings.promptEvalMs ?? 0) + (line.timings.evalMs ?? 0) : Number.NaN
}

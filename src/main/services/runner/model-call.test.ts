import type { ServerResponse } from 'node:http'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { answer, chatLine, doneLine, type Script, type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { systemClock } from '../../platform/clock.ts'
import { createHttpClient, type HttpClient, type HttpOrigin, parseOrigin } from '../../platform/http-client.ts'
import { callModel } from './model-call.ts'
import type { ModelCallResult } from './model-call-shapes.ts'

let http: HttpClient
let server: ScriptedServer | undefined
const printed = vi.fn()

beforeEach(() => {
  http = createHttpClient()
  for (const method of ['log', 'warn', 'error'] as const) vi.spyOn(console, method).mockImplementation(printed)
})

afterEach(async () => {
  http.close()
  await server?.close()
  server = undefined
  vi.restoreAllMocks()
  expect(printed).not.toHaveBeenCalled()
})

const ndjson = (response: ServerResponse) => response.writeHead(200, { 'Content-Type': 'application/x-ndjson' })
const originOf = (url: string): HttpOrigin => {
  const origin = parseOrigin(url)
  if (!origin.ok) throw new Error(url)
  return origin.value
}

async function callScripted(script: Script, signal?: AbortSignal, onDelta?: () => void): Promise<ModelCallResult & { deltas: string[] }> {
  server = await startScriptedServer(script)
  return callAt(server.url, signal, onDelta)
}

async function callAt(url: string, signal = new AbortController().signal, onDelta = () => {}): Promise<ModelCallResult & { deltas: string[] }> {
  const deltas: string[] = []
  const request = { index: 0, purpose: 'answer' as const, origin: originOf(url), model: 'm', messages: [{ role: 'user', content: 'Hi' }], tools: [] }
  const result = await callModel({ clock: systemClock, http }, { ...request, think: undefined, options: { num_predict: 4 } }, signal, {
    onSent: () => {},
    onDelta(channel, text) {
      deltas.push(`${channel}: ${text}`)
      onDelta()
    },
  })
  return { ...result, deltas }
}

describe('a model call', () => {
  test('a whole answer has every stamp in order, counts and durations', async () => {
    const { call, text } = await callScripted((_, response) => {
      ndjson(response)
      response.write(chatLine({ content: 'Hel' }))
      setTimeout(() => response.end(chatLine({ content: 'lo' }) + doneLine()), 5)
    })
    expect(text).toBe('Hello')
    expect(call).toMatchObject({
      outcome: 'completed',
      endMarker: true,
      problem: null,
      httpStatus: 200,
      promptTokens: 12,
      outputTokens: 2,
      tokensEstimated: false,
    })
    expect(call.server).toEqual({ totalNs: 9_000_000, loadNs: 1_000_000, promptEvalNs: 3_000_000, evalNs: 4_000_000 })
    const stamps = [call.sentAtMs, call.headersAtMs, call.firstByteAtMs, call.firstDeltaAtMs, call.firstTextAtMs, call.lastDeltaAtMs, call.endAtMs]
    expect(stamps).not.toContain(null)
    expect([...stamps].sort((a, b) => (a ?? 0) - (b ?? 0))).toEqual(stamps)
    expect(server?.asked[0]).toMatchObject({ path: '/api/chat', body: { model: 'm', stream: true, options: { num_predict: 4 } } })
  })

  test('thinking counts as the first delta, text has a stamp of its own (R22)', async () => {
    let goOn = () => {}
    const script: Script = (_, response) => {
      ndjson(response).write(chatLine({}) + chatLine({ thinking: 'Let me see' }))
      goOn = () => {
        goOn = () => {}
        response.end(chatLine({ content: 'Yes' }) + doneLine())
      }
    }
    const { call, text, thinking, deltas } = await callScripted(script, undefined, () => goOn())
    expect(deltas).toEqual(['thinking: Let me see', 'text: Yes'])
    expect([text, thinking]).toEqual(['Yes', 'Let me see'])
    expect(call.firstTextAtMs ?? 0).toBeGreaterThan(call.firstDeltaAtMs ?? Number.POSITIVE_INFINITY)
  })

  test('a tool call inside the done line is not lost (R34)', async () => {
    const { toolCalls, call, deltas } = await callScripted((_, response) => {
      ndjson(response).end(doneLine({ tool_calls: [{ function: { name: 'list_files', arguments: { path: '.' } } }] }))
    })
    expect(toolCalls).toMatchObject([{ function: { name: 'list_files', arguments: { path: '.' } } }])
    expect(deltas).toEqual(['tool-call: list_files {"path":"."}'])
    expect(call.firstDeltaAtMs).not.toBeNull()
    expect(call.firstTextAtMs).toBeNull()
  })

  test('a last line without its newline still ends the answer (R34)', async () => {
    const { call, text } = await callScripted((_, response) => {
      ndjson(response)
      const last = doneLine().trimEnd()
      response.write(chatLine({ content: 'a' }) + last.slice(0, 20))
      setTimeout(() => response.end(last.slice(20)), 5)
    })
    expect(text).toBe('a')
    expect(call).toMatchObject({ outcome: 'completed', endMarker: true })
  })

  test('blank lines, carriage returns and characters cut in two are survived', async () => {
    const { call, text } = await callScripted((_, response) => {
      ndjson(response)
      const bytes = Buffer.from(`\r\n${chatLine({ content: 'grün ' }).trimEnd()}\r\n\n${chatLine({ content: '€' })}${doneLine()}`)
      let at = 0
      const next = () => {
        response.write(bytes.subarray(at, at + 7))
        at += 7
        if (at < bytes.length) setImmediate(next)
        else response.end()
      }
      next()
    })
    expect(text).toBe('grün €')
    expect(call.outcome).toBe('completed')
  })

  test('a stream without its end marker is a failed call with its partial counts (R34)', async () => {
    const { call, text } = await callScripted((_, response) => {
      ndjson(response).end(chatLine({ content: 'a' }) + chatLine({ content: 'b' }))
    })
    expect(text).toBe('ab')
    expect(call).toMatchObject({
      outcome: 'failed',
      endMarker: false,
      outputTokens: 2,
      tokensEstimated: true,
      problem: { code: 'stream-cut' },
      server: null,
    })
  })

  test('a line cut in the middle of the stream is a missing end marker, and what came before counts', async () => {
    const { call, text } = await callScripted((_, response) => {
      ndjson(response).end(chatLine({ content: 'a' }) + chatLine({ content: 'b' }).slice(0, 30))
    })
    expect(text).toBe('a')
    expect(call).toMatchObject({ outcome: 'failed', problem: { code: 'stream-cut' } })
  })

  test('an error line after status 200 is the server speaking (R34)', async () => {
    const { call } = await callScripted((_, response) => {
      ndjson(response).end(`${chatLine({ content: 'I' })}{"error":"an error was encountered while running the model"}\n`)
    })
    expect(call).toMatchObject({ outcome: 'failed', httpStatus: 200, outputTokens: 1 })
    expect(call.problem?.code).toBe('server-error')
    expect(call.problem?.happened).toContain('an error was encountered while running the model')
  })

  test('503 while loading keeps the sentence of Ollama', async () => {
    const busy = 'server busy, please try again.  maximum pending requests exceeded'
    const { call } = await callScripted((_, response) => {
      response.writeHead(503, { 'Content-Type': 'application/json; charset=utf-8' }).end(JSON.stringify({ error: busy }))
    })
    expect(call).toMatchObject({ outcome: 'failed', httpStatus: 503, problem: { code: 'server-busy' }, outputTokens: null, firstDeltaAtMs: null })
    expect(call.problem?.happened).toContain(busy)
  })

  test('a missing model is named', async () => {
    const { call } = await callScripted((_, response) => {
      response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"model \\"m\\" not found, try pulling it first"}')
    })
    expect(call.problem).toMatchObject({ code: 'model-missing' })
    expect(call.problem?.todo).toContain('ollama pull m')
  })

  test.each([
    ['200 with its type', 200, 'text/html', '<html><body>Hello</body></html>'],
    ['200 without a type', 200, 'text/plain', '<!doctype html>\n<p>Hello'],
    ['404', 404, 'text/html', '<html>not found</html>'],
  ])('a web page instead of JSON is told as one: %s', async (_name, status, type, body) => {
    const { call } = await callScripted((_, response) => response.writeHead(status, { 'Content-Type': type }).end(body))
    expect(call).toMatchObject({ outcome: 'failed', problem: { code: 'not-a-model-server' } })
    expect(call.problem?.happened).toContain('web page')
  })

  test('server-sent events instead of lines are refused with what came', async () => {
    const { call } = await callScripted((_, response) => ndjson(response).end('data: {"choices":[]}\n\n'))
    expect(call.problem?.code).toBe('not-a-model-server')
    expect(call.problem?.happened).toContain('data: {')
  })

  test('a line that only looks like JSON fails the call instead of vanishing', async () => {
    printed.mockImplementationOnce(() => {})
    const { call } = await callScripted((_, response) => ndjson(response).end(`{broken}\n${doneLine()}`))
    expect(call).toMatchObject({ outcome: 'failed', problem: { code: 'not-a-model-server' } })
    printed.mockClear()
  })

  test('a refused connection is a sentence with the address', async () => {
    const gone = await startScriptedServer(() => {})
    await gone.close()
    const { call } = await callAt(gone.url)
    expect(call).toMatchObject({ outcome: 'failed', httpStatus: null, headersAtMs: null, problem: { code: 'server-unreachable' } })
    expect(call.problem?.happened).toContain(gone.url)
  })

  test('a connection that breaks in the middle keeps what came', async () => {
    const { call, text } = await callScripted((_, response) => {
      ndjson(response).write(chatLine({ content: 'a' }))
      setTimeout(() => response.destroy(), 10)
    })
    expect(text).toBe('a')
    expect(call).toMatchObject({ outcome: 'failed', endMarker: false, outputTokens: 1, problem: { code: 'connection-reset' } })
    expect(call.problem?.happened).toContain('in the middle')
  })

  test('a reused socket that was closed before any byte is replaced once, and said (R18)', async () => {
    let reset = false
    server = await startScriptedServer((_, response) => {
      if (reset) {
        reset = false
        response.destroy()
      } else answer(response, 'ok')
    })
    expect((await callAt(server.url)).call.resent).toBe(false)
    reset = true
    expect((await callAt(server.url)).call).toMatchObject({ outcome: 'completed', resent: true })
    expect(server.connections()).toBe(2)
  })

  test('a fresh socket that was closed is not tried again', async () => {
    const { call } = await callScripted((_, response) => response.destroy())
    expect(call).toMatchObject({ outcome: 'failed', resent: false, problem: { code: 'connection-reset' } })
    expect(server?.asked).toHaveLength(1)
  })

  test('a call can be cut while the server is silent, and the server sees it go', async () => {
    const abort = new AbortController()
    const { call } = await callScripted(() => setTimeout(() => abort.abort(), 10), abort.signal)
    expect(call).toMatchObject({ outcome: 'cut', problem: null, headersAtMs: null, outputTokens: null })
    await server?.asked[0]?.aborted
  })

  test('a call can be cut in the middle of its answer, and keeps what came', async () => {
    const abort = new AbortController()
    const { call, text } = await callScripted((_, response) => {
      ndjson(response).write(chatLine({ content: 'a' }))
      setTimeout(() => abort.abort(), 20)
    }, abort.signal)
    expect(text).toBe('a')
    expect(call).toMatchObject({ outcome: 'cut', problem: null, endMarker: false, outputTokens: 1, tokensEstimated: true })
    await server?.asked[0]?.aborted
  })

  test('a proxy that gathers chunks shows in the chunks per read (R21)', async () => {
    const { call } = await callScripted((_, response) => {
      ndjson(response)
      response.end(Array.from({ length: 60 }, () => chatLine({ content: 'x' })).join('') + doneLine())
    })
    expect(call.maxChunksPerRead).toBe(61)
  })

  test('connections are kept and used again', async () => {
    server = await startScriptedServer((_, response) => answer(response, 'ok'))
    for (let i = 0; i < 3; i += 1) await callAt(server.url)
    expect(server.connections()).toBe(1)
  })
})

import http from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Script, type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { problem } from '../../../core/result/problem.ts'
import type { ChildHandle } from '../../platform/child.ts'
import { silentLog } from '../../platform/log.ts'
import { createModels, type Models } from './models.ts'

let models: Models
let server: ScriptedServer | undefined
let children: FakeChild[]

interface FakeChild {
  readonly sent: unknown[]
  say(message: unknown): void
  exit(code: number): void
  stopped: boolean
}

beforeEach(() => {
  children = []
  models = createModels({ fork: fakeFork, dir: '/models', log: silentLog, env: {} })
})

afterEach(async () => {
  await models.close()
  await server?.close()
  server = undefined
})

function fakeFork(): ChildHandle {
  let onMessage: (message: unknown) => void = () => {}
  let onExit: (code: number | null, signal: string | null) => void = () => {}
  const child: FakeChild = { sent: [], stopped: false, say: (message) => onMessage(message), exit: (code) => onExit(code, null) }
  children.push(child)
  return {
    pid: 4242,
    send: (message) => child.sent.push(message),
    onMessage(listener) {
      onMessage = listener
      return () => {}
    },
    onExit(listener) {
      onExit = listener
      return () => {}
    },
    async stop() {
      child.stopped = true
    },
  }
}

const DOCUMENTS: Record<string, object> = {
  '/api/version': { version: '0.11.4' },
  '/api/tags': {
    models: [
      { name: 'big:latest', size: 9_000 },
      { name: 'mid:latest', size: 27_500_000 },
      { name: 'nomic:latest', size: 5, details: { family: 'nomic-bert' } },
    ],
  },
  '/api/ps': { models: [{ name: 'mid:latest', size: 40, size_vram: 30, context_length: 4096, expires_at: '2026-01-01T00:00:00Z' }] },
  '/api/show': {
    details: { family: 'llama', quantization_level: 'Q8_0' },
    parameters: 'num_ctx                        1024',
    capabilities: ['completion', 'tools'],
  },
}

function play(documents: Record<string, object> = DOCUMENTS): Script {
  return (asked, response) => {
    const document = documents[asked.path]
    if (asked.path === '/') response.writeHead(200, { 'Content-Type': 'text/plain' }).end('Ollama is running')
    else if (document === undefined) response.writeHead(404, { 'Content-Type': 'text/plain' }).end('404 page not found')
    else if ('error' in document) response.writeHead(404, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(document))
  }
}

async function factsOf(documents?: Record<string, object>, model = 'mid') {
  server = await startScriptedServer(play(documents))
  return models.readServerFacts(server.url, model)
}

describe('M11: server facts are read', () => {
  test('of an Ollama with a loaded model', async () => {
    const facts = await factsOf()
    expect(facts).toMatchObject({
      ok: true,
      value: {
        kind: 'ollama',
        version: '0.11.4',
        versionKnown: true,
        simulated: false,
        engine: null,
        modelSizeBytes: 27_500_000,
        quantization: 'Q8_0',
        family: 'llama',
        contextTokens: 4096,
        vramBytes: 30,
        supportsTools: true,
      },
    })
  })

  test.runIf(process.platform === 'linux')('the process that listens is found', async () => {
    const facts = await factsOf()
    expect(facts).toMatchObject({ ok: true, value: { pid: process.pid, declaredSlots: null, declaredSlotsSource: null } })
  })

  test('a source build says 0.0.0: nothing is assumed from it', async () => {
    expect(await factsOf({ ...DOCUMENTS, '/api/version': { version: '0.0.0' } })).toMatchObject({
      ok: true,
      value: { version: '0.0.0', versionKnown: false },
    })
  })

  test('of a built-in server, which says its slots and that it is simulated', async () => {
    const facts = await factsOf({
      ...DOCUMENTS,
      '/plimsoll/info': { engine: 'simulated', simulated: true, slots: 3, models: ['mid'], version: 'x', settings: {} },
    })
    expect(facts).toMatchObject({ ok: true, value: { kind: 'plimsoll', simulated: true, engine: 'simulated', declaredSlots: 3 } })
  })

  test('a model that is not loaded has the context of its own parameters', async () => {
    expect(await factsOf({ ...DOCUMENTS, '/api/ps': { models: [] } })).toMatchObject({ ok: true, value: { contextTokens: 1024, vramBytes: null } })
  })

  test('a missing model names those that are there', async () => {
    const facts = await factsOf({ ...DOCUMENTS, '/api/show': { error: "model 'x' not found" } }, 'x')
    expect(facts).toMatchObject({ ok: false, error: { code: 'model-missing' } })
    expect(facts.ok ? '' : facts.error.expected).toContain('big:latest, mid:latest')
  })

  test('a server on ::1 alone is found by the name localhost (R19)', async (context) => {
    const listener = http.createServer((_, response) =>
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"version":"0.11.4","models":[]}'),
    )
    const bound = await new Promise<boolean>((resolve) => {
      listener.once('error', () => resolve(false)).listen(0, '::1', () => resolve(true))
    })
    if (!bound) context.skip('this machine has no IPv6')
    const { port } = listener.address() as AddressInfo
    const facts = await models.readServerFacts(`http://localhost:${port}`, 'm')
    listener.closeAllConnections()
    listener.close()
    expect(facts).toMatchObject({ ok: true, value: { url: `http://[::1]:${port}` } })
  })

  test('a server on OpenAI’s wire is said to be one, with what to do', async () => {
    const facts = await factsOf({ '/v1/models': { data: [{ id: 'qwen3-4b', owned_by: 'llamacpp' }] } })
    expect(facts).toMatchObject({ ok: false, error: { code: 'other-wire', todo: expect.stringMatching(/--api openai.*qwen3-4b/) } })
  })

  test('a dead server, a web page, other JSON and a wrong address are told apart', async () => {
    const dead = await startScriptedServer(() => {})
    await dead.close()
    expect(await models.readServerFacts(dead.url, 'm')).toMatchObject({ ok: false, error: { code: 'server-unreachable' } })
    server = await startScriptedServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'))
    expect(await models.readServerFacts(server.url, 'm')).toMatchObject({ ok: false, error: { code: 'not-a-model-server' } })
    await server.close()
    server = await startScriptedServer((_, response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"hello":1}'))
    expect(await models.readServerFacts(server.url, 'm')).toMatchObject({ ok: false, error: { code: 'not-a-model-server' } })
    expect(await models.readServerFacts('http://', 'm')).toMatchObject({ ok: false, error: { code: 'address-invalid' } })
  })
})

test('resident models come with their sizes', async () => {
  server = await startScriptedServer(play())
  expect(await models.residentModels(server.url)).toEqual({
    ok: true,
    value: [{ name: 'mid:latest', sizeBytes: 40, vramBytes: 30, contextTokens: 4096, expiresAt: '2026-01-01T00:00:00Z' }],
  })
})

test('a model is warmed with the options that the calls will send', async () => {
  server = await startScriptedServer(play({ '/api/generate': { done: true, done_reason: 'load' } }))
  expect(await models.warmModel(server.url, 'mid', { options: { num_ctx: 512 } })).toMatchObject({ ok: true })
  expect(server.asked[0]?.body).toEqual({ model: 'mid', prompt: '', stream: false, options: { num_ctx: 512 } })
})

test('discovery puts resident models first, then small ones, and leaves out those that embed', async () => {
  server = await startScriptedServer(play())
  const dead = await startScriptedServer(() => {})
  await dead.close()
  const found = await models.discoverServers([server.url, server.url.replace('http://', ''), dead.url])
  expect(found).toHaveLength(2)
  expect(found[0]).toMatchObject({ url: server.url, version: '0.11.4', problem: null })
  expect(found[0]?.models.map((model) => model.name)).toEqual(['mid:latest', 'big:latest'])
  expect(found[1]).toMatchObject({ url: dead.url, models: [], problem: { code: 'server-unreachable' } })
})

test('servers on OpenAI’s wire are found by their list of models; web pages and silence are not', async () => {
  server = await startScriptedServer(
    play({
      '/v1/models': {
        data: [
          { id: 'm', owned_by: 'llamacpp' },
          { id: 'nomic-embed', owned_by: 'llamacpp' },
        ],
      },
    }),
  )
  const page = await startScriptedServer((_, response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>'))
  const dead = await startScriptedServer(() => {})
  await dead.close()
  expect(await models.discoverOpenAiServers([server.url, page.url, dead.url])).toEqual([{ url: server.url, kind: 'llama-server', models: ['m'] }])
  await page.close()
})

describe('a built-in server', () => {
  const info = { engine: 'null', simulated: true, slots: null, models: ['m'], version: 'v', settings: {} }

  test('is started with what was asked for, and stopped by its owner', async () => {
    const starting = models.startBuiltIn({ engine: 'null', slots: 0, settings: { tokens: 3 } })
    expect(children[0]?.sent).toEqual([{ type: 'start', options: { engine: 'null', slots: 0, settings: { tokens: 3 }, cacheDir: '/models' } }])
    children[0]?.say({ type: 'started', url: 'http://127.0.0.1:1', info })
    const started = await starting
    expect(started).toMatchObject({ ok: true, value: { url: 'http://127.0.0.1:1', info, pid: 4242 } })
    if (started.ok) await started.value.stop()
    expect(children[0]?.stopped).toBe(true)
  })

  test('that can not start says why, and its process is ended', async () => {
    const starting = models.startBuiltIn({ engine: 'llama' })
    children[0]?.say({ type: 'failed', problem: problem('gguf-broken', 'Broken.', '', '') })
    expect(await starting).toMatchObject({ ok: false, error: { code: 'gguf-broken' } })
    expect(children[0]?.stopped).toBe(true)
  })

  test('whose process ends before it is up is a sentence', async () => {
    const starting = models.startBuiltIn({ engine: 'llama' })
    children[0]?.exit(134)
    const started = await starting
    expect(started).toMatchObject({ ok: false, error: { code: 'model-host-ended' } })
    expect(started.ok ? '' : started.error.happened).toContain('134')
  })

  test('that was forgotten is stopped at the end', async () => {
    const starting = models.startBuiltIn({ engine: 'null' })
    children[0]?.say({ type: 'started', url: 'http://127.0.0.1:1', info })
    await starting
    await models.close()
    expect(children[0]?.stopped).toBe(true)
  })
})

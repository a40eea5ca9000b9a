import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { createHttpClient, type HttpClient } from '../../platform/http-client.ts'
import { readOpenAiFacts } from './openai-facts.ts'

let http: HttpClient
let server: ScriptedServer | undefined
beforeEach(() => {
  http = createHttpClient()
})
afterEach(async () => {
  http.close()
  await server?.close()
  server = undefined
})

/** A text is sent as it is; a function plays a fault. */
type Answer = object | string | ((response: import('node:http').ServerResponse) => void)

async function factsOf(answers: Record<string, Answer>, model = 'm', key?: string) {
  server = await startScriptedServer(({ path }, response) => {
    const answer = answers[path]
    if (answer === undefined) response.writeHead(404, { 'Content-Type': 'application/json' }).end('{"error":"not found"}')
    else if (typeof answer === 'function') answer(response)
    else if (typeof answer === 'string') response.writeHead(200, { 'Content-Type': 'text/plain' }).end(answer)
    else response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(answer))
  })
  return readOpenAiFacts(http, { url: `${server.url}/v1`, key }, model)
}

const models = (owner: string, rest: object = {}) => ({ object: 'list', data: [{ id: 'm', object: 'model', owned_by: owner, ...rest }] })

describe('M11: what servers on OpenAI’s wire tell', () => {
  test('llama-server: slots, context and build; it answers to any name', async () => {
    const slots = [0, 1, 2].map((id) => ({ id, n_ctx: 1365, is_processing: false }))
    const props = { total_slots: 3, build_info: 'b6100-abc', default_generation_settings: { n_ctx: 1365 }, model_path: '/m.gguf' }
    expect(
      await factsOf({ '/v1/models': models('llamacpp'), '/slots': slots, '/props': props, '/metrics': 'llamacpp:requests_processing 0\n' }, 'x'),
    ).toMatchObject({
      ok: true,
      value: {
        kind: 'llama-server',
        api: 'openai',
        version: 'b6100-abc',
        declaredSlots: 3,
        declaredSlotsSource: '/slots of the server',
        contextTokens: 1365,
        gauges: 'metrics',
      },
    })
  })

  test('llama-server with --no-slots and without --metrics still tells its slots in /props', async () => {
    const refused = (response: import('node:http').ServerResponse) => response.writeHead(501).end('{"error":{"message":"disabled"}}')
    expect(
      await factsOf({
        '/v1/models': models('llamacpp'),
        '/slots': refused,
        '/props': { total_slots: 4, default_generation_settings: {}, chat_template_caps: { supports_tools: false } },
      }),
    ).toMatchObject({
      ok: true,
      value: { kind: 'llama-server', declaredSlots: 4, version: null, versionKnown: false, gauges: null, supportsTools: false },
    })
  })

  test('vLLM: version, context and gauges; its admission limit is not told and not guessed', async () => {
    expect(
      await factsOf({
        '/v1/models': models('vllm', { max_model_len: 8192 }),
        '/version': { version: '0.11.0' },
        '/metrics': 'vllm:num_requests_running 0\n',
      }),
    ).toMatchObject({ ok: true, value: { kind: 'vllm', version: '0.11.0', contextTokens: 8192, declaredSlots: null, gauges: 'metrics' } })
  })

  test('LM Studio: the parallel setting of the loaded instance; nothing before it is loaded', async () => {
    const model = (instances: object[]) => ({
      models: [{ type: 'llm', key: 'm', size_bytes: 5e9, quantization: { name: 'Q4_K_M' }, loaded_instances: instances }],
    })
    const loaded = model([{ id: 'm', config: { context_length: 4096, parallel: 4 } }])
    expect(await factsOf({ '/v1/models': models('organization_owner'), '/api/v1/models': loaded })).toMatchObject({
      ok: true,
      value: { kind: 'lm-studio', declaredSlots: 4, contextTokens: 4096, modelSizeBytes: 5e9, quantization: 'Q4_K_M' },
    })
    await server?.close()
    expect(await factsOf({ '/v1/models': models('organization_owner'), '/api/v1/models': model([]) })).toMatchObject({
      ok: true,
      value: { kind: 'lm-studio', declaredSlots: null },
    })
  })

  test('a provider far away: the key goes along, and nothing else is known', async () => {
    expect(await factsOf({ '/v1/models': models('system') }, 'm', 'sk-1')).toMatchObject({
      ok: true,
      value: { kind: 'openai', declaredSlots: null, gauges: null, version: null },
    })
    expect(server?.asked.every(({ headers }) => headers.authorization === 'Bearer sk-1')).toBe(true)
  })

  test('documents with absent, wrong or half fields tell what they can', async () => {
    const half = (response: import('node:http').ServerResponse) => {
      response.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': 500 })
      response.write('[{"id":0,')
      setTimeout(() => response.destroy(), 10)
    }
    const page = (response: import('node:http').ServerResponse) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>')
    expect(
      await factsOf({ '/v1/models': { data: [{ id: 'm', owned_by: 7, max_model_len: 'long' }] }, '/slots': half, '/props': page, '/metrics': page }),
    ).toMatchObject({ ok: true, value: { kind: 'openai', declaredSlots: null, contextTokens: null } })
  })

  test('a server without a list of models is taken at its word', async () => {
    expect(await factsOf({})).toMatchObject({ ok: true, value: { kind: 'unknown', model: 'm' } })
  })

  test('a page, other JSON, a missing model and a refused key each have their own sentence', async () => {
    const codeOf = async (answers: Record<string, Answer>, model?: string) => {
      const facts = await factsOf(answers, model)
      await server?.close()
      return facts.ok ? 'ok' : facts.error.code
    }
    expect(await codeOf({ '/v1/models': (response) => response.writeHead(200, { 'Content-Type': 'text/html' }).end('<html>') })).toBe(
      'not-a-model-server',
    )
    expect(await codeOf({ '/v1/models': { hello: 1 } })).toBe('not-a-model-server')
    expect(await codeOf({ '/v1/models': models('system') }, 'other')).toBe('model-missing')
    expect(await codeOf({ '/v1/models': (response) => response.writeHead(401).end('{"error":{"message":"no"}}') })).toBe('key-refused')
  })

  test('a document that is slow to come delays the rest for 2 s at most', async () => {
    const startedMs = performance.now()
    expect(await factsOf({ '/v1/models': models('vllm'), '/metrics': () => {} })).toMatchObject({ ok: true, value: { kind: 'vllm', gauges: null } })
    expect(performance.now() - startedMs).toBeLessThan(6_000)
  })
})

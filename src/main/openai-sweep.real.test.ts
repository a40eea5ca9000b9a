/** Whole sweeps on OpenAI's wire: against the simulated server in llama-server's style, and against one that wants a key, which must be nowhere afterwards. */
import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type AppUnderTest, openAppUnderTest } from '../../test/app-under-test.ts'
import { startScriptedServer } from '../../test/scripted-model-server.ts'

const KEY = 'sk-nobody-may-keep-this-0123456789'
let plimsoll: AppUnderTest
beforeAll(async () => {
  process.env.PLIMSOLL_TEST_KEY = KEY
  plimsoll = await openAppUnderTest()
})
afterAll(async () => {
  await plimsoll?.close()
  delete process.env.PLIMSOLL_TEST_KEY
})

const WORKLOAD = { promptTokens: 20, outputTokens: 12, memoryNote: false }

test('the simulated server with 2 slots on OpenAI’s wire: slots seen, both legs, every answer counted', async () => {
  const started = await plimsoll.app.models.startBuiltIn({
    engine: 'simulated',
    slots: 2,
    settings: { prefillMs: 20, decodeMs: 10, llamaServerStyle: true },
  })
  if (!started.ok) throw new Error(started.error.happened)
  const target = { kind: 'server', url: `${started.value.url}/v1`, model: 'plimsoll-simulated', api: 'openai' } as const
  const { state, analysis } = await plimsoll.sweep({
    target,
    levels: [1, 2, 4, 8],
    repeats: 1,
    waves: 3,
    legs: ['runner', 'direct'],
    workload: WORKLOAD,
  })
  await started.value.stop()
  expect(state).toMatchObject({ status: 'completed', facts: { kind: 'plimsoll', api: 'openai', declaredSlots: 2 } })
  expect(analysis.levels.filter(({ failures }) => failures > 0)).toEqual([])
  expect(analysis.effectiveSlots).toMatchObject({ n: 2, plateau: true })
  const calls = state.rows.flatMap((row) => row.timeline?.calls ?? [])
  expect(calls.every(({ server, tokensEstimated }) => server !== null && !tokensEstimated)).toBe(true)
})

test('a key travels in its header and is in no database, report or row, even when the server repeats it', async () => {
  let asked = 0
  const seen = new Set<string | undefined>()
  const server = await startScriptedServer((one, response) => {
    if (one.path === '/v1/models') {
      response.writeHead(200, { 'Content-Type': 'application/json' }).end('{"object":"list","data":[{"id":"m","owned_by":"somebody"}]}')
      return
    }
    if (one.path !== '/v1/chat/completions') return void response.writeHead(404).end('{}')
    seen.add(one.headers.authorization)
    asked += 1
    if (asked % 5 === 0) return void response.writeHead(401).end(JSON.stringify({ error: { message: `Incorrect API key provided: ${KEY}.` } }))
    response.writeHead(200, { 'Content-Type': 'text/event-stream' })
    const delta = (text: string) => `data: ${JSON.stringify({ choices: [{ delta: { content: text }, finish_reason: null }] })}\n\n`
    response.end(
      `${delta('a')}${delta('b')}data: {"choices":[{"delta":{},"finish_reason":"stop"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}\n\ndata: [DONE]\n\n`,
    )
  })
  const target = { kind: 'server', url: server.url, model: 'm', api: 'openai', keyName: 'PLIMSOLL_TEST_KEY' } as const
  const { sweepId, state } = await plimsoll.sweep({ target, levels: [1, 4], repeats: 1, waves: 3, legs: ['runner', 'direct'], workload: WORKLOAD })
  await server.close()
  expect(seen).toEqual(new Set([`Bearer ${KEY}`]))
  expect(state.rows.some(({ problem }) => problem?.code === 'key-refused')).toBe(true)
  const { html, json } = await plimsoll.report(sweepId)
  const kept = [html, JSON.stringify(json), JSON.stringify(state), ...filesBelow(plimsoll.app.dataDir)]
  expect(kept.length).toBeGreaterThan(4)
  expect(kept.filter((text) => text.includes(KEY) || text.includes(KEY.slice(0, 20)))).toEqual([])
})

function filesBelow(dir: string): string[] {
  return readdirSync(dir).flatMap((name) => {
    const path = join(dir, name)
    return statSync(path).isDirectory() ? filesBelow(path) : [readFileSync(path, 'latin1')]
  })
}

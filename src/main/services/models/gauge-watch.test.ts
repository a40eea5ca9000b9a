import { afterEach, expect, test, vi } from 'vitest'
import { type ScriptedServer, startScriptedServer } from '../../../../test/scripted-model-server.ts'
import { ManualClock } from '../../platform/clock.ts'
import { createHttpClient } from '../../platform/http-client.ts'
import { watchGauges } from './gauge-watch.ts'

let server: ScriptedServer
const http = createHttpClient()
afterEach(() => server.close())

test('requests that ran before do not count; a server that stops telling gives nothing; closed, it asks no more', async () => {
  const answers = ['vllm:num_requests_running 2\nvllm:num_requests_waiting 0', 'vllm:num_requests_running 9\nvllm:num_requests_waiting 3', null]
  server = await startScriptedServer((_, response) => {
    const text = answers[Math.min(server.asked.length, answers.length) - 1]
    if (text == null) response.writeHead(500).end()
    else response.writeHead(200, { 'Content-Type': 'text/plain' }).end(text)
  })
  const clock = new ManualClock()
  const watch = watchGauges({ http, clock }, { url: server.url, gauges: 'metrics', key: 'k' })
  expect(watch.latest()).toBeUndefined()
  await vi.waitFor(() => expect(watch.latest()).toEqual({ running: 0, waiting: 0, kvCacheRatio: null, preemptions: null }))
  clock.advance(500)
  await vi.waitFor(() => expect(watch.latest()).toMatchObject({ running: 7, waiting: 3 }))
  clock.advance(500)
  await vi.waitFor(() => expect(watch.latest()).toBeUndefined())
  watch.close()
  const asked = server.asked.length
  clock.advance(5_000)
  expect(server.asked).toHaveLength(asked)
  expect(server.asked[0]).toMatchObject({ path: '/metrics', headers: { authorization: 'Bearer k' } })
})

test('slots tell who runs', async () => {
  server = await startScriptedServer((_, response) => {
    const busy = [0, 1, 2].map((id) => ({ id, n_ctx: 8, is_processing: id < 2 && server.asked.length > 1 }))
    response.writeHead(200, { 'Content-Type': 'application/json' }).end(JSON.stringify(busy))
  })
  const clock = new ManualClock()
  const watch = watchGauges({ http, clock }, { url: server.url, gauges: 'slots' })
  await vi.waitFor(() => expect(watch.latest()).toMatchObject({ running: 0 }))
  clock.advance(500)
  await vi.waitFor(() => expect(watch.latest()).toMatchObject({ running: 2, waiting: null }))
  watch.close()
})

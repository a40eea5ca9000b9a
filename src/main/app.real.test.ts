/** The whole of main, composed with the built children, driven over the contract as the page drives it, every output checked against its schema. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { contract, type PlimsollContract } from '../contract/endpoints/index.ts'
import { connect } from '../contract/wire/connect.ts'
import type { Client, ClientStream } from '../contract/wire/endpoint-types.ts'
import { serve } from '../contract/wire/serve.ts'
import { memoryTransportPair } from '../contract/wire/transports/memory.ts'
import type { Result } from '../core/result/result.ts'
import { sessionSettingsSchema } from '../core/session/session-event.ts'
import { sweepStateOf } from '../core/sweep/fold-sweep.ts'
import { sweepRequestSchema } from '../core/sweep/plan.ts'
import type { SweepEvent } from '../core/sweep/sweep-event.ts'
import { createApi } from './api/create-api.ts'
import { type App, composeApp } from './compose.ts'
import { nodeForkChild } from './platform/child.ts'
import { silentLog } from './platform/log.ts'

const mainDir = resolve(import.meta.dirname, '../../out/main')
const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-app-'))

function expectOk<T, E>(result: Result<T, E>): T {
  if (!result.ok) throw new Error(JSON.stringify(result.error))
  return result.value
}

const bugs: unknown[] = []
async function open(): Promise<{ app: App; client: Client<PlimsollContract> }> {
  const app = expectOk(await composeApp({ dataDir, host: 'test', fork: nodeForkChild(mainDir), log: silentLog, verbose: false }))
  const [main, page] = memoryTransportPair()
  serve(contract, createApi(app), main, { reportBug: (path, cause) => `bug-${bugs.push([path, cause])}`, checkOutputs: true })
  return { app, client: connect(contract, page) }
}

/** Values of a stream until one satisfies. */
function until<I, O>(stream: ClientStream<I, O>, input: I, enough: (value: O) => boolean): Promise<O[]> {
  return new Promise((resolve, reject) => {
    const seen: O[] = []
    const stop = stream(input, {
      next(value) {
        seen.push(value)
        if (!enough(value)) return
        stop()
        resolve(seen)
      },
      error: (problem) => reject(new Error(JSON.stringify(problem))),
    })
  })
}

let app: App
let client: Client<PlimsollContract>
beforeAll(async () => {
  ;({ app, client } = await open())
})
afterAll(async () => {
  await app.close()
  rmSync(dataDir, { recursive: true, force: true })
})

test('it says what it is and what it found, and never the value of a key', async () => {
  process.env.OPENAI_API_KEY = 'sk-secret'
  expect(expectOk(await client.app.info({}))).toMatchObject({ dataDir, runnerUrl: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+$/) })
  const found = expectOk(await client.app.discover({}))
  expect(found.filter(({ kind }) => kind === 'engine').map(({ found }) => found)).toEqual([true, true])
  expect(found).toContainEqual(expect.objectContaining({ kind: 'key', name: 'OPENAI_API_KEY', found: true, fact: 'set' }))
  expect(JSON.stringify(found)).not.toContain('sk-secret')
  delete process.env.OPENAI_API_KEY
})

test('settings and layouts are kept; the runner’s limit follows', async () => {
  await client.app.saveSettings({ runnerLimit: 2 })
  expect(app.runner.gauges().limit).toBe(2)
  await client.app.saveLayout({ key: 'panes', json: '{"a":1}' })
  expect(expectOk(await client.app.loadLayout({ key: 'panes' }))).toEqual({ json: '{"a":1}' })
  expect(expectOk(await client.app.loadLayout({ key: 'never' }))).toEqual({ json: null })
})

test('samples come live and as a history', async () => {
  const [sample] = await until(client.metrics.samples, {}, () => true)
  expect(sample?.processes.map(({ role }) => role)).toContain('main')
  expect(expectOk(await client.metrics.history({ seconds: 60 })).length).toBeGreaterThan(0)
})

test('a sweep runs end to end on the simulated server and is found, opened and exported', { timeout: 120_000 }, async () => {
  const request = sweepRequestSchema.parse({
    target: { kind: 'built-in', engine: 'simulated', model: 'simulated', slots: 1 },
    ...{ levels: [1, 2], repeats: 1, legs: ['runner'], workload: { outputTokens: 8, memoryNote: false } },
  })
  expect(expectOk(await client.sweeps.estimate(request)).cells).toBeGreaterThan(1)
  const { sweepId } = expectOk(await client.sweeps.start(request))
  expect(await client.sweeps.start(request)).toMatchObject({ ok: false, error: { code: 'sweep-running' } })
  expect(await client.sweeps.remove({ sweepId })).toMatchObject({ ok: false, error: { code: 'sweep-running' } })
  const isEnd = (batch: SweepEvent[]) => batch.some(({ type }) => type === 'sweep-ended')
  const live = (await until(client.sweeps.events, { sweepId }, isEnd)).flat()
  const listed = await until(client.sweeps.list, {}, (rows) => rows[0]?.status === 'completed')
  expect(listed.at(-1)?.[0]).toMatchObject({ sweepId, number: 1, simulated: true, verdict: { primary: expect.any(String) } })

  const reopened = (await until(client.sweeps.events, { sweepId }, isEnd)).flat()
  expect(sweepStateOf(reopened)).toEqual(sweepStateOf(live))
  const html = expectOk(await client.sweeps.exportReport({ sweepId, format: 'html' }))
  expect(html.content).toContain('<!doctype html>')
  expect(JSON.parse(expectOk(await client.sweeps.exportReport({ sweepId, format: 'json' })).content)).toMatchObject({ schema: 'plimsoll.sweep/1' })
})

test('a sweep against an address where nothing listens is refused with a sentence that names it', async () => {
  const request = sweepRequestSchema.parse({ target: { kind: 'server', url: 'http://127.0.0.1:9', model: 'm' }, levels: [1] })
  const refused = await client.sweeps.start(request)
  expect(refused.ok ? '' : refused.error.happened).toContain('127.0.0.1:9')
})

test('a chat is answered, listed with its title, charted, and there again after a restart', { timeout: 60_000 }, async () => {
  const server = expectOk(await app.models.startBuiltIn({ engine: 'simulated', slots: 1 }))
  const settings = sessionSettingsSchema.parse({ serverUrl: server.url, model: server.info.models[0], maxOutputTokens: 4 })
  const { sessionId } = expectOk(await client.chats.create({ settings }))
  expectOk(await client.chats.post({ sessionId, text: 'Hello there' }))
  const events = (await until(client.chats.events, { sessionId }, (batch) => batch.some(({ type }) => type === 'turn-ended'))).flat()
  expect(events[0]).toMatchObject({ type: 'turn-accepted', text: 'Hello there' })
  expect(events.filter(({ type }) => type === 'delta').length).toBeGreaterThan(0)
  const [latencies] = await until(client.chats.latencies, {}, (batch) => batch.some(({ origin }) => origin === 'chat'))
  expect(latencies?.findLast(({ origin }) => origin === 'chat')).toMatchObject({ outcome: 'completed' })

  await app.close()
  ;({ app, client } = await open())
  const [chats] = await until(client.chats.list, {}, () => true)
  expect(chats).toMatchObject([{ sessionId, title: 'Hello there', status: 'idle' }])
  const again = (await until(client.chats.events, { sessionId }, (batch) => batch.some(({ type }) => type === 'turn-ended'))).flat()
  expect(again).toEqual(events)
  expectOk(await client.chats.close({ sessionId }))
  expect(await client.chats.post({ sessionId, text: 'x' })).toMatchObject({ ok: false, error: { code: 'session-missing' } })
})

test('a terminal opens, echoes what is typed, and its text and entry are as they were for a second view', async () => {
  const terminal = expectOk(await client.terminals.open({ cols: 80, rows: 24, command: '/bin/sh', args: [], cwd: dataDir }))
  const { terminalId } = terminal
  expectOk(await client.terminals.write({ terminalId, data: 'echo six$((3*2))\n' }))
  const textOf = (chunks: Uint8Array[]) => Buffer.concat(chunks).toString()
  const seen: Uint8Array[] = []
  await until(client.terminals.output, { terminalId }, (chunk) => textOf(seen.concat(chunk)).includes('six6') || seen.push(chunk) < 0)
  const again: Uint8Array[] = []
  await until(client.terminals.output, { terminalId }, (chunk) => textOf(again.concat(chunk)).includes('six6') || again.push(chunk) < 0)
  expectOk(await client.terminals.resize({ terminalId, cols: 100, rows: 30 }))
  expect((await until(client.terminals.list, {}, () => true))[0]).toMatchObject([{ terminalId, status: 'running', cols: 100 }])
  expectOk(await client.terminals.close({ terminalId }))
  expect((await until(client.terminals.list, {}, (list) => list.length === 0)).at(-1)).toEqual([])
})

test('nothing in all this was a bug', () => {
  expect(bugs).toEqual([])
})

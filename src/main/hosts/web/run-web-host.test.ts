import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { type IncomingHttpHeaders, request } from 'node:http'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { contract, type PlimsollContract } from '../../../contract/endpoints/index.ts'
import { connect } from '../../../contract/wire/connect.ts'
import type { Api } from '../../../contract/wire/endpoint-types.ts'
import { webSocketTransport } from '../../../contract/wire/transports/web-socket.ts'
import { ok } from '../../../core/result/result.ts'
import { silentLog } from '../../platform/log.ts'
import { runWebHost, type WebHost } from './run-web-host.ts'

const info = {
  version: '0.1.0',
  host: 'web' as const,
  dataDir: '/data',
  runnerUrl: null,
  homeDir: '/home/x',
  shell: '/bin/sh',
  platform: 'linux',
}
const api = { app: { info: () => ok(info) } } as unknown as Api<PlimsollContract>

function pageFolder(): string {
  const dir = mkdtempSync(join(tmpdir(), 'plimsoll-page-'))
  mkdirSync(join(dir, 'page', 'assets'), { recursive: true })
  writeFileSync(join(dir, 'page', 'index.html'), '<!doctype html><title>Plimsoll</title>')
  writeFileSync(join(dir, 'page', 'assets', 'index-abc.js'), 'export {}')
  writeFileSync(join(dir, 'secret.txt'), 'secret')
  return join(dir, 'page')
}

const announced: string[] = []
let host: WebHost
beforeAll(async () => {
  const started = await runWebHost({
    api,
    log: silentLog,
    version: '0.1.0',
    rendererDir: pageFolder(),
    port: 0,
    announce: (url) => announced.push(url),
  })
  if (!started.ok) throw new Error(started.error.happened)
  host = started.value
})
afterAll(() => host.close())

type Answer = { status: number; headers: IncomingHttpHeaders; body: string }
function get(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = request({ host: '127.0.0.1', port: host.port, path, headers, method }, (answer) => {
      let body = ''
      answer.on('data', (chunk) => {
        body += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }))
    })
    asked.on('error', reject)
    asked.end()
  })
}

const pathOf = (url: string) => url.slice(url.indexOf('/', 8))
async function signIn(): Promise<string> {
  const answer = await get(pathOf(host.freshUrl()))
  return answer.headers['set-cookie']?.[0]?.split(';')[0] ?? ''
}
const origin = () => `http://127.0.0.1:${host.port}`

/** Opens the WebSocket, or tells the status and sentence of the refusal. */
function openSocket(headers: Record<string, string>, path = '/wire'): Promise<WebSocket | { status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const socket = new WebSocket(`ws://127.0.0.1:${host.port}${path}`, { headers })
    socket.on('open', () => resolve(socket))
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, answer) => {
      let body = ''
      answer.on('data', (chunk) => {
        body += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, body }))
    })
  })
}

test('the link turns into a cookie that scripts and other sites can’t use, and the address bar is left without the token', async () => {
  const answer = await get(pathOf(host.freshUrl()))
  expect(answer.status).toBe(303)
  expect(answer.headers.location).toBe('/')
  expect(answer.headers['set-cookie']?.[0]).toMatch(/^plimsoll_\d+=[\w-]{43}; HttpOnly; SameSite=Strict; Path=\/$/)
  const page = await get('/', { cookie: answer.headers['set-cookie']?.[0]?.split(';')[0] ?? '' })
  expect(page.status).toBe(200)
  expect(page.body).toContain('<title>Plimsoll</title>')
})

test('a link works once; whoever is signed in already may still use an old one', async () => {
  const url = host.freshUrl()
  const cookie = (await get(pathOf(url))).headers['set-cookie']?.[0]?.split(';')[0] ?? ''
  const again = await get(pathOf(url), { accept: 'text/html' })
  expect(again.status).toBe(403)
  expect(again.body).toContain('used before')
  expect((await get(pathOf(url), { cookie })).status).toBe(303)
})

test('a wrong token is refused with a sentence, and a fresh link is announced, not once per try', async () => {
  for (let n = 0; n < 5; n++) {
    const answer = await get('/?token=AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA', { accept: 'text/html' })
    expect(answer.status).toBe(403)
    expect(answer.body).toContain('This link does not work')
    expect(answer.headers['set-cookie']).toBeUndefined()
  }
  expect(announced).toHaveLength(1)
  expect((await get(pathOf(announced[0] ?? ''))).status).toBe(303)
})

test('without a cookie, or with a made-up one, there is no page, no file and no socket', async () => {
  expect((await get('/')).status).toBe(401)
  expect((await get('/assets/index-abc.js')).status).toBe(401)
  expect((await get('/session', { cookie: `plimsoll_${host.port}=AAAA` })).status).toBe(401)
  expect(await openSocket({ origin: origin() })).toMatchObject({ status: 401 })
})

test('a foreign Host is refused with a sentence, even with the right cookie: a rebound name gets nothing', async () => {
  const cookie = await signIn()
  for (const name of ['evil.example', `evil.example:${host.port}`, '127.0.0.1.evil.example', '192.168.1.7', '[::1', 'a b']) {
    const answer = await get('/', { cookie, host: name })
    expect([name, answer.status]).toEqual([name, 403])
  }
  const refused = await get('/', { cookie, host: 'evil.example', accept: 'text/html' })
  expect(refused.body).toContain('evil.example')
  expect(refused.body).toContain('no name of this Plimsoll')
  expect(await openSocket({ origin: 'http://evil.example', host: 'evil.example', cookie })).toMatchObject({ status: 403 })
  expect((await get('/', { cookie, host: `localhost:${host.port}` })).status).toBe(200)
})

test('a foreign Origin is refused with a sentence, even with the right cookie', async () => {
  const cookie = await signIn()
  for (const foreign of ['https://evil.example', 'http://127.0.0.1:1', 'null', `http://localhost:${host.port}`]) {
    const refused = await openSocket({ origin: foreign, cookie })
    expect(refused).toMatchObject({ status: 403 })
    expect((refused as { body: string }).body).toContain('may connect')
  }
  expect(await openSocket({ cookie })).toMatchObject({ status: 403 })
})

test('the page’s own socket carries the contract', async () => {
  const socket = await openSocket({ origin: origin(), cookie: await signIn() })
  if (!(socket instanceof WebSocket)) throw new Error(`refused: ${socket.body}`)
  const client = connect(contract, webSocketTransport(socket))
  expect(await client.app.info({})).toEqual(ok(info))
  socket.terminate()
})

test('files come with their type and caching, under a policy without inline scripts', async () => {
  const cookie = await signIn()
  const page = await get('/', { cookie })
  expect(page.headers).toMatchObject({ 'content-type': 'text/html; charset=utf-8', 'cache-control': 'no-cache', 'x-content-type-options': 'nosniff' })
  expect(page.headers['content-security-policy']).toContain("script-src 'self';")
  const script = await get('/assets/index-abc.js', { cookie })
  expect(script.headers['content-type']).toBe('text/javascript; charset=utf-8')
  expect(script.headers['cache-control']).toContain('immutable')
  expect((await get('/', { cookie }, 'HEAD')).body).toBe('')
})

test('no path leads out of the page’s folder', async () => {
  const cookie = await signIn()
  for (const path of [
    '/../secret.txt',
    '/..%2fsecret.txt',
    '/%2e%2e/secret.txt',
    '/assets/..%2f..%2fsecret.txt',
    '/..%5csecret.txt',
    '/%00',
    '/%',
    '//etc/passwd',
  ]) {
    const answer = await get(path, { cookie })
    expect([path, answer.status]).toEqual([path, 404])
    expect(answer.body).not.toContain('secret\n')
  }
})

test('only reading is answered', async () => {
  expect((await get('/', { cookie: await signIn() }, 'POST')).status).toBe(405)
})

test('health is told to anybody who asks by a name of ours', async () => {
  expect(JSON.parse((await get('/health')).body)).toEqual({ ok: true, version: '0.1.0' })
})

test('a port in use is a Problem that names it', async () => {
  const taken = createServer()
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve))
  const { port } = taken.address() as { port: number }
  const started = await runWebHost({ api, log: silentLog, version: '0', rendererDir: '/', port })
  taken.close()
  expect(started).toMatchObject({ ok: false, error: { code: 'port-in-use' } })
  expect(started.ok ? '' : started.error.happened).toContain(String(port))
})

test('an address that is not this machine’s is a Problem', async () => {
  const started = await runWebHost({ api, log: silentLog, version: '0', rendererDir: '/', host: '192.0.2.1', port: 0 })
  expect(started).toMatchObject({ ok: false, error: { code: 'host-not-here' } })
})

test('closing ends open pages and frees the port', async () => {
  const started = await runWebHost({ api, log: silentLog, version: '0', rendererDir: '/', port: 0 })
  if (!started.ok) throw new Error(started.error.happened)
  await started.value.close()
  const again = await runWebHost({ api, log: silentLog, version: '0', rendererDir: '/', port: started.value.port })
  expect(again.ok).toBe(true)
  if (again.ok) await again.value.close()
})

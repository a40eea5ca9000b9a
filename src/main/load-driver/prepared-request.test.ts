import { createServer, type Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type Connections, exchange, openConnections, PreparedRequest } from './prepared-request.ts'

let server: Server
let connections: Connections
afterEach(() => {
  connections?.close()
  server?.closeAllConnections()
  server?.close()
})

async function serve(answer: Parameters<typeof createServer>[1]): Promise<string> {
  server = createServer(answer)
  connections = openConnections()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

/** What came, in order; resolves with the last. */
function prepare(url: string, body = '{}') {
  const seen: string[] = []
  let over = (_: string[]) => {}
  const ended = new Promise<string[]>((resolve) => {
    over = resolve
  })
  const request = new PreparedRequest(
    connections,
    { url, method: 'POST', body },
    {
      onHead: (status) => seen.push(`head ${status}`),
      onData: (bytes) => seen.push(bytes.toString()),
      onEnd: () => over([...seen, 'end']),
      onFailure: (code) => over([...seen, code]),
    },
  )
  return { request, ended }
}

test('M1: a prepared request stands on an open connection and says nothing until it is sent', async () => {
  let requests = 0
  let sockets = 0
  const url = await serve((_, res) => {
    requests += 1
    res.end('yes')
  })
  server.on('connection', () => {
    sockets += 1
  })
  const { request, ended } = prepare(url)
  await request.connected
  await new Promise((resolve) => setImmediate(resolve))
  expect({ requests, sockets }).toEqual({ requests: 0, sockets: 1 })
  request.send()
  expect(await ended).toEqual(['head 200', 'yes', 'end'])
})

test('M1: no pool limit: 300 requests hold 300 connections at once', async () => {
  let open = 0
  const waiting: (() => void)[] = []
  const url = await serve((_, res) => {
    open += 1
    waiting.push(() => res.end())
    if (open === 300) for (const answer of waiting) answer()
  })
  const all = Array.from({ length: 300 }, () => prepare(url))
  await Promise.all(all.map(({ request }) => request.connected))
  for (const { request } of all) request.send()
  const ends = await Promise.all(all.map(({ ended }) => ended))
  expect(ends.every((end) => end.at(-1) === 'end')).toBe(true)
})

test('a reused connection that the server has closed is replaced, once, and the request sent again', async () => {
  const sockets: Socket[] = []
  const bodies: string[] = []
  let resetNext = false
  const url = await serve((req, res) => {
    if (resetNext) {
      resetNext = false
      req.socket.resetAndDestroy()
      return
    }
    req.on('data', (bytes: Buffer) => bodies.push(bytes.toString()))
    req.on('end', () => res.end('ok'))
  })
  server.on('connection', (socket) => sockets.push(socket))
  expect(await exchange(connections, { url, method: 'POST', body: '{"first":1}' })).toMatchObject({ ok: true, status: 200, text: 'ok' })
  const { request, ended } = prepare(url, '{"second":2}')
  await request.connected
  resetNext = true
  request.send()
  expect(await ended).toEqual(['head 200', 'ok', 'end'])
  expect(request.resent).toBe(true)
  expect(bodies).toEqual(['{"first":1}', '{"second":2}'])
  expect(sockets).toHaveLength(2)
})

test('a fresh connection that breaks is a failure, not sent again', async () => {
  let requests = 0
  const url = await serve((req) => {
    requests += 1
    req.socket.resetAndDestroy()
  })
  const { request, ended } = prepare(url)
  await request.connected
  request.send()
  expect(await ended).toEqual(['ECONNRESET'])
  expect(requests).toBe(1)
  expect(request.resent).toBe(false)
})

test('nobody there: the failure is told when the request is sent, not before', async () => {
  const url = await serve(() => {})
  await new Promise<void>((resolve) => server.close(() => resolve()))
  const { request, ended } = prepare(url)
  await request.connected
  let told = false
  void ended.then(() => {
    told = true
  })
  await new Promise((resolve) => setImmediate(resolve))
  expect(told).toBe(false)
  request.send()
  expect(await ended).toEqual(['ECONNREFUSED'])
})

test('an answer that breaks off keeps what came and ends in a failure', async () => {
  const url = await serve((_, res) => {
    res.write('half', () => res.destroy())
  })
  const { request, ended } = prepare(url)
  request.send()
  expect(await ended).toEqual(['head 200', 'half', 'ECONNRESET'])
})

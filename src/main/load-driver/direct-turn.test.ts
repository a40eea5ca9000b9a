import { createServer, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import type { TurnRow } from '../../core/sweep/turn-row.ts'
import { turnRowSchema } from '../../core/sweep/turn-row.ts'
import { systemClock } from '../platform/clock.ts'
import { DirectTurn } from './direct-turn.ts'
import { type Connections, openConnections } from './prepared-request.ts'
import { rowOf } from './turn.ts'

let server: Server
let connections: Connections
afterEach(() => {
  connections?.close()
  server?.closeAllConnections()
  server?.close()
})

const delta = (message: Record<string, unknown>) =>
  `${JSON.stringify({ model: 'm', created_at: '', message: { role: 'assistant', content: '', ...message }, done: false })}\n`
const FINAL = {
  model: 'm',
  created_at: '',
  message: { role: 'assistant', content: '' },
  done: true,
  done_reason: 'length',
  total_duration: 90e6,
  load_duration: 1e6,
  prompt_eval_count: 61,
  prompt_eval_duration: 20e6,
  eval_count: 4,
  eval_duration: 40e6,
}

async function play(
  answer: (res: ServerResponse) => void,
): Promise<{ row: TurnRow; asked: { headers: Record<string, unknown>; body: Record<string, unknown> } }> {
  const asked = { headers: {}, body: {} }
  server = createServer((req, res) => {
    const pieces: Buffer[] = []
    req.on('data', (bytes: Buffer) => pieces.push(bytes))
    req.on('end', () => {
      Object.assign(asked, { headers: req.headers, body: JSON.parse(Buffer.concat(pieces).toString()) })
      answer(res)
    })
  })
  connections = openConnections()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const serverUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const row = await new Promise<TurnRow>((resolve) => {
    const turn = new DirectTurn(3, {
      connections,
      clock: systemClock,
      serverUrl,
      model: 'm',
      options: { temperature: 0, num_predict: 4 },
      prompt: 'wörds?',
      callId: '1-2-3',
      onEnded: () => resolve(rowOf(turn.record, 1, 2)),
    })
    void turn.prepare().then(() => {
      turn.record.plannedAtMs = systemClock.nowMs()
      turn.fire()
    })
  })
  return { row, asked }
}

const failureOf = async (answer: (res: ServerResponse) => void) => {
  const { row } = await play(answer)
  turnRowSchema.parse(row)
  expect(row.outcome).toBe('failed')
  return row
}

test('an answer gives a row with one complete model call, and the request carries options, prompt and its name', async () => {
  const { row, asked } = await play((res) => {
    for (const content of ['a', 'bé', 'c', 'd']) res.write(delta({ content }))
    res.end(`${JSON.stringify(FINAL)}\n`)
  })
  turnRowSchema.parse(row)
  expect(row).toMatchObject({ cell: 1, wave: 2, session: 3, outcome: 'completed', acceptedAtMs: null, receiveLagMs: null })
  const [call] = row.timeline?.calls ?? []
  expect(call).toMatchObject({ endMarker: true, httpStatus: 200, promptTokens: 61, outputTokens: 4, tokensEstimated: false, purpose: 'answer' })
  expect(call?.server).toEqual({ totalNs: 90e6, loadNs: 1e6, promptEvalNs: 20e6, evalNs: 40e6 })
  expect(call?.firstDeltaAtMs).toBe(row.firstActivityAtMs)
  expect(asked.headers['x-plimsoll-call']).toBe('1-2-3')
  expect(asked.body).toMatchObject({ model: 'm', stream: true, options: { temperature: 0, num_predict: 4 }, messages: [{ content: 'wörds?' }] })
})

test('an empty delta is no activity; reasoning is, and the first text has its own stamp', async () => {
  let sayMore = () => {}
  const { row } = await play((res) => {
    res.write(delta({}))
    sayMore = () => {
      res.write(delta({ thinking: 'hm' }))
      setTimeout(() => res.end(`${delta({ content: 'x' })}${JSON.stringify(FINAL)}`), 30)
    }
    setTimeout(sayMore, 30)
  })
  const [call] = row.timeline?.calls ?? []
  expect((row.firstActivityAtMs ?? 0) - (call?.firstByteAtMs ?? 0)).toBeGreaterThan(15)
  expect((call?.firstTextAtMs ?? 0) - (call?.firstDeltaAtMs ?? 0)).toBeGreaterThan(15)
  expect(row.outcome).toBe('completed')
})

test('a server that gives no counts: tokens are counted here and marked estimated', async () => {
  const { row } = await play((res) =>
    res.end(
      `${delta({ content: 'a' })}${delta({ content: 'b' })}${JSON.stringify({ ...FINAL, eval_count: undefined, total_duration: undefined })}\n`,
    ),
  )
  expect(row.timeline?.calls[0]).toMatchObject({ outputTokens: 2, tokensEstimated: true, server: null, maxChunksPerRead: 3 })
})

test('no token at all: there is no first activity, never zero', async () => {
  const { row } = await play((res) => res.end(`${JSON.stringify(FINAL)}\n`))
  expect(row).toMatchObject({ outcome: 'completed', firstActivityAtMs: null })
})

test('a model that is not there, a full server and an error line each have their own sentence', async () => {
  const missing = await failureOf((res) => res.writeHead(404).end('{"error":"model \'m\' not found"}'))
  expect(missing.problem).toMatchObject({ code: 'model-missing', todo: expect.stringContaining('ollama pull m') })
  server.close()
  const busy = await failureOf((res) => res.writeHead(503).end('{"error":"server busy"}'))
  expect(busy.problem).toMatchObject({ code: 'server-busy', happened: expect.stringContaining('server busy') })
  server.close()
  const broken = await failureOf((res) => res.end(`${delta({ content: 'a' })}{"error":"out of memory"}\n`))
  expect(broken.problem).toMatchObject({ code: 'server-failed', happened: expect.stringContaining('out of memory') })
  expect(broken.timeline?.calls[0]).toMatchObject({ endMarker: false, outputTokens: 1, tokensEstimated: true })
})

test('no end marker, HTML and a broken connection are failures that keep what came', async () => {
  const unmarked = await failureOf((res) => res.end(delta({ content: 'a' })))
  expect(unmarked.problem?.code).toBe('answer-cut')
  expect(unmarked.firstActivityAtMs).not.toBeNull()
  server.close()
  const html = await failureOf((res) => res.end('<html>hello</html>'))
  expect(html.problem).toMatchObject({ code: 'answer-cut', happened: expect.stringContaining('<html>') })
  server.close()
  const reset = await failureOf((res) => {
    res.write(delta({ content: 'a' }))
    setTimeout(() => res.socket?.resetAndDestroy(), 20)
  })
  expect(reset.problem).toMatchObject({ code: 'server-connection-broken' })
  expect(reset.timeline?.calls[0]?.outputTokens).toBe(1)
})

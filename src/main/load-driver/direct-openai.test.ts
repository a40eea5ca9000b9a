import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { type TurnRow, turnRowSchema } from '../../core/sweep/turn-row.ts'
import { systemClock } from '../platform/clock.ts'
import { DirectTurn } from './direct-turn.ts'
import { type Connections, openConnections } from './prepared-request.ts'
import { rowOf } from './turn.ts'

const KEY = 'sk-test-0123456789abcdef'
let server: Server | undefined
let connections: Connections
afterEach(() => {
  connections?.close()
  server?.closeAllConnections()
  server?.close()
})

const chunk = (delta: object, rest: object = {}, finish: string | null = null) =>
  `data: ${JSON.stringify({ choices: [{ index: 0, delta, finish_reason: finish }], ...rest })}\n\n`
const TIMINGS = { cache_n: 0, prompt_n: 61, prompt_ms: 20, predicted_n: 4, predicted_ms: 40 }
const END = `${chunk({}, { timings: TIMINGS }, 'length')}data: [DONE]\n\n`

async function play(answer: (res: ServerResponse, req: IncomingMessage) => void): Promise<{ row: TurnRow; req: IncomingMessage }> {
  let asked: IncomingMessage | undefined
  server = createServer((req, res) => {
    asked = req
    req.resume().on('end', () => answer(res, req))
  })
  const listening = server
  connections = openConnections()
  await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve))
  const row = await new Promise<TurnRow>((resolve) => {
    const turn = new DirectTurn(0, {
      connections,
      clock: systemClock,
      serverUrl: `http://127.0.0.1:${(listening.address() as AddressInfo).port}`,
      model: 'm',
      options: { num_predict: 4 },
      prompt: 'wörds?',
      callId: '1-2-3',
      onEnded: () => resolve(rowOf(turn.record, 1, 2)),
      api: 'openai',
      key: KEY,
    })
    void turn.prepare().then(() => {
      turn.record.plannedAtMs = systemClock.nowMs()
      turn.fire()
    })
  })
  turnRowSchema.parse(row)
  if (asked === undefined) throw new Error('nothing was asked')
  return { row, req: asked }
}

test('OpenAI’s wire in the direct leg: every text counts, the role does not, and llama-server’s timings are kept', async () => {
  const { row, req } = await play((res) => {
    res.write(`: ping\n\n${chunk({ role: 'assistant', content: null })}`)
    for (const content of ['a', 'bé', '"c":', 'd']) res.write(chunk({ content }))
    res.end(END)
  })
  expect(req.url).toBe('/v1/chat/completions')
  expect(req.headers.authorization).toBe(`Bearer ${KEY}`)
  expect(row.outcome).toBe('completed')
  expect(row.timeline?.calls[0]).toMatchObject({
    promptTokens: 61,
    outputTokens: 4,
    tokensEstimated: false,
    endMarker: true,
    server: { promptEvalNs: 20e6, evalNs: 40e6 },
  })
  expect(row.firstActivityAtMs).not.toBeNull()
})

test('without counts the deltas are counted, the quick way too', async () => {
  const { row } = await play((res) => {
    for (const content of ['a', 'b', 'c']) res.write(chunk({ content }))
    res.end(`${chunk({}, {}, 'stop')}data: [DONE]\n\n`)
  })
  expect(row.timeline?.calls[0]).toMatchObject({ outputTokens: 3, tokensEstimated: true, server: null })
})

test('a missing end marker, an error event and a refusal are failures; no sentence holds the key', async () => {
  const { row: cut } = await play((res) => res.end(chunk({ content: 'a' })))
  expect(cut).toMatchObject({ outcome: 'failed', problem: { code: 'stream-cut' } })
  server?.close()
  const { row: broken } = await play((res) => res.end(`${chunk({ content: 'a' })}data: {"error":{"message":"bad key ${KEY}"}}\n\n`))
  expect(broken).toMatchObject({ outcome: 'failed', problem: { code: 'server-error' } })
  server?.close()
  const { row: refused } = await play((res) => res.writeHead(401).end(`{"error":{"message":"wörong key ${KEY}"}}`))
  expect(refused).toMatchObject({ outcome: 'failed', problem: { code: 'key-refused', happened: expect.stringContaining('wörong key [key]') } })
  expect(JSON.stringify([cut, broken, refused])).not.toContain(KEY)
})

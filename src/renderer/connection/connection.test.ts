import { expect, test } from 'vitest'
import { wireApi, wireContract } from '../../../test/wire-conformance.ts'
import { serve } from '../../contract/wire/serve.ts'
import type { Transport } from '../../contract/wire/transport.ts'
import { memoryTransportPair } from '../../contract/wire/transports/memory.ts'
import { problem } from '../../core/result/problem.ts'
import { ok } from '../../core/result/result.ts'
import { ManualClock } from '../../main/platform/clock.ts'
import { type ConnectionState, createConnection, type Opened } from './connection.ts'

const settled = () => new Promise((resolve) => setImmediate(resolve))

function setUp() {
  const clock = new ManualClock()
  const mains: Transport[] = []
  const answers: (Opened | undefined)[] = []
  let tries = 0
  const { api, feeds } = wireApi()
  const connection = createConnection(wireContract, {
    after: (delayMs, callback) => clock.after(delayMs, callback),
    open: async () => {
      tries += 1
      const answer = answers.shift()
      if (answer !== undefined) return answer
      const [main, page] = memoryTransportPair()
      mains.push(main)
      serve(wireContract, api, main, { reportBug: () => 'log-1' })
      return { ok: true, transport: page }
    },
  })
  const states: ConnectionState[] = []
  connection.subscribe(() => states.push(connection.state()))
  return { clock, connection, mains, answers, feeds, states, tries: () => tries }
}

const down: Opened = { ok: false, retry: true, problem: problem('host-unreachable', 'No answer.', '', '') }

test('calls work once it is open, and answer connection-lost before', async () => {
  const { connection } = setUp()
  expect(await connection.client.sums.add({ a: 1 })).toMatchObject({ ok: false, error: { code: 'connection-lost' } })
  await settled()
  expect(connection.state()).toMatchObject({ status: 'open', generation: 1 })
  expect(await connection.client.sums.add({ a: 1 })).toEqual(ok({ sum: 2 }))
})

test('a live stream opens again after the connection was lost', async () => {
  const { connection, feeds, mains, clock } = setUp()
  const seen: number[] = []
  connection.live((client) => client.feeds.every({ name: 'a' }, { next: (n) => void seen.push(n) }))
  await settled()
  void feeds.every.get('a')?.next(1)
  await settled()
  mains[0]?.close()
  await settled()
  expect(connection.state().status).toBe('lost')
  expect(feeds.stopped).toEqual(['a'])
  clock.advance(250)
  await settled()
  expect(connection.state()).toMatchObject({ status: 'open', generation: 2 })
  void feeds.every.get('a')?.next(2)
  await settled()
  expect(seen).toEqual([1, 2])
})

test('the pause between tries doubles up to 5 s and is short again after a success', async () => {
  const { connection, answers, clock, mains, tries } = setUp()
  await settled()
  answers.push(...Array.from({ length: 8 }, () => down))
  mains[0]?.close()
  await settled()
  const pauses: number[] = []
  for (let n = 0; n < 7; n++) {
    const before = tries()
    let waitedMs = 0
    while (tries() === before) {
      clock.advance(250)
      waitedMs += 250
    }
    pauses.push(waitedMs)
    await settled()
  }
  expect(pauses).toEqual([250, 500, 1000, 2000, 4000, 5000, 5000])
  expect(connection.state()).toMatchObject({ status: 'lost', problem: { code: 'host-unreachable' } })
  connection.retryNow()
  await settled()
  connection.retryNow()
  await settled()
  expect(connection.state().status).toBe('open')
  mains.at(-1)?.close()
  await settled()
  clock.advance(250)
  await settled()
  expect(connection.state().status).toBe('open')
})

test('a host that refuses the page is not asked again until somebody says so', async () => {
  const { connection, answers, clock, mains, tries } = setUp()
  await settled()
  answers.push({ ok: false, retry: false, problem: problem('signed-out', 'No key.', '', '') })
  mains[0]?.close()
  await settled()
  clock.advance(250)
  await settled()
  expect(connection.state()).toMatchObject({ status: 'refused', problem: { code: 'signed-out' } })
  const before = tries()
  clock.advance(60_000)
  await settled()
  expect(tries()).toBe(before)
  connection.retryNow()
  await settled()
  expect(connection.state().status).toBe('open')
})

test('closing stops live streams and tries no more', async () => {
  const { connection, feeds, clock, tries } = setUp()
  connection.live((client) => client.feeds.every({ name: 'a' }, { next: () => {} }))
  await settled()
  connection.close()
  await settled()
  expect(feeds.stopped).toEqual(['a'])
  clock.advance(60_000)
  await settled()
  expect(tries()).toBe(1)
})

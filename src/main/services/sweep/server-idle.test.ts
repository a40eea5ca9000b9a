import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { createIdleWatch } from './server-idle.ts'

let server: Server
afterEach(() => {
  server?.closeAllConnections()
  server?.close()
})

/** A server whose log says these outcomes of its one request, one a reading; the last stays. */
async function logServer(outcomes: readonly string[]): Promise<{ url: string; readings: string[] }> {
  const readings: string[] = []
  server = createServer((req, res) => {
    const outcome = outcomes[Math.min(readings.length, outcomes.length - 1)]
    readings.push(req.url ?? '')
    res.end(
      outcome === undefined
        ? '<html>'
        : JSON.stringify({
            requests: [
              { id: 41, outcome: 'ok' },
              { id: 42, outcome },
            ],
          }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, readings }
}

const going = () => new AbortController().signal

test('M6: our own server is waited for until its log holds no open request, and the drain is told', async () => {
  const { url, readings } = await logServer(['open', 'open', 'ok'])
  const sinceMs = systemClock.nowMs()
  const drainMs = await createIdleWatch(systemClock).waitUntilIdle({ url, kind: 'plimsoll' }, sinceMs, false, going())
  expect(readings).toHaveLength(3)
  expect(drainMs).toBeGreaterThan(10)
  // What has ended is not read again.
  expect(readings).toEqual(['/plimsoll/log?after=0', '/plimsoll/log?after=41', '/plimsoll/log?after=41'])
})

test('M6: where the server tells nothing, the drain is null and a short rest is kept', async () => {
  const { url, readings } = await logServer([])
  const beganMs = systemClock.nowMs()
  const watch = createIdleWatch(systemClock)
  expect(await watch.waitUntilIdle({ url, kind: 'ollama' }, beganMs, false, going())).toBeNull()
  expect(readings).toEqual([])
  expect(systemClock.nowMs() - beganMs).toBeGreaterThanOrEqual(49)
  expect(await watch.waitUntilIdle({ url, kind: 'plimsoll' }, beganMs, false, going())).toBeNull()
})

test('a cancel ends the waiting', async () => {
  const { url } = await logServer(['open'])
  const abort = new AbortController()
  const waiting = createIdleWatch(systemClock).waitUntilIdle({ url, kind: 'plimsoll' }, systemClock.nowMs(), false, abort.signal)
  abort.abort()
  expect(await waiting).toBeNull()
})

import { expect, test } from 'vitest'
import type { ChildHandle } from '../../platform/child.ts'
import { ManualClock } from '../../platform/clock.ts'
import { startDriver } from './driver.ts'

/** A driver process that takes every command and never answers. */
function hungChild() {
  const sent: unknown[] = []
  let stopped = 0
  const child: ChildHandle = {
    pid: 1,
    send: (message) => void sent.push(message),
    onMessage: () => () => {},
    onExit: () => () => {},
    async stop() {
      stopped += 1
    },
  }
  return { child, sent, stopped: () => stopped }
}

test('a cancel ends within seconds although the driver hangs, not at the limit of its wave', async () => {
  const clock = new ManualClock()
  const { child, sent, stopped } = hungChild()
  const abort = new AbortController()
  const played = startDriver(child, clock).playWave(0, 180_000, abort.signal)
  clock.advance(1_000)
  abort.abort()
  expect(sent).toContainEqual({ type: 'abort-wave' })
  clock.advance(10_000)
  expect(await played).toBe('lost')
  expect(stopped()).toBe(1)
})

test('a driver that hangs without a cancel is lost at the limit of its wave', async () => {
  const clock = new ManualClock()
  const { child } = hungChild()
  const played = startDriver(child, clock).playWave(0, 180_000, new AbortController().signal)
  clock.advance(180_000)
  expect(await played).toBe('lost')
})

import { expect, test } from 'vitest'
import { ManualClock } from '../platform/clock.ts'
import { createPauseTokens } from './pause-tokens.ts'
import { createViewers } from './viewers.ts'

const kb = (count: number) => new Uint8Array(count * 1024)

function create() {
  const clock = new ManualClock()
  let isPaused = false
  const pause = createPauseTokens(clock, {
    pause: () => {
      isPaused = true
    },
    resume: () => {
      isPaused = false
    },
  })
  const sent: Array<[viewer: number, size: number]> = []
  const ended: number[] = []
  const replays: Array<(bytes: Uint8Array) => void> = []
  const viewers = createViewers({
    pause,
    send: (viewer, data) => sent.push([viewer, data.length]),
    sendEnd: (viewer) => ended.push(viewer),
    replay: (callback) => replays.push(callback),
  })
  /** Attaches a viewer and gives it an empty replay. */
  const live = (id: number) => {
    viewers.attach(id)
    replays.shift()?.(kb(0))
    sent.length = 0
  }
  return { clock, viewers, sent, ended, replays, live, isPaused: () => isPaused }
}

test('a new viewer gets the replay first, then what came while it was made', () => {
  const { viewers, sent, replays } = create()
  viewers.attach(1)
  viewers.deliver(kb(2))
  expect(sent).toEqual([])
  replays[0]?.(kb(1))
  viewers.deliver(kb(3))
  expect(sent).toEqual([1, 2, 3].map((size) => [1, size * 1024]))
})

test('a viewer holds the pty back when it is owed too much, until it has taken most of it', () => {
  const { viewers, live, isPaused } = create()
  live(1)
  live(2)
  viewers.deliver(kb(40))
  expect(isPaused()).toBe(false)
  viewers.deliver(kb(20))
  expect(isPaused()).toBe(true)
  viewers.ack(1, 60 * 1024)
  expect(isPaused()).toBe(true)
  viewers.ack(2, 40 * 1024)
  expect(isPaused()).toBe(true)
  viewers.ack(2, 5 * 1024)
  expect(isPaused()).toBe(false)
})

test('a viewer that goes takes its hold along; without viewers nothing is held', () => {
  const { viewers, live, isPaused } = create()
  live(1)
  viewers.deliver(kb(100))
  expect(isPaused()).toBe(true)
  viewers.detach(1)
  expect(isPaused()).toBe(false)
  viewers.deliver(kb(1000))
  viewers.ack(1, 1)
  expect(isPaused()).toBe(false)
})

test('after 5 s a lagging viewer is left behind: nothing more is sent, and it gets a replay once it has taken all', () => {
  const { clock, viewers, sent, replays, live, isPaused } = create()
  live(1)
  viewers.deliver(kb(60))
  clock.advance(4_999)
  expect(isPaused()).toBe(true)
  clock.advance(1)
  expect(isPaused()).toBe(false)
  viewers.deliver(kb(500))
  viewers.ack(1, 50 * 1024)
  expect(replays).toHaveLength(0)
  expect(sent).toEqual([[1, 60 * 1024]])
  viewers.ack(1, 10 * 1024)
  expect(replays).toHaveLength(1)
  viewers.deliver(kb(2))
  replays[0]?.(kb(1))
  expect(sent.slice(1)).toEqual([
    [1, 1024],
    [1, 2048],
  ])
})

test('a replay that comes after its viewer has gone goes nowhere', () => {
  const { viewers, sent, replays } = create()
  viewers.attach(1)
  viewers.detach(1)
  replays[0]?.(kb(1))
  expect(sent).toEqual([])
})

test('at the end all are told, and who was left behind gets the last state', () => {
  const { clock, viewers, sent, ended, live } = create()
  live(1)
  live(2)
  viewers.deliver(kb(60))
  viewers.ack(2, 60 * 1024)
  clock.advance(5_000)
  sent.length = 0
  viewers.end(kb(7))
  expect(sent).toEqual([[1, 7 * 1024]])
  expect(ended).toEqual([1, 2])
})

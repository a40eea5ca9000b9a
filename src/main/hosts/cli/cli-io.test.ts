import { EventEmitter } from 'node:events'
import { expect, test } from 'vitest'
import { terminalIo } from './cli-io.ts'

test('one Ctrl-C that arrives twice, from the terminal and from npm, is one; a later one is another', () => {
  const played = Object.assign(new EventEmitter(), { stdout: {}, stderr: {}, env: {} })
  let nowMs = 0
  let told = 0
  const stop = terminalIo(played as never, () => nowMs).onInterrupt(() => {
    told += 1
  })
  played.emit('SIGINT')
  nowMs = 40
  played.emit('SIGTERM')
  expect(told).toBe(1)
  nowMs = 1_000
  played.emit('SIGINT')
  expect(told).toBe(2)
  stop()
  expect(played.listenerCount('SIGINT')).toBe(0)
})

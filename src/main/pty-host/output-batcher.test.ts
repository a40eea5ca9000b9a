import { expect, test } from 'vitest'
import { ManualClock } from '../platform/clock.ts'
import { createOutputBatcher } from './output-batcher.ts'

function create() {
  const clock = new ManualClock(1_000)
  const sent: string[] = []
  const batcher = createOutputBatcher(clock, (bytes) => sent.push(Buffer.from(bytes).toString()))
  return { clock, sent, batcher, push: (text: string) => batcher.push(Buffer.from(text)) }
}

test('an idle terminal sends at once, a busy one every 8 ms', () => {
  const { clock, sent, push } = create()
  push('a')
  expect(sent).toEqual(['a'])
  push('b')
  clock.advance(5)
  push('c')
  expect(sent).toEqual(['a'])
  clock.advance(3)
  expect(sent).toEqual(['a', 'bc'])
  clock.advance(100)
  push('d')
  expect(sent).toEqual(['a', 'bc', 'd'])
})

test('32 kB do not wait for the 8 ms', () => {
  const { sent, push } = create()
  push('a')
  push('b'.repeat(32 * 1024 - 1))
  expect(sent).toHaveLength(1)
  push('c')
  expect(sent).toHaveLength(2)
})

test('what is sent has a buffer of its own size: a view would drag its whole buffer along', () => {
  const clock = new ManualClock()
  const buffers: ArrayBufferLike[] = []
  createOutputBatcher(clock, (bytes) => buffers.push(bytes.buffer)).push(Buffer.alloc(10_000).subarray(5, 8))
  expect(buffers[0]?.byteLength).toBe(3)
})

test('flush sends what waits, clear drops it; neither leaves a timer', () => {
  const { clock, sent, batcher, push } = create()
  push('a')
  push('b')
  batcher.flush()
  push('c')
  batcher.clear()
  clock.advance(100)
  expect(sent).toEqual(['a', 'b'])
})

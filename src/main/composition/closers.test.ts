import { expect, test, vi } from 'vitest'
import { createClosers } from './closers.ts'

test('the last one added ends first, once, and a failing one does not stop the others', async () => {
  const ended: string[] = []
  const errors: string[] = []
  const closers = createClosers({ info: () => {}, error: (message) => void errors.push(message) })
  closers.add('store', () => void ended.push('store'))
  closers.add('runner', async () => {
    throw new Error('x')
  })
  closers.add('sweeps', async () => void ended.push('sweeps'))
  await Promise.all([closers.closeAll(), closers.closeAll()])
  expect(ended).toEqual(['sweeps', 'store'])
  expect(errors).toEqual(['Closing the runner failed'])
})

test('one that hangs is left behind', async () => {
  vi.useFakeTimers()
  const ended: string[] = []
  const closers = createClosers({ info: () => {}, error: () => {} })
  closers.add('store', () => void ended.push('store'))
  closers.add('terminals', () => new Promise(() => {}))
  const closing = closers.closeAll()
  await vi.advanceTimersByTimeAsync(10_000)
  await closing
  expect(ended).toEqual(['store'])
  vi.useRealTimers()
})

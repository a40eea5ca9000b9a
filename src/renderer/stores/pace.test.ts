import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createPace } from './pace.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('many requests within an interval are one run, and the last one is never lost', () => {
  let runs = 0
  const pace = createPace(
    () => runs++,
    250,
    () => Date.now(),
  )
  for (let i = 0; i < 100; i++) pace.request()
  vi.advanceTimersByTime(1)
  expect(runs).toBe(1)
  pace.request()
  vi.advanceTimersByTime(100)
  expect(runs).toBe(1)
  vi.advanceTimersByTime(150)
  expect(runs).toBe(2)
})

test('flush runs what is due at once and nothing else; close forgets it', () => {
  let runs = 0
  const pace = createPace(
    () => runs++,
    250,
    () => Date.now(),
  )
  pace.flush()
  expect(runs).toBe(0)
  pace.request()
  pace.flush()
  expect(runs).toBe(1)
  pace.request()
  pace.close()
  vi.advanceTimersByTime(1_000)
  expect(runs).toBe(1)
})

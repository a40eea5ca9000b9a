import { expect, test } from 'vitest'
import { systemClock } from './clock.ts'

test('the clock is the machine-wide one to a small part of a millisecond, from the first reading on', () => {
  const before = Number(process.hrtime.bigint()) / 1e6
  const now = systemClock.nowMs()
  const after = Number(process.hrtime.bigint()) / 1e6
  expect(now).toBeGreaterThan(before - 0.1)
  expect(now).toBeLessThan(after + 0.1)
})

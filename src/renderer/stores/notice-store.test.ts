// @vitest-environment happy-dom
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { problem } from '../../core/result/problem.ts'
import { createNoticeStore } from './notice-store.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('passing notices go after 8 s, and never more than three stand', () => {
  const notices = createNoticeStore()
  for (let n = 1; n <= 5; n++) notices.say(`Notice ${n}`, '')
  expect(notices.get().passing.map((notice) => notice.title)).toEqual(['Notice 3', 'Notice 4', 'Notice 5'])
  vi.advanceTimersByTime(7_900)
  expect(notices.get().passing).toHaveLength(3)
  vi.advanceTimersByTime(200)
  expect(notices.get().passing).toHaveLength(0)
})

test('a problem stands until it is settled, and only once', () => {
  const notices = createNoticeStore()
  const full = problem('disk-full', 'The data folder is full.', '', 'Free some room.')
  notices.fail(full)
  notices.fail(full)
  vi.advanceTimersByTime(60_000)
  expect(notices.get().standing).toHaveLength(1)
  notices.settle('disk-full')
  expect(notices.get().standing).toHaveLength(0)
})

import { expect, test } from 'vitest'
import type { TurnLatency } from '../../../contract/endpoints/chats.ts'
import { axisTop, rollingLatency } from './rolling-latency.ts'

const turn = (second: number, ttfaMs: number | null, outcome: TurnLatency['outcome'] = 'completed'): TurnLatency => ({
  endedEpochMs: second * 1000,
  origin: 'chat',
  outcome,
  ttfaMs,
  firstModelRequestMs: 1,
  doneMs: 2,
  wallMs: 3,
})

test('p50 needs six turns and looks back on sixty', () => {
  const few = rollingLatency(
    [1, 2, 3, 4, 5].map((s) => turn(s, s)),
    'ttfaMs',
    0,
  )
  expect(few.every((point) => point.p50 === null)).toBe(true)
  const many = rollingLatency(
    Array.from({ length: 120 }, (_, i) => turn(i, i < 60 ? 1000 : 10)),
    'ttfaMs',
    0,
  )
  expect(many.at(-1)).toMatchObject({ p50: 10, p95: 10 })
})

test('failed turns leave a gap and bend no curve', () => {
  const points = rollingLatency([...Array.from({ length: 6 }, (_, i) => turn(i, 100)), turn(7, 90_000, 'failed')], 'ttfaMs', 0)
  expect(points.at(-1)).toMatchObject({ ms: null, p50: 100 })
})

test('older turns count for the percentile of the span but draw no dot', () => {
  const points = rollingLatency(
    Array.from({ length: 10 }, (_, i) => turn(i, 5)),
    'ttfaMs',
    8_000,
  )
  expect(points).toHaveLength(2)
  expect(points[0]?.p50).toBe(5)
})

test('never more than 300 points, the newest among them', () => {
  const points = rollingLatency(
    Array.from({ length: 2_000 }, (_, i) => turn(i, i)),
    'ttfaMs',
    0,
  )
  expect(points).toHaveLength(300)
  expect(points.at(-1)?.ms).toBe(1999)
})

test('the scale ends on a round number that no turn passes', () => {
  expect([[], [0.4], [2_680], [95, 12], [3_000], [9_100]].map(axisTop)).toEqual([1, 1, 3_000, 100, 3_000, 10_000])
})

import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../sweep/fold-sweep.ts'
import { evenly, sessionDots } from './session-dots.ts'
import { waveLanes } from './wave-lanes.ts'

const state = sweepStateOf(
  syntheticSweep({ slots: 1, levels: [1, 8], waves: 3, prefillMs: 100, tokenMs: 5, outputTokens: 20, faults: { failEvery: 8 }, seed: 5 }),
)
if (state === undefined) throw new Error('The synthetic sweep is empty.')

test('the lanes are those of one wave of the largest level, in the order of first activity: at one slot a staircase', () => {
  const wave = waveLanes(state, 'runner', 32)
  expect(wave?.n).toBe(8)
  expect(wave?.lanes).toHaveLength(8)
  const ttfa = wave?.lanes.flatMap(({ ttfaMs }) => (ttfaMs === null ? [] : [ttfaMs])) ?? []
  expect(ttfa).toHaveLength(7)
  const steps = ttfa.slice(1).map((ms, index) => ms - (ttfa[index] ?? 0))
  // Prefill of the one and the 19 tokens that the one before still had to write.
  for (const step of steps) expect(step).toBeGreaterThan(150)
  expect(wave?.lanes.at(-1)?.outcome).toBe('failed')
})

test('the spans of a lane cover its wall without gap or overlap', () => {
  for (const lane of waveLanes(state, 'runner', 32)?.lanes ?? []) {
    const first = lane.spans[0]?.fromMs ?? 0
    expect(lane.spans.at(-1)?.toMs).toBeCloseTo(first + lane.wallMs)
    lane.spans.slice(1).forEach((span, index) => {
      expect(span.fromMs).toBeCloseTo(lane.spans[index]?.toMs ?? Number.NaN)
    })
  }
})

test('more lanes or dots than there is room for are thinned evenly, and how many there were is told', () => {
  expect(waveLanes(state, 'runner', 4)).toMatchObject({ total: 8 })
  expect(waveLanes(state, 'runner', 4)?.lanes).toHaveLength(4)
  const { dots, total } = sessionDots(state, 'runner', 10)
  expect(dots.length).toBeLessThanOrEqual(10)
  expect(total).toBeGreaterThan(dots.length)
  expect(evenly([1, 2, 3, 4, 5, 6, 7, 8, 9], 3)).toEqual([1, 5, 9])
})

test('a leg that was not measured has no lanes', () => {
  expect(waveLanes(state, 'direct', 32)).toBeUndefined()
})

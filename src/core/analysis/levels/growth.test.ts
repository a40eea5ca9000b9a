import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { GROUP_NAMES, growthBetween, leadingGroup } from './growth.ts'
import { sweepFacts } from './level-facts.ts'

const settings: SyntheticSettings = {
  slots: 1,
  levels: [1, 8],
  prefillMs: 50,
  tokenMs: 10,
  outputTokens: 20,
  waves: 4,
  repeats: 2,
  noiseRatio: 0.1,
  seed: 9,
}

function growthOf(changes: Partial<SyntheticSettings>) {
  const state = sweepStateOf(syntheticSweep({ ...settings, ...changes }))
  const levels = state === undefined ? [] : sweepFacts(state).levels
  const [low, high] = [levels.find(({ level }) => level.n === 1), levels.find(({ level }) => level.n === 8)]
  return low === undefined || high === undefined ? null : growthBetween(low, high, 7)
}

test('shares of growth add up to 1, over parts and over groups, and lie in their intervals', () => {
  const growth = growthOf({ tokenMs: (active) => 3 * active, slots: 3 })
  expect(growth?.parts.reduce((sum, { share }) => sum + share.value, 0)).toBeCloseTo(1, 9)
  expect(GROUP_NAMES.reduce((sum, group) => sum + (growth?.groups[group].value ?? 0), 0)).toBeCloseTo(1, 9)
  for (const { share } of growth?.parts ?? []) {
    expect(share.low).toBeLessThanOrEqual(share.value)
    expect(share.high).toBeGreaterThanOrEqual(share.value)
  }
})

test('a queue leads clearly on one slot; a decode that slows leads where all are carried', () => {
  const queue = growthOf({})
  expect(queue === null ? null : leadingGroup(queue)).toMatchObject({ group: 'queue', isClear: true })
  const engine = growthOf({ slots: 100, tokenMs: (active) => 10 * active })
  expect(engine === null ? null : leadingGroup(engine)).toMatchObject({ group: 'engine', isClear: true })
})

test('two causes of the same size are not clear of each other', () => {
  // On 4 slots: each of 8 answers decodes 4 times slower (+570 ms), and half of them wait for one service time (mean +430 ms).
  const even = growthOf({ slots: 4, tokenMs: (active) => 10 * active, outputTokens: 20 })
  expect(even === null ? null : leadingGroup(even).isClear).toBe(even !== null && even.groups.engine.low > even.groups.queue.high)
  expect(even?.groups.queue.value).toBeGreaterThan(0.2)
  expect(even?.groups.engine.value).toBeGreaterThan(0.2)
})

test('a wall that stays as it is has no growth to share out', () => {
  expect(growthOf({ slots: 100 })?.isClear).toBe(false)
})

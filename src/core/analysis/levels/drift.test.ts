import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { driftOf } from './drift.ts'
import { sweepFacts } from './level-facts.ts'

function drift(changes: Partial<SyntheticSettings>) {
  const state = sweepStateOf(
    syntheticSweep({ slots: 8, levels: [1, 4], prefillMs: 50, tokenMs: 10, outputTokens: 20, waves: 6, noiseRatio: 0.02, seed: 9, ...changes }),
  )
  return driftOf(
    (state === undefined ? [] : sweepFacts(state).levels).find(({ level }) => level.n === 1),
    7,
  )
}

test('M5: N=1 at the end against N=1 at the beginning is the drift', () => {
  expect(drift({})?.value).toBeCloseTo(0, 1)
  expect(drift({ faults: { driftRatio: 0.4 } })).toMatchObject({ isTooLarge: true })
  expect(drift({ faults: { driftRatio: 0.1 } })).toMatchObject({ isTooLarge: false })
})

test('M5: two turns on a side are too few to call a drift too large; without a closing cell there is none', () => {
  expect(drift({ waves: 2, faults: { driftRatio: 0.4 } })?.value).toBeGreaterThan(0.2)
  expect(drift({ waves: 2, faults: { driftRatio: 0.4 } })?.isTooLarge).toBe(false)
  expect(drift({ closing: false })).toBeNull()
})

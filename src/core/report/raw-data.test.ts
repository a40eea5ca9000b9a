import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../test/synthetic-sweep.ts'
import type { Analysis } from '../analysis/analysis.ts'
import { type SweepState, sweepStateOf } from '../sweep/fold-sweep.ts'
import { packRawData, unpackRawData } from './raw-data.ts'

const analysis = { levels: [], warnings: [{ code: 'a', text: 'b' }], driftRatio: 0.0214 } as unknown as Analysis

function stateOf(): SweepState {
  const state = sweepStateOf(
    syntheticSweep({
      slots: 2,
      levels: [1, 4],
      prefillMs: 40,
      tokenMs: 5,
      outputTokens: 8,
      background: { calls: 1, tokens: 4 },
      samplesPerSec: 4,
      faults: { failEvery: 5 },
      seed: 3,
    }),
  )
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  return state
}

const rounded = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (_, item) => (typeof item === 'number' ? Math.round(item * 1000) / 1000 : item))

test('M12: what is packed comes back whole, to the microsecond', () => {
  const state = stateOf()
  const back = unpackRawData(JSON.parse(JSON.stringify(packRawData(state, analysis))))
  expect(back?.sweep).toEqual(rounded(state))
  expect(back?.analysis).toEqual(rounded(analysis))
})

test('names stand once: packed rows take less than half of plain ones', () => {
  const state = stateOf()
  expect(JSON.stringify(packRawData(state, analysis)).length).toBeLessThan(JSON.stringify({ state, analysis }).length / 2)
})

test('members that are missing in some rows are told from those that are empty', () => {
  const odd = { rows: [{ a: { b: null } }, { a: null }, { a: { b: 1 } }], mixed: [{ a: 1 }, { b: 2 }], none: [], 'a.b': [{ 'x.y': 1 }] }
  const back = unpackRawData(JSON.parse(JSON.stringify(packRawData(odd as unknown as SweepState, analysis))))
  expect(back?.sweep).toEqual(odd)
})

test('what is no raw data of a report is refused', () => {
  for (const other of [null, 7, [], {}, { format: 'plimsoll.report/99', tables: [] }]) expect(unpackRawData(other)).toBeUndefined()
})

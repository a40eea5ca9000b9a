import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { analyse } from '../analysis/analyse.ts'
import { packRawData, unpackRawData } from '../report/raw-data.ts'
import { eventsOfState } from './events-of-state.ts'
import { sweepStateOf } from './fold-sweep.ts'

const SETTINGS = { slots: 2, levels: [1, 2, 4], waves: 3, prefillMs: 40, tokenMs: 5, outputTokens: 8, seed: 3 }

test.each([
  ['a completed one', {}],
  ['one with a void cell', { faults: { voidCells: [2] } }],
  ['a cancelled one', { endAfterCells: 2, outcome: 'cancelled' as const }],
])('the events of a state give that state again: %s', (_, change) => {
  const state = sweepStateOf(syntheticSweep({ ...SETTINGS, ...change }))
  if (state === undefined) throw new Error('The synthetic sweep has no beginning.')
  const again = sweepStateOf(eventsOfState(state))
  expect(again?.cells).toEqual(state.cells)
  expect(again?.rows.length).toBe(state.rows.length)
  expect(again?.samples).toEqual(state.samples)
  expect(again?.warnings).toEqual(state.warnings)
  expect({ ...again, cells: 0, rows: 0, samples: 0 }).toEqual({ ...state, cells: 0, rows: 0, samples: 0 })
  expect(again === undefined ? null : analyse(again).verdict).toEqual(analyse(state).verdict)
})

test('through the raw data of a report and back, the verdict stays', () => {
  const state = sweepStateOf(syntheticSweep(SETTINGS))
  if (state === undefined) throw new Error('The synthetic sweep has no beginning.')
  const analysis = analyse(state)
  const read = unpackRawData(JSON.parse(JSON.stringify(packRawData(state, analysis))))
  const again = read === undefined ? undefined : sweepStateOf(eventsOfState(read.sweep))
  expect(again === undefined ? null : analyse(again).verdict.sentence).toBe(analysis.verdict.sentence)
})

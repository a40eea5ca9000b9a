import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { type SweepState, sweepStateOf } from '../../sweep/fold-sweep.ts'
import { limitedCells, measuredLevels } from './measured-levels.ts'

const settings: SyntheticSettings = { slots: 2, levels: [1, 4], prefillMs: 50, tokenMs: 10, outputTokens: 8, waves: 3, seed: 4 }

function stateOf(changes: Partial<SyntheticSettings> = {}): SweepState {
  const state = sweepStateOf(syntheticSweep({ ...settings, ...changes }))
  if (state === undefined) throw new Error('a started sweep has a state')
  return state
}

const turnsOf = (state: SweepState, n: number) =>
  measuredLevels(state)
    .find((level) => level.n === n)
    ?.waves.flatMap((wave) => wave.rows) ?? []

test('M4: the warm-up and void cells count nowhere, N=1 at the end does', () => {
  const state = stateOf()
  expect(state.rows.filter((row) => row.cell === 0).length).toBe(1)
  expect(turnsOf(state, 1).every((row) => row.cell !== 0)).toBe(true)
  expect(turnsOf(state, 1).length).toBe(6)
  expect(turnsOf(stateOf({ faults: { voidCells: [2] } }), 4)).toEqual([])
})

test('legs stay apart: runner, then direct, then null, each by rising n', () => {
  const levels = measuredLevels(stateOf({ legs: ['null', 'runner', 'direct'] }))
  expect(levels.map((level) => `${level.leg} ${level.n}`)).toEqual(['runner 1', 'runner 4', 'direct 1', 'direct 4', 'null 1', 'null 4'])
})

test('of a cell that was broken off, only waves that came to their end whole are kept: the others show the fast turns alone', () => {
  const whole = stateOf()
  const rows = whole.rows.filter((row) => row.cell === 2 && (row.wave < 1 || row.session < 2))
  const cells = whole.cells.map((cell) => (cell.cell.index === 2 ? { ...cell, status: 'running' as const } : cell))
  const level = measuredLevels({ ...whole, cells, rows }).find(({ n }) => n === 4)
  expect(level?.waves.map((wave) => wave.wave)).toEqual([0])
  const cut = measuredLevels({ ...whole, cells, rows: rows.map((row) => ({ ...row, outcome: row.session === 3 ? ('cut' as const) : row.outcome })) })
  expect(cut.find(({ n }) => n === 4)).toMatchObject({ waves: [], cut: 1 })
})

test('M10: a cell that the driver limited is invalid, whether the sweep voided it or not', () => {
  const state = stateOf({ levels: [1, 16], faults: { driverLagMs: 10 } })
  expect(limitedCells(state).map((cell) => cell.cell.n)).toEqual([16])
  expect(turnsOf(state, 16)).toEqual([])
})

import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { fairnessOf, jainIndex } from './fairness.ts'
import { type MeasuredLevel, measuredLevels } from './measured-levels.ts'

const settings: SyntheticSettings = { slots: 1, levels: [1, 4], prefillMs: 50, tokenMs: 10, outputTokens: 20, waves: 5, noiseRatio: 0, seed: 6 }

function levelOf(n: number, changes: Partial<SyntheticSettings> = {}): MeasuredLevel {
  const state = sweepStateOf(syntheticSweep({ ...settings, ...changes }))
  const level = state === undefined ? undefined : measuredLevels(state).find((one) => one.n === n && one.leg === 'runner')
  if (level === undefined) throw new Error('the level was measured')
  return level
}
const withRows = (level: MeasuredLevel, change: (row: TurnRow) => TurnRow): MeasuredLevel => ({
  ...level,
  waves: level.waves.map((wave) => ({ ...wave, rows: wave.rows.map(change) })),
})

test('on one slot the last of four takes four times as long as the first; with enough slots all are alike', () => {
  const queued = fairnessOf(levelOf(4))
  expect(queued?.slowestOverFastest).toBeCloseTo(4, 0)
  expect(queued?.jainIndex).toBeCloseTo(10 ** 2 / (4 * 30), 1)
  expect(queued?.starved).toBe(0)
  const alike = fairnessOf(levelOf(4, { slots: 8 }))
  expect(alike?.slowestOverFastest).toBeCloseTo(1, 1)
  expect(alike?.jainIndex).toBeCloseTo(1, 2)
})

test('one session alone is neither fair nor unfair', () => {
  expect(fairnessOf(levelOf(1))).toBeNull()
})

test('who takes more than ten medians starved, and who waited without a first token to the end; who was refused at once did not', () => {
  const level = levelOf(4, { slots: 8 })
  const late = (row: TurnRow) => (row.session === 3 ? { ...row, endAtMs: row.endAtMs + 20_000 } : row)
  expect(fairnessOf(withRows(level, late))?.starved).toBe(level.waves.length)
  const failed = (afterMs: number) => (row: TurnRow) =>
    row.session === 3 ? { ...row, outcome: 'failed' as const, firstActivityAtMs: null, endAtMs: row.plannedAtMs + afterMs } : row
  expect(fairnessOf(withRows(level, failed(2_000)))?.starved).toBe(level.waves.length)
  expect(fairnessOf(withRows(level, failed(5)))?.starved).toBe(0)
})

test('turns of one session in a sustained load are taken together: their mean is the session’s', () => {
  const level = levelOf(4, { slots: 8 })
  const twice = withRows(level, (row) => ({ ...row, session: row.session % 2, turn: row.session >> 1 }))
  expect(fairnessOf(twice)?.slowestOverFastest).toBeCloseTo(1, 1)
})

test('Jain’s index is 1 for equals and 1/n when one has everything', () => {
  expect(jainIndex([3, 3, 3])).toBeCloseTo(1, 12)
  expect(jainIndex([5, 0, 0, 0])).toBeCloseTo(0.25, 12)
})

import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { type SweepState, sweepStateOf } from '../../sweep/fold-sweep.ts'
import { analyse } from '../analyse.ts'

/** Answers that take longer the more there are; `gapShare` of each stream is one gap. */
function sweepOf(gapShare: (n: number) => number): SweepState {
  const events = syntheticSweep({
    slots: 64,
    levels: [1, 2, 4, 8],
    prefillMs: 20,
    tokenMs: (active) => 5 * active,
    outputTokens: 20,
    waves: 3,
    seed: 3,
  })
  const state = sweepStateOf(events)
  if (state === undefined) throw new Error('a started sweep has a state')
  const rows = state.rows.map((row) => {
    const share = gapShare(state.cells[row.cell]?.cell.n ?? 1)
    const calls = (row.timeline?.calls ?? []).map((call) => ({
      ...call,
      longestGapMs: share * ((call.lastDeltaAtMs ?? 0) - (call.firstDeltaAtMs ?? 0)),
    }))
    return row.timeline === null ? row : { ...row, timeline: { ...row.timeline, calls } }
  })
  return { ...state, rows }
}

test('answers that slow down evenly are the engine’s', () => {
  expect(analyse(sweepOf(() => 0.05)).verdict.primary).toBe('model_server_engine')
})

test('answers that stand still once in the middle, only beside others, are not: they may have queued a second time', () => {
  const { verdict } = analyse(sweepOf((n) => (n > 1 ? 0.6 : 0.06)))
  expect(verdict.primary).toBe('inconclusive')
  expect(verdict.sentence).toContain('stand still in the middle')
})

test('a server that always streams in two pieces says nothing by it', () => {
  expect(analyse(sweepOf(() => 0.6)).verdict.primary).toBe('model_server_engine')
})

import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../../test/synthetic-sweep.ts'
import { type SweepState, sweepStateOf } from '../../../sweep/fold-sweep.ts'
import { analyse } from '../../analyse.ts'

/** @param readMs by how often the prompt was asked before */
function sweepOf(promptPool: number | undefined, readMs: (before: number) => number): SweepState {
  const state = sweepStateOf(syntheticSweep({ slots: 16, levels: [1, 2, 4, 8], prefillMs: 150, tokenMs: 5, outputTokens: 12, waves: 3, seed: 3 }))
  if (state === undefined) throw new Error('a started sweep has a state')
  const times = new Map<number, number>()
  const rows = state.rows.map((row) => {
    const prompt = promptPool === undefined ? -1 : row.session % promptPool
    const before = times.get(prompt) ?? 0
    times.set(prompt, before + 1)
    const calls = (row.timeline?.calls ?? []).map((call) =>
      call.server === null ? call : { ...call, server: { ...call.server, promptEvalNs: readMs(before) * 1e6 } },
    )
    return row.timeline === null ? row : { ...row, timeline: { ...row.timeline, calls } }
  })
  const { request } = state.plan
  const faults = promptPool === undefined ? request.faults : { ...request.faults, promptPool }
  return { ...state, plan: { ...state.plan, request: { ...request, faults } }, rows }
}

test('prompts that were asked before and are read in a fraction of the time make the measurement invalid', () => {
  const { verdict } = analyse(sweepOf(1, (before) => (before === 0 ? 150 : 8)))
  expect(verdict).toMatchObject({ primary: 'invalid_measurement', mechanism: 'prefix cache answers' })
  expect(verdict.sentence).toContain('out of its cache')
})

test('repeated prompts that take as long each time are no doubt: there is no cache', () => {
  expect(analyse(sweepOf(1, () => 150)).verdict.primary).toBe('none_reached')
})

test('prompts that all differ are no doubt, however the reading of them varies', () => {
  expect(analyse(sweepOf(undefined, (before) => (before < 8 ? 170 : 140))).verdict.primary).toBe('none_reached')
})

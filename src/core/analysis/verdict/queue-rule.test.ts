import { expect, test } from 'vitest'
import { analysisOf, syntheticState, verdictOf, withFailures } from '../../../../test/synthetic-analysis.ts'
import { analyse } from '../analyse.ts'

const MANY = { slots: 1_000 }

test('the mechanism says how many slots there are, and who is served first', () => {
  expect(verdictOf({ slots: 1 }).mechanism).toBe('one slot, first come first served')
  expect(verdictOf({ slots: 4 })).toMatchObject({ primary: 'model_server_queue', secondary: null, mechanism: '4 slots, first come first served' })
})

test('an engine that is full before the slots are stands behind the queue, and the sentence says that more slots move nothing', () => {
  const verdict = verdictOf({ slots: 2, tokenMs: (active) => 10 * active, levels: [1, 2, 4, 8, 16] })
  expect(verdict).toMatchObject({ primary: 'model_server_queue', secondary: 'model_server_engine', effectiveSlots: 2 })
  expect(verdict.sentence).toContain('the engine is the limit')
  expect(verdict.wouldNotMove).toContain('More slots')
})

test.each([
  ['model_server_engine', 'model_server_queue', [1, 2, 4, 8]],
  ['model_server_queue', 'model_server_engine', [1, 2, 4, 8, 24]],
] as const)('two causes at once: %s leads, %s is second, at levels %j', (primary, secondary, levels) => {
  const verdict = verdictOf({ slots: 4, tokenMs: (active) => 10 * active, levels })
  expect(verdict).toMatchObject({ primary, secondary, effectiveSlots: 4 })
})

test('a runaway answer that holds the only slot is in the mechanism, whatever it did to the level of one session', () => {
  const verdict = verdictOf({ slots: 1, levels: [1, 2, 4, 8], waves: 4, outputTokens: 8, faults: { runawayEvery: 11, runawayTokens: 300 } })
  expect(verdict).toMatchObject({ primary: 'model_server_queue', effectiveSlots: 1 })
  expect(verdict.mechanism).toBe('one slot, first come first served; a runaway answer holds the only slot')
})

test('answers that are all long run away from nobody', () => {
  expect(verdictOf({ slots: 1, outputTokens: 300, levels: [1, 2, 4] }).mechanism).toBe('one slot, first come first served')
})

test('turns that our own deadline ended while they waited are the client giving up, never a failure of the server', () => {
  const verdict = verdictOf({ slots: 1, levels: [1, 2, 4, 8], faults: { deadlineMs: 1_300 } })
  expect(verdict).toMatchObject({ primary: 'model_server_queue', secondary: 'runner_process' })
  expect(verdict.mechanism).toContain('the client gives up')
  expect(verdict.sentence).toContain('the server did not fail')
})

test('turns that run into the deadline while they stream were not lost in a queue', () => {
  const { primary, secondary } = verdictOf({
    ...MANY,
    levels: [1, 4, 8],
    tokenMs: (active) => 10 * active,
    outputTokens: 40,
    faults: { deadlineMs: 1_500 },
  })
  expect([primary, secondary]).not.toContain('model_server_queue')
})

const busy = { status: 503, sentence: 'server busy, please try again.  maximum pending requests exceeded' }

test('refusals with 503 under load are a full queue', () => {
  const state = withFailures(syntheticState({ slots: 1, levels: [1, 2, 4, 8] }), (row, n) => (n >= 4 && row.session % 4 === 3 ? busy : null))
  const { verdict } = analyse(state)
  expect(verdict.primary).toBe('model_server_queue')
  expect(verdict.mechanism).toContain('refuses with 503')
})

test('refusals with 503 of one session alone are a stuck loader, not a ceiling', () => {
  const state = withFailures(syntheticState({ slots: 4, levels: [1, 2, 4, 8] }), (row) => ((row.wave + row.session) % 2 === 0 ? busy : null))
  const { verdict } = analyse(state)
  expect(verdict).toMatchObject({ primary: 'inconclusive' })
  expect(verdict.toSettle).toContain('restart')
})

test('prompts that are read in turn while many slots are held are no queue, although few answers stream at once', () => {
  const { verdict, effectiveSlots } = analysisOf({ ...MANY, serialPrefill: true, prefillMs: 120, tokenMs: 2, outputTokens: 16, levels: [1, 2, 4, 8] })
  expect(verdict).toMatchObject({ primary: 'model_server_engine', mechanism: 'prefill by neighbours: prompts are read in turn' })
  expect(effectiveSlots.plateau).toBe(false)
})

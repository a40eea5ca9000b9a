import { expect, test } from 'vitest'
import { analysisOf } from '../../../../test/synthetic-analysis.ts'

const ONE = { slots: 1, levels: [1, 2, 4, 8] }

test('twice the slots that take the wait away as predicted confirm the queue', () => {
  const { verdict, interventions } = analysisOf({ ...ONE, arms: [{ n: 8, slots: 2 }] })
  expect(interventions).toMatchObject([{ kind: 'slots', agrees: true }])
  expect(verdict).toMatchObject({ primary: 'model_server_queue', confidence: 'confirmed', secondary: null })
})

test('on an engine that one answer fills, twice the slots move nothing: the queue is where the waiting happens, the engine is the limit', () => {
  const { verdict, interventions } = analysisOf({ ...ONE, tokenMs: (active) => 10 * active, prefillMs: (k) => 50 * k, arms: [{ n: 8, slots: 2 }] })
  expect(interventions).toMatchObject([{ kind: 'slots', agrees: false }])
  expect(interventions[0]?.text).toContain('More slots move nothing')
  expect(verdict).toMatchObject({ primary: 'model_server_queue', secondary: 'model_server_engine', confidence: 'suspected' })
  expect(verdict.sentence).toContain('The queue is where the waiting happens, but the engine is the limit')
})

test('a slot count that takes no effect says nothing either way', () => {
  const { verdict, interventions } = analysisOf({ ...ONE, arms: [{ n: 8, slots: 1 }] })
  expect(interventions).toMatchObject([{ kind: 'slots' }])
  expect(verdict).toMatchObject({ primary: 'model_server_queue' })
})

test('an engine bound by prompts is confirmed by longer and shorter ones', () => {
  const prefill = { slots: 1_000, levels: [1, 2, 4, 8], prefillMs: (k: number) => 200 * k, tokenMs: 2 }
  const { verdict, interventions } = analysisOf({
    ...prefill,
    arms: [
      { n: 2, promptTokens: 32 },
      { n: 2, promptTokens: 128 },
    ],
  })
  expect(interventions).toMatchObject([
    { kind: 'prompt-length', agrees: true },
    { kind: 'prompt-length', agrees: true },
  ])
  expect(verdict).toMatchObject({ primary: 'model_server_engine', confidence: 'confirmed' })
})

test('prompts say nothing of a queue', () => {
  const { verdict, interventions } = analysisOf({ ...ONE, arms: [{ n: 1, promptTokens: 128 }] })
  expect(interventions).toMatchObject([{ kind: 'prompt-length', agrees: null }])
  expect(verdict.confidence).toBe('likely')
})

test('both legs agree with a queue, and stand among the interventions', () => {
  const { verdict, interventions } = analysisOf({ legs: ['runner', 'direct', 'null'] })
  expect(interventions).toMatchObject([
    { kind: 'null-leg', agrees: true },
    { kind: 'direct-leg', agrees: true },
  ])
  expect(verdict.confidence).toBe('confirmed')
})

test('cells of an intervention belong to no level', () => {
  const [plain, armed] = [analysisOf({ ...ONE, closing: false }), analysisOf({ ...ONE, closing: false, arms: [{ n: 8, slots: 4 }] })]
  expect(armed.levels.map(({ n, sessions }) => [n, sessions])).toEqual(plain.levels.map(({ n, sessions }) => [n, sessions]))
})

test('candidates are causes by their share of the growth, largest first', () => {
  expect(analysisOf({ slots: 1 }).candidates[0]).toMatchObject({ code: 'model_server_queue' })
  const shared = analysisOf({ tokenMs: (active) => 10 * active }).candidates
  expect(shared.map(({ code }) => code)).toEqual(expect.arrayContaining(['model_server_queue', 'model_server_engine']))
  expect(shared.map(({ share }) => share.value)).toEqual(shared.map(({ share }) => share.value).toSorted((a, b) => b - a))
  expect(analysisOf({ slots: 1_000, waves: 8, levels: [1, 2] }).candidates).toEqual([])
})

import { expect, test } from 'vitest'
import { recordedCall } from '../../../../test/recorded-call.ts'
import { ManualClock } from '../../platform/clock.ts'
import { createNullEngine } from './null-engine.ts'
import { nullSettingsSchema } from './null-settings.ts'

const settings = (part: object = {}) => nullSettingsSchema.parse({ prefillMs: 50, tokensPerSec: 100, answerTokens: 4, ...part })

test('the first token comes after the prefill, the others at the pace', () => {
  const clock = new ManualClock(1_000)
  const engine = createNullEngine({ settings: settings(), slots: null, clock })
  const call = recordedCall(engine, clock)
  for (let i = 0; i < 200; i++) clock.advance(0.5)
  expect(call.tokensAtMs.map((ms) => Math.round(ms - 1_000))).toEqual([50, 60, 70, 80])
  expect(call.ends).toEqual([expect.objectContaining({ answerTokens: 4, promptEvalMs: 50, evalMs: 30, reason: 'stop' })])
})

test('a late turn of the loop is made up for: the pace does not drift', () => {
  const clock = new ManualClock(0)
  const engine = createNullEngine({ settings: settings({ answerTokens: 100 }), slots: null, clock })
  const call = recordedCall(engine, clock)
  for (let i = 0; i < 200; i++) clock.advance(7.3)
  expect(call.tokensAtMs).toHaveLength(100)
  expect((call.tokensAtMs.at(-1) ?? 0) - 50 - 99 * 10).toBeLessThan(10)
})

test('without limit all stream at once; with two slots the third waits for the first to end', () => {
  const clock = new ManualClock(0)
  const free = createNullEngine({ settings: settings(), slots: null, clock })
  const all = [1, 2, 3].map(() => recordedCall(free, clock))
  const two = createNullEngine({ settings: settings(), slots: 2, clock })
  const limited = [1, 2, 3].map(() => recordedCall(two, clock))
  for (let i = 0; i < 600; i++) clock.advance(0.5)
  expect(all.map((c) => Math.round(c.slotAtMs ?? -1))).toEqual([0, 0, 0])
  expect(limited.slice(0, 2).map((c) => Math.round(c.slotAtMs ?? -1))).toEqual([0, 0])
  expect(limited[2]?.slotAtMs).toBeGreaterThanOrEqual(79)
  expect(limited[2]?.slotAtMs).toBeLessThan(82)
})

test('an abort frees the slot at once, a queued one just leaves', () => {
  const clock = new ManualClock(0)
  const engine = createNullEngine({ settings: settings({ answerTokens: 1_000 }), slots: 1, clock })
  const [running, queued, last] = [recordedCall(engine, clock), recordedCall(engine, clock), recordedCall(engine, clock)]
  clock.advance(60)
  queued?.abort()
  expect(last?.slotAtMs).toBeUndefined()
  running?.abort()
  expect(last?.slotAtMs).toBe(60)
  const before = running?.tokensAtMs.length
  clock.advance(100)
  expect(running?.tokensAtMs.length).toBe(before)
})

test('with no prefill and no pace the whole answer is out before submit returns', () => {
  const clock = new ManualClock(0)
  const engine = createNullEngine({ settings: settings({ prefillMs: 0, tokensPerSec: 0 }), slots: null, clock })
  expect(recordedCall(engine, clock).ends).toHaveLength(1)
})

test('num_predict caps the answer, and is then called its reason', () => {
  const clock = new ManualClock(0)
  const engine = createNullEngine({ settings: settings({ prefillMs: 0, tokensPerSec: 0 }), slots: null, clock })
  expect(recordedCall(engine, clock, { options: { num_predict: 2 } }).ends[0]).toMatchObject({ answerTokens: 2, reason: 'length' })
})

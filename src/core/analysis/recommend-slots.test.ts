import { expect, test } from 'vitest'
import type { TuneFigures, TuneTrial } from '../sweep/tune.ts'
import { recommendSlots } from './recommend-slots.ts'

const about = (value: number, noise = 0.02) => ({ value, low: value * (1 - noise), high: value * (1 + noise) })

function trial(slots: number, tokensPerSec: number, ttfaMs: number, change: Partial<TuneFigures> = {}): TuneTrial {
  const figures = {
    n: 8,
    tokensPerSec: about(tokensPerSec),
    ttfaMs: about(ttfaMs),
    decodeTokensPerSec: tokensPerSec / slots,
    heldRatio: 1,
    sessions: 24,
    failures: 0,
    slotsInUse: slots,
    memoryBytes: 100e6 + slots * 10e6,
    vramBytes: 0,
    contextBytes: slots * 8e6,
    ...change,
  }
  return { slots, status: 'done', sweepId: 's', figures, problem: null }
}

const advise = (...trials: TuneTrial[]) => recommendSlots(trials, 'OLLAMA_NUM_PARALLEL')

test('one CPU thread: more slots move nothing, so 1, and the sentence names queue and engine (77 / 70 / 56 tokens/s measured)', () => {
  const advice = advise(trial(1, 77, 1_800), trial(2, 70, 1_750), trial(4, 56, 1_900))
  expect(advice).toMatchObject({ slots: 1, engineIsLimit: true })
  expect(advice.sentence).toContain('The queue is where the waiting happens, but the engine is the limit')
  expect(advice.notes.join(' ')).toContain('140 MB with 4 slots, 110 MB with 1')
})

test('a gain within the noise of the waves is none', () => {
  const noisy = { tokensPerSec: about(80, 0.2), ttfaMs: about(1_500, 0.3) }
  expect(advise(trial(1, 72, 1_800, { tokensPerSec: about(72, 0.2), ttfaMs: about(1_800, 0.3) }), trial(2, 80, 1_500, noisy))).toMatchObject({
    slots: 1,
    engineIsLimit: true,
  })
})

test('a GPU that batches: the smallest number within 5 % of the best, with what it costs each answer', () => {
  const advice = advise(trial(1, 100, 4_000), trial(2, 190, 2_000), trial(4, 300, 900), trial(8, 310, 700))
  expect(advice).toMatchObject({ slots: 4, engineIsLimit: false })
  expect(advice.sentence).toContain('instead of 4')
  expect(advice.sentence).toContain('Each answer then streams at')
})

test('of those near the best, the one that holds the limit best', () => {
  expect(
    advise(trial(1, 100, 4_000, { heldRatio: 0.3 }), trial(4, 300, 2_100, { heldRatio: 0.6 }), trial(8, 310, 900, { heldRatio: 1 })),
  ).toMatchObject({ slots: 8 })
})

test('a sooner first activity alone is worth a slot only where more sessions hold the limit', () => {
  expect(advise(trial(1, 100, 4_000, { heldRatio: 0.5 }), trial(4, 101, 900, { heldRatio: 1 }))).toMatchObject({ slots: 4 })
  expect(advise(trial(1, 100, 1_500), trial(4, 101, 900))).toMatchObject({ slots: 1, engineIsLimit: false })
})

test('a setting that fails sessions is left out, and one without effect is named', () => {
  const advice = advise(trial(1, 100, 4_000), trial(2, 180, 2_000, { slotsInUse: 1 }), trial(4, 400, 500, { failures: 3 }))
  expect(advice.slots).toBe(2)
  expect(advice.notes.join(' ')).toContain('With 2 set, 1 streamed at once')
  expect(advice.notes.join(' ')).toContain('With 4 slots 3 sessions failed')
})

test('nothing to compare with is said, never guessed', () => {
  expect(advise()).toMatchObject({ slots: null })
  expect(advise(trial(2, 100, 500))).toMatchObject({ slots: 2, engineIsLimit: false })
  expect(advise({ ...trial(1, 1, 1), figures: null }, trial(2, 100, 500)).sentence).toContain('nothing to compare')
})

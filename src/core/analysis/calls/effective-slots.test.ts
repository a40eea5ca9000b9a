import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { sweepFacts } from '../levels/level-facts.ts'
import { effectiveSlots } from './effective-slots.ts'

test('whatever the slots, the paces and the noise: the plateau of the overlap is the slots, below it there is none', () => {
  const { next, int } = createSeededRandom('slots')
  for (let round = 0; round < 40; round += 1) {
    const slots = 1 + int(16)
    const settings = {
      slots,
      prefillMs: 5 + 100 * next(),
      tokenMs: 2 + 18 * next(),
      outputTokens: 16 + int(48),
      noiseRatio: 0.2 * next(),
      waves: 2 + int(3),
      seed: round,
    }
    const slotsOf = (levels: readonly number[]) => {
      const state = sweepStateOf(syntheticSweep({ ...settings, levels }))
      return state === undefined ? undefined : sweepFacts(state).slots
    }
    expect(slotsOf([1, slots + 1 + int(slots), 3 * slots + 1])).toEqual({ n: slots, plateau: true })
    expect(slotsOf([1, slots])?.plateau).toBe(false)
  }
})

test('slots that seem held for a few percent of the time, since a busy machine stamps late, change nothing', () => {
  const overlap = (lasting: number, lastingRatio: number) => ({ lasting, lastingRatio, busyMs: 4_000 })
  const level = (n: number, streaming: [number, number], serving: [number, number]) =>
    ({ leg: 'runner', n, streaming: overlap(...streaming), serving: overlap(...serving), asked: overlap(n, 0.9) }) as const
  const levels = [level(16, [12, 0.51], [12, 0.37]), level(32, [12, 0.68], [15, 0.014]), level(64, [12, 0.76], [14, 0.035])]
  expect(effectiveSlots(levels)).toEqual({ n: 12, plateau: true })
  // Held for long, they are held.
  expect(effectiveSlots([level(16, [3, 0.5], [16, 0.6])])).toEqual({ n: 16, plateau: false })
})

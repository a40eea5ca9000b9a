import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { sweepFacts } from '../levels/level-facts.ts'

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

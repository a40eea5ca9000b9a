import { expect, test } from 'vitest'
import { sweepIdSchema } from '../result/ids.ts'
import { estimateSweep, remainingMs } from './estimate.ts'
import { type SweepRequestInput, sweepRequestSchema } from './plan.ts'
import { planSweep } from './plan-sweep.ts'

const request = (input: Partial<SweepRequestInput> = {}) =>
  sweepRequestSchema.parse({ target: { kind: 'built-in', engine: 'llama', model: 'tiny', slots: 1 }, levels: [1, 2, 4, 8], ...input })

test('the default sweep on the built-in model is estimated below a minute', () => {
  const estimate = estimateSweep(request())
  expect(estimate.seconds).toBeLessThan(60)
  expect(estimate.sessions).toBeGreaterThan(100)
})

test('more repeats and legs never take less time', () => {
  for (const sessionMs of [20, 150, 500, 3_000]) {
    const seconds = (repeats: number, legs: ('runner' | 'direct' | 'null')[]) =>
      estimateSweep(request({ repeats, legs }), { sessionMs, slots: 1 }).seconds
    const [quick, standard, thorough] = [seconds(1, ['runner']), seconds(3, ['runner', 'null']), seconds(5, ['runner', 'direct', 'null'])]
    expect(quick).toBeLessThanOrEqual(standard)
    expect(standard).toBeLessThanOrEqual(thorough)
  }
})

test('a slow server gets the necessary waves only, and the estimate says how long they take', () => {
  const slow = estimateSweep(request(), { sessionMs: 3_000, slots: 1 })
  expect(slow.sessions).toBeLessThan(150)
  expect(slow.seconds).toBeGreaterThan(100)
  expect(estimateSweep(request(), { sessionMs: 3_000, slots: 8 }).seconds).toBeLessThan(slow.seconds)
})

test('time left follows the cells behind: unknown at first, then by their pace, zero at the end', () => {
  const plan = planSweep(request(), { sweepId: sweepIdSchema.parse('s') })
  expect(remainingMs(plan, [], 0)).toBeNull()
  const took = (cells: typeof plan.cells) => cells.map((cell) => ({ cell, tookMs: 1_000 }))
  const half = remainingMs(plan, took(plan.cells.slice(0, 8)), 0)
  const more = remainingMs(plan, took(plan.cells.slice(0, 10)), 0)
  expect(half).toBeGreaterThan(more ?? 0)
  expect(more).toBeGreaterThan(0)
  expect(remainingMs(plan, took(plan.cells), 500)).toBe(0)
})

test('M13: a priced target has a cost, the null leg costs nothing, and an unpriced one has none', () => {
  const priced = { kind: 'server', url: 'http://x', model: 'm', price: { inputUsd: 3, outputUsd: 15 } } as const
  const { costUsd, sessions } = estimateSweep(request({ target: priced, legs: ['runner'], repeats: 1, waves: 1 }))
  // 48 + 16 tokens out alone are 0.00096 dollars a session.
  expect(costUsd).toBeGreaterThan(sessions * 0.00096)
  expect(costUsd).toBeLessThan(sessions * 0.004)
  expect(estimateSweep(request({ target: priced, legs: ['null'], repeats: 1, waves: 1 })).costUsd).toBe(0)
  expect(estimateSweep(request()).costUsd).toBeNull()
})

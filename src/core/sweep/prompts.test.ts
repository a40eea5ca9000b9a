import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sweepIdSchema } from '../result/ids.ts'
import { type SweepRequestInput, sweepRequestSchema } from './plan.ts'
import { planSweep } from './plan-sweep.ts'
import { promptFor, variantFor } from './prompts.ts'

const target = { kind: 'built-in', engine: 'simulated', model: 'sim', slots: 1 } as const
const planOf = (input: Partial<SweepRequestInput> = {}, id = 's1') =>
  planSweep(sweepRequestSchema.parse({ target, levels: [1, 2, 4, 8], ...input } satisfies SweepRequestInput), { sweepId: sweepIdSchema.parse(id) })

test('M3: no two prompts of a sweep share their first 32 characters', () => {
  const plan = planOf({ levels: [1, 7, 64, 256], repeats: 2 })
  const last = plan.cells.at(-1)
  if (last === undefined) throw new Error('an empty plan')
  const again = { ...last, n: 64, index: plan.cells.length }
  const starts = [...plan.cells, again].flatMap((cell) =>
    Array.from({ length: cell.waves }, (_, wave) =>
      Array.from({ length: cell.n }, (_, session) => [0, 1].map((turn) => promptFor(plan, cell, wave, session, turn).slice(0, 32))),
    ).flat(2),
  )
  expect(starts.length).toBeGreaterThan(1_000)
  expect(new Set(starts).size).toBe(starts.length)
})

test('M3: neighbours differ within their first words already, and another sweep says something else', () => {
  const plan = planOf()
  const cell = plan.cells.at(-1)
  if (cell === undefined) throw new Error('an empty plan')
  const firstWords = Array.from({ length: 20 }, (_, wave) => promptFor(plan, cell, wave, 0).split(' ').slice(0, 2).join(' '))
  expect(new Set(firstWords).size).toBeGreaterThan(18)
  expect(promptFor(planOf({}, 's2'), cell, 0, 0)).not.toBe(promptFor(plan, cell, 0, 0))
  expect(promptFor(planOf({ seed: 8 }), cell, 0, 0)).not.toBe(promptFor(plan, cell, 0, 0))
})

test('the fault switch uses a few prompts again and again, in all cells alike', () => {
  const plan = planOf({ faults: { promptPool: 2 } })
  const [first, last] = [plan.cells[1], plan.cells.at(-2)]
  if (first === undefined || last === undefined) throw new Error('too small a plan')
  const prompts = [0, 1, 2, 3].map((session) => promptFor(plan, last, 1, session))
  expect(new Set(prompts).size).toBe(2)
  expect(prompts[2]).toBe(promptFor(plan, first, 0, 0))
})

test('a prompt has about the words that were asked for, the same ones each time, and ends with a question', () => {
  fc.assert(
    fc.property(fc.integer({ min: 25, max: 2_000 }), fc.nat(7), (promptTokens, session) => {
      const plan = planOf({ workload: { promptTokens } })
      const cell = plan.cells[1]
      if (cell === undefined) throw new Error('an empty plan')
      const prompt = promptFor(plan, cell, 0, session)
      expect(prompt.split(' ')).toHaveLength(promptTokens)
      expect(prompt.endsWith('?')).toBe(true)
      expect(promptFor(plan, cell, 0, session)).toBe(prompt)
    }),
    { numRuns: 30 },
  )
})

test('sessions take the variants in turn, on top of the options of all', () => {
  const variants: { model: string; options: Record<string, number> }[] = [
    { model: 'a', options: { num_ctx: 1024 } },
    { model: 'b', options: {} },
  ]
  const plan = planOf({ workload: { variants, options: { temperature: 0 } } })
  expect([0, 1, 2].map((session) => variantFor(plan, 'target', session))).toEqual([
    { model: 'a', options: { temperature: 0, num_ctx: 1024 } },
    { model: 'b', options: { temperature: 0 } },
    { model: 'a', options: { temperature: 0, num_ctx: 1024 } },
  ])
  expect(variantFor(planOf(), 'target', 5)).toEqual({ model: 'target', options: { temperature: 0 } })
})

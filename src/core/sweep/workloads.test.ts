import { expect, test } from 'vitest'
import { sweepIdSchema } from '../result/ids.ts'
import { type SweepRequestInput, sweepRequestSchema } from './plan.ts'
import { planSweep } from './plan-sweep.ts'
import { promptFor } from './prompts.ts'
import { playOf } from './workloads.ts'

const target = { kind: 'built-in', engine: 'simulated', model: 'sim', slots: 1 } as const
function planned(workload: SweepRequestInput['workload'], more: Partial<SweepRequestInput> = {}) {
  const plan = planSweep(sweepRequestSchema.parse({ target, levels: [10], workload, ...more } satisfies SweepRequestInput), {
    sweepId: sweepIdSchema.parse('s'),
  })
  const cell = plan.cells.find(({ role, leg }) => role === 'measure' && leg === 'runner')
  if (cell === undefined) throw new Error('an empty plan')
  return { plan, cell }
}

test('a long context has long prompts and short answers, unless the request says otherwise', () => {
  const { plan, cell } = planned({ kind: 'long-context' })
  expect(promptFor(plan, cell, 0, 3).split(' ')).toHaveLength(1_500)
  expect(plan.workload.outputTokens).toBe(32)
  expect(planned({ kind: 'long-context', promptTokens: 900 }).plan.workload).toMatchObject({ promptTokens: 900, outputTokens: 32 })
})

test('own prompts are taken in turn, each behind a number of its own (M3)', () => {
  const { plan, cell } = planned({ kind: 'file', prompts: ['first?', 'second?', 'third?'] })
  const said = [0, 1, 2, 3].map((session) => promptFor(plan, cell, 0, session))
  expect(said.map((prompt) => prompt.split(' ').at(-1))).toEqual(['first?', 'second?', 'third?', 'first?'])
  expect(new Set(said.map((prompt) => prompt.slice(0, 32))).size).toBe(4)
  expect(promptFor(plan, cell, 1, 0).endsWith('second?')).toBe(true)
})

test('a replay says the recorded turns in their order, in every session', () => {
  const { plan, cell } = planned({ kind: 'replay', prompts: ['hello', 'and then?'] })
  expect(playOf(plan, cell, 0, 4).turns).toBe(2)
  for (const session of [0, 7])
    expect([0, 1].map((turn) => promptFor(plan, cell, 0, session, turn).split(' ').slice(5).join(' '))).toEqual(['hello', 'and then?'])
})

test('a mixture is the same ten sessions in each ten, in an order of the seed', () => {
  const kindsOf = (seed: number, wave: number) => {
    const { plan, cell } = planned({ kind: 'mixed' }, { seed })
    return Array.from({ length: 10 }, (_, session) => playOf(plan, cell, wave, session).kind)
  }
  const count = (kinds: readonly string[]) => ['short-chat', 'long-context', 'agent'].map((kind) => kinds.filter((one) => one === kind).length)
  expect([count(kindsOf(1, 0)), count(kindsOf(1, 1)), count(kindsOf(2, 0))]).toEqual([
    [5, 3, 2],
    [5, 3, 2],
    [5, 3, 2],
  ])
  expect(kindsOf(1, 0)).toEqual(kindsOf(1, 0))
  expect([kindsOf(1, 1), kindsOf(2, 0)]).not.toEqual([kindsOf(1, 0), kindsOf(1, 0)])
  const { plan, cell } = planned({ kind: 'mixed' })
  const long = Array.from({ length: 10 }, (_, i) => i).find((session) => playOf(plan, cell, 0, session).kind === 'long-context') ?? 0
  expect(promptFor(plan, cell, 0, long).split(' ')).toHaveLength(1_500)
})

test('M3: no two turns of sessions of several turns begin alike', () => {
  const { plan } = planned({ kind: 'replay', prompts: Array.from({ length: 20 }, (_, i) => `turn ${i}`) }, { levels: [1, 8], waves: 2 })
  const starts = plan.cells.flatMap((cell) =>
    Array.from({ length: cell.waves * cell.n * 20 }, (_, i) =>
      promptFor(plan, cell, Math.floor(i / (cell.n * 20)), Math.floor(i / 20) % cell.n, i % 20)
        .split(' ')
        .slice(0, 5)
        .join(' '),
    ),
  )
  expect(new Set(starts).size).toBe(starts.length)
})

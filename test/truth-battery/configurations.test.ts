import { describe, expect, test } from 'vitest'
import type { SweptConfiguration } from './configuration.ts'
import { CONFIGURATIONS } from './configurations.ts'
import { ceilingInThought } from './play-in-thought.ts'

test('each configuration has a name of its own, and each of the eleven verdicts is the plain answer of three at least', () => {
  expect(new Set(CONFIGURATIONS.map(({ name }) => name)).size).toBe(CONFIGURATIONS.length)
  const counts = new Map<string, number>()
  for (const { truth } of CONFIGURATIONS) counts.set(truth.verdicts[0], (counts.get(truth.verdicts[0]) ?? 0) + 1)
  expect(counts.size).toBe(11)
  expect([...counts].filter(([, count]) => count < 3)).toEqual([])
})

test('all eleven published findings are played', () => {
  expect(CONFIGURATIONS.filter(({ name }) => name.startsWith('evidence-'))).toHaveLength(11)
})

/** Only the server limits these: what a client or a runner does can't be seen in the simulation. */
const known = CONFIGURATIONS.filter(
  (one): one is SweptConfiguration => one.kind === 'sweep' && one.truth.ceilingN !== null && Object.keys(one.request.faults ?? {}).length === 0,
)

describe('the ceilings that are called known are those of the simulation, played in thought', () => {
  test.each(known.map((one) => [one.name, one] as const))('%s', (_, { request: { target, levels, workload }, truth }) => {
    if (target.kind !== 'built-in') throw new Error('not a simulated server')
    const ceiling = ceilingInThought(target.settings ?? {}, target.slots, Math.max(...(levels ?? [])), workload?.outputTokens ?? 48)
    // With 16 slots, 15 sessions have 94 % already; the slots are called the ceiling.
    if (typeof truth.ceilingN === 'number' && truth.ceilingN === truth.slots) expect(ceiling).toBe(Math.ceil(0.9 * truth.ceilingN))
    else expect(ceiling).toBe(truth.ceilingN)
  })
})

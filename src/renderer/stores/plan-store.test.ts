// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import { createFakeMain } from '../testing/fake-main.ts'
import { FOUND } from '../testing/sweep-fixtures.ts'
import { createDiscoveryStore } from './discovery-store.ts'
import { createPlanStore } from './plan-store.ts'

async function planOf(fake: ReturnType<typeof createFakeMain>) {
  const plan = createPlanStore(fake.connection, createDiscoveryStore(fake.connection))
  await vi.waitFor(() => expect(plan.get().request).not.toBeNull())
  return plan
}

test('the plan is filled in with the best that was found, and says what it would take', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const plan = await planOf(fake)
  expect(plan.get().targetLabel).toBe('smollm2:135m on Ollama 0.11.4')
  expect(plan.get().request).toMatchObject({ levels: [], mode: 'standard' })
  expect(plan.get().edited).toBe(false)
  await vi.waitFor(() => expect(plan.get().estimate?.seconds).toBeGreaterThan(0))
  await vi.waitFor(() => expect(plan.get().modeEstimates.thorough?.seconds).toBeGreaterThan(plan.get().modeEstimates.quick?.seconds ?? 0))
})

test('with no server found the built-in engine is proposed', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND.filter((one) => one.kind !== 'model-server'))
  expect((await planOf(fake)).get().request?.target).toMatchObject({ kind: 'built-in', engine: 'llama' })
})

test('what was edited is marked, survives a reload, and a reset takes it back', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const plan = await planOf(fake)
  plan.setLevels([1, 3])
  plan.setMode('quick')
  plan.changeSlo({ ttfaMs: 500 })
  expect(plan.get().edited).toBe(true)
  await vi.waitFor(() => expect(fake.layouts.get('plan')).toContain('500'))
  const again = await planOf(fake)
  expect(again.get().request).toMatchObject({ levels: [1, 3], mode: 'quick', slo: { ttfaMs: 500 } })
  await vi.waitFor(() => expect(again.get().edited).toBe(true))
  again.reset()
  expect(again.get().request?.levels).toEqual([])
  expect(again.get().edited).toBe(false)
})

test('repeats of one’s own leave the mode; without levels there is always one', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const plan = await planOf(fake)
  plan.setLevels([1, 4])
  plan.setRepeats(2)
  expect(plan.get().request).toMatchObject({ levels: [1, 4], repeats: 2 })
  expect(plan.get().request?.mode).toBeUndefined()
  plan.setLevels([])
  expect(plan.get().request?.mode).toBe('standard')
})

test('another kind of session brings its own lengths, another load stays with the plan', async () => {
  const fake = createFakeMain()
  fake.setFound(FOUND)
  const plan = await planOf(fake)
  plan.changeWorkload({ promptTokens: 999 })
  plan.setWorkloadKind('long-context')
  expect(plan.get().request?.workload).toEqual({ kind: 'long-context' })
  plan.setLoad({ kind: 'sustained', spanMs: 10_000 })
  expect(plan.get().request?.load).toEqual({ kind: 'sustained', spanMs: 10_000 })
  plan.setLoad({ kind: 'burst' })
  plan.setWorkloadKind('short-chat')
  expect(plan.get().edited).toBe(false)
})

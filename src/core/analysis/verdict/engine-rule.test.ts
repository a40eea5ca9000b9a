import { expect, test } from 'vitest'
import { verdictOf } from '../../../../test/synthetic-analysis.ts'

const MANY = { slots: 1_000 }
const REAL = { facts: { simulated: false } }

test.each([
  ['decode-bound: answers share the engine', { tokenMs: (active: number) => 10 * active }],
  ['prefill-bound: prompts share the engine', { prefillMs: (prefilling: number) => 200 * prefilling, tokenMs: 2 }],
])('%s', (mechanism, changes) => {
  expect(verdictOf({ ...MANY, ...changes })).toMatchObject({ primary: 'model_server_engine', mechanism, confidence: 'likely' })
})

test('a total that falls by a third at 16 is a cliff of the engine: the sentence says to stay at 8', () => {
  const verdict = verdictOf({ ...MANY, levels: [1, 2, 4, 8, 16, 24], tokenMs: (active) => (active > 8 ? 40 : 10) })
  expect(verdict).toMatchObject({ primary: 'model_server_engine', mechanism: 'engine cliff above 8' })
  expect(verdict.sentence).toContain('Operate at 8')
})

test('rounds of a burst on three slots are no cliff', () => {
  const verdict = verdictOf({ slots: 3, levels: [1, 2, 3, 4, 5, 6] })
  expect(verdict).toMatchObject({ primary: 'model_server_queue', effectiveSlots: 3 })
})

test('batching that still gains by half at the last step has reached no ceiling, whatever each answer pays', () => {
  const verdict = verdictOf({ ...MANY, levels: [1, 2, 4, 8], tokenMs: (active) => 10 * active ** 0.35, prefillMs: 20, waves: 6 })
  expect(verdict).toMatchObject({ primary: 'none_reached', secondary: 'model_server_engine' })
})

test('GPU use alone names nothing', () => {
  const verdict = verdictOf({ ...MANY, ...REAL, waves: 8, gpuUtilPercent: () => 94 })
  expect(verdict).toMatchObject({ primary: 'none_reached', confidence: 'likely' })
})

test('a GPU in use while each answer slows down is the hardware', () => {
  expect(verdictOf({ ...MANY, ...REAL, tokenMs: (active) => 10 * active, gpuUtilPercent: () => 97 })).toMatchObject({
    primary: 'hardware',
    mechanism: 'GPU shared by all answers',
  })
})

test('a queue beside a busy GPU stays a queue', () => {
  expect(verdictOf({ slots: 2, ...REAL, gpuUtilPercent: () => 97 }).primary).toBe('model_server_queue')
})

test('cores that something else fills are not the hardware under the server', () => {
  const busy = { ...MANY, ...REAL, cores: 2, tokenMs: (active: number) => 10 * active }
  expect(verdictOf({ ...busy, serverCpuPercent: () => 190 })).toMatchObject({ primary: 'hardware', mechanism: 'all cores busy' })
  expect(verdictOf({ ...busy, serverCpuPercent: () => 60 }).primary).toBe('model_server_engine')
})

test('a model that spills out of the GPU is the hardware, and only when answers slow down', () => {
  const spill = { simulated: false, residentBytes: 10e9, vramBytes: 6.6e9 }
  expect(verdictOf({ ...MANY, facts: spill, tokenMs: (active) => 10 * active })).toMatchObject({
    primary: 'hardware',
    mechanism: 'model spills out of GPU memory',
  })
  expect(verdictOf({ slots: 2, facts: spill }).primary).toBe('model_server_queue')
})

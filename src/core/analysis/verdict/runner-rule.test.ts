import { expect, test } from 'vitest'
import { analysisOf, verdictOf } from '../../../../test/synthetic-analysis.ts'

const MANY = { slots: 1_000 }

test('a blocked event loop is the mechanism where it was seen', () => {
  expect(verdictOf({ ...MANY, levels: [1, 2, 4, 8], faults: { runnerBlockMs: 400 } })).toMatchObject({
    primary: 'runner_process',
    mechanism: 'event loop blocked',
  })
})

test.each([4, 10])('a pool of %i connections is a client that holds back, not a server with so many slots', (poolLimit) => {
  const { verdict, effectiveSlots } = analysisOf({ ...MANY, levels: [1, 2, 4, 10, 20, 40], faults: { poolLimit } })
  expect(verdict).toMatchObject({ primary: 'runner_process', mechanism: `client connection pool of ${poolLimit}`, confidence: 'likely' })
  expect(effectiveSlots.plateau).toBe(false)
})

test('the direct leg, which has no such pool, confirms it', () => {
  const { verdict, interventions } = analysisOf({ ...MANY, levels: [1, 4, 16], faults: { poolLimit: 4 }, legs: ['runner', 'direct'] })
  expect(verdict).toMatchObject({ primary: 'runner_process', confidence: 'confirmed' })
  expect(interventions).toMatchObject([{ kind: 'direct-leg', agrees: true }])
})

test('a pool that no level fills is no cause', () => {
  expect(verdictOf({ ...MANY, levels: [1, 2, 4, 8], waves: 8, faults: { poolLimit: 10 } }).primary).toBe('none_reached')
})

test('a pool above the slots only moves the waiting: the queue is named, the runner second', () => {
  const verdict = verdictOf({ slots: 4, levels: [1, 4, 8, 16, 40], faults: { poolLimit: 6 } })
  expect(verdict).toMatchObject({ primary: 'model_server_queue', effectiveSlots: 4 })
})

test('a tool that takes longer the more sessions there are is named', () => {
  const verdict = verdictOf({ ...MANY, levels: [1, 2, 4, 8], steps: { calls: 2, toolMs: (n) => 60 * n } })
  expect(verdict).toMatchObject({ primary: 'runner_process', mechanism: 'slow tool: search' })
})

test('a slow tool that takes its time at any N is no cause', () => {
  expect(verdictOf({ ...MANY, levels: [1, 2, 4, 8], waves: 8, steps: { calls: 2, toolMs: 400 } }).primary).toBe('none_reached')
  expect(verdictOf({ slots: 1, levels: [1, 2, 4, 8], steps: { calls: 2, toolMs: 400 } }).primary).toBe('model_server_queue')
})

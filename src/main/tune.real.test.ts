/** Tuning end to end: a built-in server whose truth is known, and a private Ollama beside one that runs, which notices nothing. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type AppUnderTest, openAppUnderTest } from '../../test/app-under-test.ts'
import { OLLAMA_MODELS, ollamaMissing, startOllama } from '../../test/ollama-server.ts'
import type { TuneState } from '../core/sweep/tune.ts'
import { type TuneRequestInput, tuneRequestSchema } from '../core/sweep/tune.ts'

const missing = await ollamaMissing()
let plimsoll: AppUnderTest
beforeAll(async () => {
  plimsoll = await openAppUnderTest()
})
afterAll(() => plimsoll?.close())

async function tuned(input: TuneRequestInput): Promise<TuneState> {
  const started = await plimsoll.client.tune.start(tuneRequestSchema.parse(input))
  if (!started.ok) throw new Error(started.error.happened)
  return new Promise<TuneState>((resolve) => {
    const stop = plimsoll.client.tune.state(
      {},
      {
        next(state) {
          if (state.status === 'running') return
          stop()
          resolve(state)
        },
      },
    )
  })
}

test('the simulated server that batches well: more slots are worth it', async () => {
  const state = await tuned({
    target: { kind: 'built-in', engine: 'simulated', model: '', settings: { prefillMs: 10, decodeMs: 12 } },
    slots: [1, 4],
    workload: { outputTokens: 16 },
  })
  expect(state).toMatchObject({ status: 'done', advice: { slots: 4, engineIsLimit: false } })
  expect(state.trials.map(({ figures }) => figures?.slotsInUse)).toEqual([1, 4])
  expect(state.advice?.sentence).toContain('Set --slots to 4')
})

describe.skipIf(missing !== false)(`a real Ollama${missing === false ? '' : ` (left out: ${missing})`}`, () => {
  test('on one thread more slots move nothing: 1 is recommended, the engine is the limit, and the own server is left alone', async () => {
    const own = await startOllama({ parallel: 1 })
    try {
      const state = await tuned({
        target: { kind: 'ollama', model: OLLAMA_MODELS.plain, program: process.env.PLIMSOLL_OLLAMA ?? null, ownUrl: own.url },
        slots: [1, 4],
        workload: { outputTokens: 12, promptTokens: 20, options: { temperature: 0, num_thread: 1, num_ctx: 1_024 } },
      })
      expect(state.trials.map(({ figures, problem }) => problem ?? figures?.slotsInUse)).toEqual([1, 4])
      expect(state).toMatchObject({ status: 'done', setting: 'OLLAMA_NUM_PARALLEL', advice: { slots: 1, engineIsLimit: true } })
      expect(state.advice?.sentence).toContain('the engine is the limit')
      expect(state.trials.map(({ figures }) => figures?.contextBytes)).toEqual([expect.any(Number), expect.any(Number)])
      const resident = await fetch(`${own.url}/api/ps`).then((answer) => answer.json())
      expect(resident).toEqual({ models: [] })
      expect(readdirSync(join(plimsoll.app.dataDir, 'tune'))).toEqual([])
    } finally {
      await own.stop()
    }
  })
})

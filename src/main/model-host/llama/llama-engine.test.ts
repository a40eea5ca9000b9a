import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type RecordedCall, recordedCall } from '../../../../test/recorded-call.ts'
import { systemClock } from '../../platform/clock.ts'
import type { Engine } from '../engine.ts'
import { llamaSettingsSchema } from './llama-settings.ts'
import { openLlamaEngine } from './open-llama-engine.ts'

const clock = systemClock

async function openTiny(slots: number, settings: object = {}): Promise<Engine> {
  const cacheDir = join(tmpdir(), 'plimsoll-models')
  const opened = await openLlamaEngine({ model: 'plimsoll-tiny', cacheDir, slots, settings: llamaSettingsSchema.parse(settings), clock })
  if (!opened.ok) throw new Error(JSON.stringify(opened.error))
  return opened.value
}

const over = (call: RecordedCall) => expect.poll(() => call.endedAtMs, { timeout: 15_000, interval: 5 }).toBeDefined()
const answer = (call: RecordedCall) => call.texts.map((t) => t.text).join('')

describe('real inference on the tiny model', () => {
  let engine: Engine
  beforeAll(async () => {
    engine = await openTiny(2)
  })
  afterAll(() => engine.stop())

  test('says words, keeps num_predict, and measures prompt and answer', async () => {
    const call = recordedCall(engine, clock, { options: { num_predict: 12 } })
    await over(call)
    expect(call.ends[0]).toMatchObject({ reason: 'length', answerTokens: 12 })
    expect(call.ends[0]?.promptEvalMs).toBeGreaterThan(0)
    expect(call.ends[0]?.evalMs).toBeGreaterThan(0)
    expect(call.ends[0]?.promptTokens).toBeGreaterThan(3)
    expect(answer(call)).toMatch(/[a-z]{2}/)
    expect(answer(call)).not.toContain('\ufffd')
  })

  test('the same seed says the same, whatever came before in that slot', async () => {
    const ask = (seed: number) =>
      recordedCall(engine, clock, { options: { num_predict: 16, seed }, messages: [{ role: 'user', content: 'say it', toolCalls: [] }] })
    const first = ask(7)
    await over(first)
    const other = recordedCall(engine, clock, { options: { num_predict: 5 } })
    await over(other)
    const again = ask(7)
    await over(again)
    expect(answer(again)).toBe(answer(first))
    const different = ask(8)
    await over(different)
    expect(answer(different)).not.toBe(answer(first))
  })

  test('two slots: two run together, the third begins when one of them is done', async () => {
    const calls = [1, 2, 3].map(() => recordedCall(engine, clock, { options: { num_predict: 60 } }))
    await Promise.all(calls.map(over))
    const [a, b, c] = calls
    expect(Math.min(a?.endedAtMs ?? 0, b?.endedAtMs ?? 0)).toBeGreaterThan(Math.max(a?.tokensAtMs[0] ?? 0, b?.tokensAtMs[0] ?? 0))
    expect(c?.slotAtMs).toBeGreaterThanOrEqual(Math.min(a?.endedAtMs ?? 0, b?.endedAtMs ?? 0))
    expect((c?.ends[0]?.totalMs ?? 0) - (c?.ends[0]?.promptEvalMs ?? 0) - (c?.ends[0]?.evalMs ?? 0)).toBeGreaterThan(5)
  })

  test('an abort stops the answer at the next step and gives the slot to the next', async () => {
    const long = [1, 2].map(() => recordedCall(engine, clock, { options: { num_predict: 1_900 } }))
    await expect.poll(() => long.every((call) => call.tokensAtMs.length > 5), { interval: 2, timeout: 10_000 }).toBe(true)
    const next = recordedCall(engine, clock, { options: { num_predict: 4 } })
    expect(next.slotAtMs).toBeUndefined()
    for (const call of long) call.abort()
    await over(next)
    expect(next.ends).toHaveLength(1)
    for (const call of long) expect(call.tokensAtMs.length).toBeLessThan(1_900)
  })

  test('a prompt longer than the context loses its beginning and is answered all the same', async () => {
    const call = recordedCall(engine, clock, {
      options: { num_predict: 4, num_ctx: 128 },
      messages: [{ role: 'user', content: 'the model is fast '.repeat(200), toolCalls: [] }],
    })
    await over(call)
    expect(call.failures).toEqual([])
    expect(call.ends[0]?.promptTokens).toBeLessThanOrEqual(128)
  })

  test('another context size makes it reload: the wait for the running ones stands in load', async () => {
    const running = recordedCall(engine, clock, { options: { num_predict: 100 } })
    const other = recordedCall(engine, clock, { options: { num_predict: 4, num_ctx: 512 } })
    await Promise.all([over(running), over(other)])
    expect(other.slotAtMs).toBeGreaterThan(running.endedAtMs ?? Number.POSITIVE_INFINITY)
    expect(other.ends[0]?.loadMs).toBeGreaterThan((running.endedAtMs ?? 0) - (other.endedAtMs ?? 0) + (other.ends[0]?.evalMs ?? 0))
    expect(engine.loaded()[0]?.contextTokens).toBe(512)
  })
})

test('tool calls are forced where the settings ask for them, after real work', async () => {
  const engine = await openTiny(1, { toolCallsPerTurn: 1, toolCallTokens: 8 })
  expect(engine.cards()[0]?.capabilities).toContain('tools')
  const tools = [{ type: 'function', function: { name: 'ls', parameters: { type: 'object', properties: { path: { type: 'string' } } } } }]
  const call = recordedCall(engine, clock, { tools })
  await over(call)
  expect(call.toolCalls).toMatchObject([{ function: { name: 'ls', arguments: { path: '.' } } }])
  expect(call.tokensAtMs).toEqual([])
  expect(call.ends[0]).toMatchObject({ reason: 'stop', answerTokens: 8 })
  await engine.stop()
})

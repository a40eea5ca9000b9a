import { describe, expect, test } from 'vitest'
import { recordedCall } from '../../../../test/recorded-call.ts'
import { SERVER_BUSY_TEXT } from '../../../core/ollama/documents.ts'
import { ManualClock } from '../../platform/clock.ts'
import type { CallMessage, ModelCall } from '../engine.ts'
import { createSimulatedEngine } from './simulated-engine.ts'
import { simulationSettingsSchema } from './simulation-settings.ts'

function engineWith(part: object, slots = 1) {
  const clock = new ManualClock(5_000)
  const settings = simulationSettingsSchema.parse({ startLoaded: true, prefillMs: 50, decodeMs: 10, answerTokens: 5, ...part })
  return { clock, engine: createSimulatedEngine({ settings, slots, clock }) }
}

const said = (text: string): Pick<ModelCall, 'messages'> => ({ messages: [{ role: 'user', content: text, toolCalls: [] }] })
const lsTool = {
  type: 'function',
  function: { name: 'ls', parameters: { type: 'object', properties: { path: { type: 'string' }, deep: { type: 'boolean' } }, required: ['path'] } },
}

test('tokens come when the simulation says so, and the final durations are its truth', () => {
  const { clock, engine } = engineWith({})
  const first = recordedCall(engine, clock)
  const second = recordedCall(engine, clock)
  clock.advance(1_000)
  expect(first.tokensAtMs.map((ms) => Math.round(ms - 5_000))).toEqual([50, 60, 70, 80, 90])
  expect(Math.round((second.slotAtMs ?? 0) - 5_000)).toBe(90)
  expect(second.ends[0]).toMatchObject({ answerTokens: 5, reason: 'stop', promptEvalMs: expect.closeTo(50), totalMs: expect.closeTo(180) })
})

test('the same seed and prompts give the same answers, another seed others', () => {
  const answer = (seed: number) => {
    const { clock, engine } = engineWith({ seed, answerTokens: [3, 30] })
    const calls = ['a', 'b', 'c'].map((text) => recordedCall(engine, clock, said(text)))
    clock.advance(10_000)
    return calls.map((call) => call.texts.map((t) => t.text).join(''))
  }
  expect(answer(1)).toEqual(answer(1))
  expect(answer(1)).not.toEqual(answer(2))
})

test('num_predict caps the answer; a runaway answer does not care, unless it is told to', () => {
  const tokensOf = (part: object) => {
    const { clock, engine } = engineWith(part)
    const call = recordedCall(engine, clock, { options: { num_predict: 3 } })
    clock.advance(10_000)
    return [call.tokensAtMs.length, call.ends[0]?.reason]
  }
  expect(tokensOf({})).toEqual([3, 'length'])
  expect(tokensOf({ runawayShare: 1, runawayTokens: 500 })).toEqual([500, 'stop'])
  expect(tokensOf({ runawayShare: 1, runawayTokens: 500, runawayObeysLimit: true })).toEqual([3, 'length'])
})

describe('tools', () => {
  const turn = (...rest: CallMessage[]): Partial<ModelCall> => ({ tools: [lsTool], messages: [...(said('look').messages ?? []), ...rest] })
  const called: CallMessage = { role: 'assistant', content: '', toolCalls: [{ function: { name: 'ls', arguments: {} } }] }
  const result: CallMessage = { role: 'tool', content: 'README.md', toolCalls: [] }

  test('the first calls of a turn are answered by tool calls with fitting arguments, the next by text', () => {
    const { clock, engine } = engineWith({ toolCallsPerTurn: 1, toolCallTokens: 8 })
    const first = recordedCall(engine, clock, turn())
    clock.advance(1_000)
    const second = recordedCall(engine, clock, turn(called, result))
    clock.advance(1_000)
    expect(first.toolCalls).toEqual([{ id: expect.stringMatching(/^call_/), function: { index: 0, name: 'ls', arguments: { path: '.' } } }])
    expect(first.tokensAtMs).toEqual([])
    expect((first.endedAtMs ?? 0) - 5_000).toBeCloseTo(50 + 7 * 10)
    expect(second.toolCalls).toEqual([])
    expect(second.tokensAtMs).toHaveLength(5)
  })

  test('an earlier turn does not count, no tools mean no calls, and a script decides what is called', () => {
    const script = [{ name: 'read', arguments: { path: 'a.md' } }]
    const { clock, engine } = engineWith({ toolCallsPerTurn: 1, toolScript: script }, 3)
    const again = recordedCall(engine, clock, turn(called, result, { role: 'user', content: 'again', toolCalls: [] }))
    const none = recordedCall(engine, clock, said('no tools'))
    clock.advance(1_000)
    expect(again.toolCalls[0]?.function).toEqual({ index: 0, name: 'read', arguments: { path: 'a.md' } })
    expect(none.toolCalls).toEqual([])
  })
})

test('a model that can think does so first, unless told not to', () => {
  const { clock, engine } = engineWith({ thinkingTokens: 2 }, 2)
  const thoughtful = recordedCall(engine, clock, { think: true })
  const quick = recordedCall(engine, clock, { think: false })
  clock.advance(1_000)
  expect(thoughtful.texts.map((t) => t.channel)).toEqual(['thinking', 'thinking', 'content', 'content', 'content', 'content', 'content'])
  expect(quick.texts.every((t) => t.channel === 'content')).toBe(true)
})

describe('faults', () => {
  test('an error at token k leaves k tokens and no end; before the first it is a 500', () => {
    const failureAt = (errorAtToken: number) => {
      const { clock, engine } = engineWith({ errorAtToken })
      const call = recordedCall(engine, clock)
      clock.advance(1_000)
      return { tokens: call.tokensAtMs.length, ends: call.ends.length, status: call.failures[0]?.status }
    }
    expect(failureAt(3)).toEqual({ tokens: 3, ends: 0, status: 500 })
    expect(failureAt(0)).toEqual({ tokens: 0, ends: 0, status: 500 })
  })

  test('shares are met about as often as they say', () => {
    const { clock, engine } = engineWith({ missingEndShare: 0.3 }, 400)
    const calls = Array.from({ length: 400 }, (_, i) => recordedCall(engine, clock, said(`q${i}`)))
    clock.advance(1_000)
    const cut = calls.filter((call) => call.cut).length
    expect(cut).toBeGreaterThan(80)
    expect(cut).toBeLessThan(160)
    expect(calls.every((call) => call.cut !== call.ends.length > 0)).toBe(true)
  })

  test('resets meet only reused connections', () => {
    const { clock, engine } = engineWith({ resetShare: 1 })
    expect(recordedCall(engine, clock, { reusedSocket: true }).reset).toBe(true)
    expect(recordedCall(engine, clock, { reusedSocket: false }).reset).toBe(false)
  })

  test('above the limit in flight it is 429, while the model loads above the cap Ollama’s 503', () => {
    const limited = engineWith({ maxInFlight: 10 })
    const twelve = Array.from({ length: 12 }, () => recordedCall(limited.engine, limited.clock))
    expect(twelve.filter((call) => call.failures[0]?.status === 429)).toHaveLength(2)
    const cold = engineWith({ startLoaded: false, pendingCap: 2 })
    const ten = Array.from({ length: 10 }, () => recordedCall(cold.engine, cold.clock))
    expect(ten.filter((call) => call.failures.length > 0).map((call) => call.failures[0])).toEqual(
      Array(7).fill({ status: 503, message: SERVER_BUSY_TEXT }),
    )
  })

  test('slots that share one pool of context fail what finds no room beside the others, each alone would fit', () => {
    const { clock, engine } = engineWith({ contextPoolTokens: 200 }, 4)
    const long = 'word '.repeat(90)
    const three = ['a', 'b', 'c'].map((name) => recordedCall(engine, clock, said(`${name} ${long}`)))
    clock.advance(2_000)
    const alone = recordedCall(engine, clock, said(long))
    clock.advance(2_000)
    expect(three.map((call) => call.failures[0])).toEqual([undefined, { status: 500, message: 'Context size has been exceeded.' }, expect.anything()])
    expect(alone.ends).toHaveLength(1)
  })

  test('a pool that fills up in mid-answer breaks the answer that needs the next place', () => {
    const { clock, engine } = engineWith({ contextPoolTokens: 60, answerTokens: 64 }, 1)
    const call = recordedCall(engine, clock, said('short'))
    clock.advance(2_000)
    expect(call.failures[0]?.status).toBe(500)
    expect(call.tokensAtMs.length).toBeGreaterThan(30)
    expect(call.tokensAtMs.length).toBeLessThan(64)
  })

  test('a model that does not fit beside its context lies outside the GPU in part, says so, and is slower', () => {
    const size = { modelBytes: 1_000, contextBytesPerToken: 1, contextTokens: 500, vramBytes: 2_000, spillFactor: 3 }
    const [fits, spills] = [engineWith(size, 2), engineWith(size, 4)]
    const [quick, slow] = [recordedCall(fits.engine, fits.clock), recordedCall(spills.engine, spills.clock)]
    for (const { clock } of [fits, spills]) clock.advance(1_000)
    expect(fits.engine.loaded()[0]).toMatchObject({ sizeBytes: 2_000, vramBytes: 2_000 })
    expect(spills.engine.loaded()[0]).toMatchObject({ sizeBytes: 3_000, vramBytes: 2_000 })
    expect(slow.ends[0]?.evalMs).toBeCloseTo(3 * (quick.ends[0]?.evalMs ?? 0))
  })

  test('refusals of a provider come before anything else, with their status', () => {
    const { clock, engine } = engineWith({ burstLimit: 2, overloadedShare: 0 })
    const calls = Array.from({ length: 3 }, () => recordedCall(engine, clock))
    const { engine: full, clock: other } = engineWith({ overloadedShare: 1 })
    expect(calls.map((call) => call.failures[0]?.status)).toEqual([undefined, undefined, 529])
    expect(recordedCall(full, other).failures[0]).toEqual({ status: 529, message: 'Overloaded' })
  })

  test('a prefix cache makes the second prompt that begins alike cheap', () => {
    const { clock, engine } = engineWith({ prefillMs: undefined, prefillTokensPerSec: 100, prefixCachedRatio: 0.9 }, 1)
    const long = 'x'.repeat(1_000)
    const [cold, warm] = [recordedCall(engine, clock, said(long)), recordedCall(engine, clock, said(`${long} and more`))]
    clock.advance(60_000)
    expect(cold?.ends[0]?.promptEvalMs).toBeCloseTo(2_540)
    expect(warm?.ends[0]?.promptEvalMs).toBeLessThan(300)
  })
})

test('a loaded model goes so long after its last call as that call said, or never', () => {
  const { clock, engine } = engineWith({ keepAliveMs: 60_000 })
  const leftMs = () => (engine.loaded()[0]?.expiresEpochMs ?? 0) - clock.epochMs()
  recordedCall(engine, clock)
  clock.advance(10)
  expect(leftMs()).toBeCloseTo(60_000)
  clock.advance(1_080)
  expect(leftMs()).toBeCloseTo(59_000)
  recordedCall(engine, clock, { keepAliveMs: Number.POSITIVE_INFINITY })
  clock.advance(1e9)
  expect(leftMs()).toBe(Number.POSITIVE_INFINITY)
})

test('an empty request loads the model, keep-alive 0 unloads it', () => {
  const { clock, engine } = engineWith({ startLoaded: false, loadMs: 300 })
  const load = recordedCall(engine, clock, {}, 'load')
  expect(engine.loaded()).toEqual([])
  clock.advance(301)
  expect(load.ends[0]).toMatchObject({ reason: 'load', loadMs: expect.closeTo(300) })
  expect(engine.loaded()).toHaveLength(1)
  expect(recordedCall(engine, clock, { keepAliveMs: 0 }, 'load').ends[0]?.reason).toBe('unload')
  expect(engine.loaded()).toEqual([])
})

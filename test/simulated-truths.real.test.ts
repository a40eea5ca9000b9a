/** Sweeps of the simulated server, whose truth is known, through the real driver and the real runner: the verdict names what was built in, and nothing else. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sweepFacts } from '../src/core/analysis/levels/level-facts.ts'
import type { ModelCall } from '../src/core/session/timeline.ts'
import type { SweepRequestInput } from '../src/core/sweep/plan.ts'
import type { RequestRecord } from '../src/main/model-host/http/request-log.ts'
import { type AppUnderTest, openAppUnderTest } from './app-under-test.ts'

const SHORT = { outputTokens: 16, memoryNote: false }

let plimsoll: AppUnderTest
beforeAll(async () => {
  plimsoll = await openAppUnderTest()
})
afterAll(() => plimsoll?.close())

function simulated(slots: number, settings: Record<string, unknown> = {}): SweepRequestInput['target'] {
  return { kind: 'built-in', engine: 'simulated', model: 'plimsoll-simulated', slots, settings: { prefillMs: 40, decodeMs: 6, ...settings } }
}

const request = (input: Omit<SweepRequestInput, 'levels'> & { levels?: number[] }): SweepRequestInput => ({
  levels: [1, 2, 4, 8],
  repeats: 1,
  waves: 3,
  legs: ['runner'],
  workload: SHORT,
  ...input,
})

describe('what gives way first', () => {
  test.each([1, 4])('%i slots: so many effective slots, and the queue is named', async (slots) => {
    const { sweepId, analysis } = await plimsoll.sweep(request({ target: simulated(slots) }))
    expect(analysis.verdict).toMatchObject({ primary: 'model_server_queue', effectiveSlots: slots })
    expect(analysis.levels.at(-1)).toMatchObject({ n: 8, slotsInUse: slots })
    const { html, json } = await plimsoll.report(sweepId)
    expect(json.verdict).toMatchObject({ primary: 'model_server_queue', effectiveSlots: slots })
    expect(html).toContain('simulated')
    expect(html).toContain('One wave at N = 8, lane by lane')
  })

  test('an engine that slows in proportion to the requests at work has no queue', async () => {
    const { analysis } = await plimsoll.sweep(request({ target: simulated(16, { decodeShape: 'proportional' }) }))
    expect(analysis.verdict.primary).toBe('model_server_engine')
    expect(analysis.levels.map(({ shares }) => shares.queue)).toEqual([0, 0, 0, 0])
  })

  test('a runner whose loop is blocked at each start is named itself, not the server', async () => {
    const { analysis } = await plimsoll.sweep(request({ target: simulated(4), levels: [1, 4], faults: { runnerBlockMs: 400 } }))
    expect(analysis.verdict.primary).toBe('runner_process')
    const { partsMs } = analysis.levels.at(-1) ?? {}
    expect((partsMs?.runner ?? 0) + (partsMs?.admission ?? 0)).toBeGreaterThan(1_000)
    expect(partsMs?.queue).toBeLessThan(50)
  })
})

test('N = 16 on 1 slot: the queue wait of every request agrees with the log of the server within max(20 ms, 5 %)', async () => {
  const server = await plimsoll.app.models.startBuiltIn({ engine: 'simulated', slots: 1, settings: { prefillMs: 40, decodeMs: 6 } })
  if (!server.ok) throw new Error(JSON.stringify(server.error))
  const { url, info, stop } = server.value
  const target = { kind: 'server', url, model: info.models[0] ?? '' } as const
  const { state } = await plimsoll.sweep(request({ target, levels: [1, 16], waves: 2, workload: { ...SHORT, memoryNote: true } }))
  const log = (await (await fetch(`${url}/plimsoll/log`)).json()) as { requests: RequestRecord[] }
  await stop()

  // On one slot requests are answered one after the other, so the order of first tokens is the same on both sides.
  const said = log.requests.filter(({ firstTokenMs }) => firstTokenMs !== null).sort((a, b) => Number(a.firstTokenMs) - Number(b.firstTokenMs))
  const calls = state.rows.flatMap((row) => row.timeline?.calls ?? []).sort((a, b) => Number(a.firstDeltaAtMs) - Number(b.firstDeltaAtMs))
  expect(calls.length).toBe(said.length)
  const pairs = calls.map((call, place) => ({ call, record: said[place] }))
  const originMs = Math.min(...pairs.map(({ call, record }) => Number(record?.arrivalMs) - call.sentAtMs))

  const queueMs = new Map<ModelCall, number>()
  for (const { level, turns } of sweepFacts(state).levels) {
    if (level.n !== 16) continue
    for (const { row, calls: parts } of turns)
      row.timeline?.calls.forEach((call, index) => void queueMs.set(call, parts[index]?.queueMs ?? Number.NaN))
  }
  const compared = pairs.flatMap(({ call, record }, place) => {
    const seenMs = queueMs.get(call)
    const before = pairs[place - 1]
    if (seenMs === undefined) return []
    // What a busy machine held up on the way, by the stamps of both sides: this request, and the end of the answer before it. A millisecond on a quiet one.
    const heldUpMs =
      Number(record?.arrivalMs) - originMs - call.sentAtMs + Math.max(0, Number(before?.call.endAtMs) + originMs - Number(before?.record?.endMs))
    return [{ seenMs, saidMs: record?.queuedMs ?? Number.NaN, heldUpMs }]
  })
  expect(compared.length).toBeGreaterThanOrEqual(2 * 16 * 2)
  expect(Math.max(...compared.map(({ saidMs }) => saidMs))).toBeGreaterThan(15 * 100)
  const misses = compared.filter(({ seenMs, saidMs, heldUpMs }) => !(Math.abs(seenMs - saidMs) <= Math.max(20, 0.05 * saidMs) + heldUpMs))
  expect(misses).toEqual([])
})

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type SimulatedCall, Simulation, type SimulationEvent } from './simulation.ts'
import { type SimulationSettings, simulationSettingsSchema } from './simulation-settings.ts'

interface Asked {
  atMs: number
  tokens?: number
  promptTokens?: number
  contextTokens?: number
  model?: string
  abortMs?: number
  keepAliveMs?: number
}

interface Outcome {
  grantedMs?: number
  firstMs?: number
  lastMs?: number
  endMs?: number
  tokens: number
  refused: boolean
  durations?: Extract<SimulationEvent, { kind: 'ended' }>['durations']
}

const WARM = { startLoaded: true, prefillMs: 50, decodeMs: 10 }

/** Plays the calls out, `stepMs` at a time, on an axis that begins far from zero. */
function play(
  part: Partial<SimulationSettings>,
  slots: number,
  asked: readonly Asked[],
  stepMs = 1_000,
): { outcomes: Outcome[]; events: SimulationEvent[] } {
  const settings = simulationSettingsSchema.parse(part)
  const originMs = 1e9
  const events: SimulationEvent[] = []
  const rules = { slots, pendingCap: settings.pendingCap, maxLoadedModels: settings.maxLoadedModels, warmBypass: settings.warmBypass }
  const simulation = new Simulation(settings, rules, originMs, (event) => events.push({ ...event, atMs: event.atMs - originMs }))
  if (settings.startLoaded) simulation.preload('m', settings.contextTokens, settings.keepAliveMs)
  const actions = asked
    .flatMap((call, id) => [
      { atMs: call.atMs, run: () => simulation.submit(callOf(call, id, settings), originMs + call.atMs, originMs + call.atMs) },
      ...(call.abortMs === undefined ? [] : [{ atMs: call.abortMs, run: () => simulation.abort(id, originMs + (call.abortMs ?? 0)) }]),
    ])
    .sort((a, b) => a.atMs - b.atMs)
  for (const action of actions) action.run()
  let nowMs = actions.at(-1)?.atMs ?? 0
  while (simulation.inHouse > 0 && nowMs < 1e7) {
    nowMs += stepMs
    simulation.advanceTo(originMs + nowMs)
  }
  return { outcomes: asked.map((_, id) => outcomeOf(events, id)), events }
}

function callOf(call: Asked, id: number, settings: SimulationSettings): SimulatedCall {
  return {
    id,
    model: call.model ?? 'm',
    contextTokens: call.contextTokens ?? settings.contextTokens,
    keepAliveMs: call.keepAliveMs ?? settings.keepAliveMs,
    slotless: false,
    promptTokens: call.promptTokens ?? 100,
    contextUse: call.promptTokens ?? 100,
    tokens: call.tokens ?? 10,
  }
}

function outcomeOf(events: readonly SimulationEvent[], id: number): Outcome {
  const own = events.filter((event) => event.id === id)
  const tokens = own.filter((event) => event.kind === 'token')
  const ended = own.find((event) => event.kind === 'ended')
  return {
    grantedMs: own.find((event) => event.kind === 'granted')?.atMs,
    firstMs: tokens[0]?.atMs,
    lastMs: tokens.at(-1)?.atMs,
    endMs: ended?.atMs,
    tokens: tokens.length,
    refused: own.some((event) => event.kind === 'refused'),
    durations: ended?.kind === 'ended' ? ended.durations : undefined,
  }
}

const burst = (n: number, part: Partial<Asked> = {}): Asked[] => Array.from({ length: n }, () => ({ atMs: 0, ...part }))
const rounded = (values: readonly (number | undefined)[]) => values.map((value) => (value === undefined ? undefined : Math.round(value * 100) / 100))
const residual = (o: Outcome) => (o.durations ? o.durations.totalMs - o.durations.loadMs - o.durations.promptEvalMs - o.durations.evalMs : undefined)

describe('slots', () => {
  test('one slot makes a staircase, one service time a step, and the residual of the durations is the queue', () => {
    const { outcomes } = play(WARM, 1, burst(4))
    expect(rounded(outcomes.map((o) => o.grantedMs))).toEqual([0, 140, 280, 420])
    expect(rounded(outcomes.map(residual))).toEqual([0, 140, 280, 420])
    expect(rounded(outcomes.map((o) => o.durations?.promptEvalMs))).toEqual([50, 50, 50, 50])
  })

  test('four slots serve eight in two waves', () => {
    expect(rounded(play(WARM, 4, burst(8)).outcomes.map((o) => o.grantedMs))).toEqual([0, 0, 0, 0, 140, 140, 140, 140])
  })

  test('an aborted call frees its slot at once, a waiting one leaves as if it had never been', () => {
    const [, , last] = play(WARM, 1, [{ atMs: 0, abortMs: 70 }, { atMs: 0, abortMs: 20 }, { atMs: 0 }]).outcomes
    expect(last?.grantedMs).toBeCloseTo(70)
  })

  test('a slot may be held after an abort, and slows the others meanwhile', () => {
    const [, next] = play({ ...WARM, holdAfterAbortMs: 500 }, 1, [{ atMs: 0, abortMs: 70 }, { atMs: 0 }]).outcomes
    expect(next?.grantedMs).toBeCloseTo(570)
    const [, other] = play({ ...WARM, decodeShape: 'proportional', holdAfterAbortMs: 500 }, 2, [{ atMs: 0, abortMs: 60 }, { atMs: 0 }]).outcomes
    expect(other?.endMs).toBeCloseTo(50 + 9 * 20)
  })

  test('whatever comes when, no more than the slots run at once, grants are first come first served, and every call ends once', () => {
    const asked = fc.record({
      atMs: fc.nat(2_000),
      tokens: fc.integer({ min: 1, max: 30 }),
      abort: fc.option(fc.integer({ min: 0, max: 1_000 }), { nil: undefined }),
    })
    fc.assert(
      fc.property(fc.array(asked, { minLength: 1, maxLength: 25 }), fc.integer({ min: 1, max: 5 }), (all, slots) => {
        const calls = all.map((c) => ({ atMs: c.atMs, tokens: c.tokens, abortMs: c.abort === undefined ? undefined : c.atMs + c.abort }))
        const { outcomes } = play({ ...WARM, decodeShape: 'proportional' }, slots, calls)
        const marks = outcomes.flatMap((o, i) => {
          const untilMs = o.endMs ?? calls[i]?.abortMs
          return o.grantedMs === undefined || untilMs === undefined
            ? []
            : [
                { atMs: o.grantedMs, by: 1 },
                { atMs: untilMs, by: -1 },
              ]
        })
        let running = 0
        for (const mark of marks.sort((a, b) => a.atMs - b.atMs || a.by - b.by)) {
          running += mark.by
          expect(running).toBeLessThanOrEqual(slots)
        }
        const granted = outcomes.map((o, i) => ({ cameMs: calls[i]?.atMs ?? 0, grantedMs: o.grantedMs })).filter((c) => c.grantedMs !== undefined)
        const byArrival = granted.toSorted((a, b) => a.cameMs - b.cameMs).map((c) => c.grantedMs ?? 0)
        expect(byArrival).toEqual(byArrival.toSorted((a, b) => a - b))
        for (const [i, o] of outcomes.entries()) {
          if (calls[i]?.abortMs === undefined) expect(o.tokens).toBe(calls[i]?.tokens)
          else expect(o.endMs === undefined || o.tokens === calls[i]?.tokens).toBe(true)
        }
      }),
      { numRuns: 50 },
    )
  })

  test('how often it is asked changes nothing', () => {
    const asked = burst(6).map((call, i) => ({ ...call, atMs: i * 37 }))
    const settings: Partial<SimulationSettings> = { ...WARM, decodeShape: 'table', decodeTableMs: [10, 22], driftPerMinRatio: 0.1 }
    const strip = (events: readonly SimulationEvent[]) => events.map((e) => `${e.kind} ${e.id} ${e.atMs.toFixed(3)}`)
    expect(strip(play(settings, 2, asked, 0.7).events)).toEqual(strip(play(settings, 2, asked, 10_000).events))
  })
})

describe('decode', () => {
  test('in proportion to the streams: nobody queues, all end together', () => {
    const { outcomes } = play({ ...WARM, decodeShape: 'proportional' }, 8, burst(8))
    expect(rounded(outcomes.map(residual))).toEqual(Array(8).fill(0))
    expect(rounded(outcomes.map((o) => o.endMs))).toEqual(Array(8).fill(50 + 9 * 80))
  })

  test('from a table: two streams are as dear as four', () => {
    const settings: Partial<SimulationSettings> = { ...WARM, decodeShape: 'table', decodeTableMs: [10, 22, 22, 22] }
    const ends = [1, 2, 4].map((n) => play(settings, 4, burst(n)).outcomes[0]?.endMs)
    expect(rounded(ends)).toEqual([50 + 90, 50 + 198, 50 + 198])
  })

  test('above the cliff a token takes so many times as long', () => {
    const settings = { ...WARM, cliffAbove: 2, cliffFactor: 12 }
    expect(rounded([2, 3].map((n) => play(settings, 8, burst(n)).outcomes[0]?.endMs))).toEqual([140, 50 + 9 * 120])
  })

  test('a cliff may be over again with more streams', () => {
    const settings = { ...WARM, cliffAbove: 2, cliffUpTo: 3, cliffFactor: 12 }
    expect(rounded([2, 3, 4].map((n) => play(settings, 8, burst(n)).outcomes[0]?.endMs))).toEqual([140, 50 + 9 * 120, 140])
  })

  test('memory-bound: up to the working set nothing slows, beyond it the total stands still', () => {
    const settings = { ...WARM, memoryBoundAbove: 4 }
    expect(rounded([4, 8].map((n) => play(settings, 8, burst(n)).outcomes[0]?.endMs))).toEqual([140, 50 + 9 * 20])
  })

  test('a stream that joins slows the one that runs only from then on', () => {
    const [first] = play({ ...WARM, decodeShape: 'proportional' }, 2, [{ atMs: 0 }, { atMs: 45 }]).outcomes
    // Alone until 95 (4.5 tokens), then two streams: 4.5 tokens at 20 ms.
    expect(first?.endMs).toBeCloseTo(50 + 45 + 4.5 * 20)
  })

  test('drift makes a later answer slower, up to its limit', () => {
    const settings = { ...WARM, driftPerMinRatio: 0.1, driftMaxRatio: 0.15 }
    const [first, later, last] = play(settings, 1, [{ atMs: 0 }, { atMs: 60_000 }, { atMs: 600_000 }]).outcomes
    expect(first?.durations?.evalMs).toBeCloseTo(90, 0)
    expect(later?.durations?.evalMs).toBeCloseTo(99, 0)
    expect(last?.durations?.evalMs).toBeCloseTo(103.5, 0)
  })
})

describe('prompts', () => {
  test('take their tokens at the rate', () => {
    const [call] = play({ startLoaded: true, prefillTokensPerSec: 500 }, 1, [{ atMs: 0, promptTokens: 100 }]).outcomes
    expect(call?.durations?.promptEvalMs).toBeCloseTo(200)
  })

  test('that share the rate all finish late, and say so in their own duration', () => {
    const { outcomes } = play({ ...WARM, neighbourPrefill: 'shared' }, 4, burst(4))
    expect(rounded(outcomes.map((o) => o.durations?.promptEvalMs))).toEqual([200, 200, 200, 200])
    expect(rounded(outcomes.map(residual))).toEqual([0, 0, 0, 0])
  })

  test('one after the other: the wait for neighbours is in no duration, though every call has its slot', () => {
    const { outcomes } = play({ ...WARM, neighbourPrefill: 'serial' }, 4, burst(4))
    expect(rounded(outcomes.map((o) => o.grantedMs))).toEqual([0, 0, 0, 0])
    expect(rounded(outcomes.map(residual))).toEqual([0, 50, 100, 150])
  })

  test('may make the answers of others stand still', () => {
    const [first] = play({ ...WARM, prefillStallsDecode: true }, 2, [{ atMs: 0 }, { atMs: 75 }]).outcomes
    expect(first?.endMs).toBeCloseTo(140 + 50)
  })
})

describe('loads', () => {
  test('a cold start stands whole in the load of everyone who waited for it, and in nobody else', () => {
    const { outcomes } = play({ loadMs: 300, prefillMs: 50 }, 4, [...burst(3), { atMs: 1_000 }])
    expect(rounded(outcomes.map((o) => o.durations?.loadMs))).toEqual([300, 300, 300, 0])
  })

  test('while the model loads, only so many may wait; a warm model never refuses', () => {
    const cold = play({ loadMs: 300, pendingCap: 2 }, 1, burst(10)).outcomes
    expect(cold.filter((o) => o.refused)).toHaveLength(7)
    const warm = play({ ...WARM, pendingCap: 2 }, 1, burst(10)).outcomes
    expect(warm.filter((o) => o.refused)).toHaveLength(0)
  })

  test('two contexts mixed swap once where warm calls pass, back and forth where they do not', () => {
    const mixed = Array.from({ length: 6 }, (_, i) => ({ atMs: 0, contextTokens: i % 2 === 0 ? 1_024 : 2_048 }))
    const settings = { ...WARM, contextTokens: 1_024, loadMs: 300 }
    const grouped = play(settings, 1, mixed).outcomes.map((o) => o.durations?.loadMs ?? 0)
    expect(rounded(grouped.filter((_, i) => i % 2 === 0))).toEqual([0, 0, 0])
    // Three warm calls of 140 ms each, then the load.
    expect(rounded(grouped.filter((_, i) => i % 2 === 1))).toEqual([720, 720, 720])
    const thrashing = play({ ...settings, warmBypass: false }, 1, mixed).outcomes.map((o) => o.durations?.loadMs ?? 0)
    expect(rounded(thrashing)).toEqual([0, 440, 880, 1_320, 1_760, 2_200])
  })

  test('a second model waits until the first is idle; with room for two it does not', () => {
    const asked = [{ atMs: 0 }, { atMs: 10, model: 'other' }]
    expect(play({ ...WARM, loadMs: 300 }, 4, asked).outcomes[1]?.durations?.loadMs).toBeCloseTo(130 + 300)
    expect(play({ ...WARM, loadMs: 300, maxLoadedModels: 2 }, 4, asked).outcomes[1]?.durations?.loadMs).toBeCloseTo(300)
  })

  test('an idle model goes after its keep-alive, the last request decides, and the next one loads again', () => {
    const settings = { ...WARM, loadMs: 300, keepAliveMs: 1_000 }
    const [, soon, late] = play(settings, 1, [{ atMs: 0 }, { atMs: 1_000 }, { atMs: 3_000 }]).outcomes
    expect(rounded([soon?.durations?.loadMs, late?.durations?.loadMs])).toEqual([0, 300])
    const [, kept] = play(settings, 1, [{ atMs: 0, keepAliveMs: Number.POSITIVE_INFINITY }, { atMs: 50_000 }]).outcomes
    expect(kept?.durations?.loadMs).toBe(0)
    const [, dropped] = play(settings, 1, [{ atMs: 0, keepAliveMs: 0 }, { atMs: 500 }]).outcomes
    expect(dropped?.durations?.loadMs).toBeCloseTo(300)
  })
})

describe('silences', () => {
  test('a call that queues again in the middle waits for those who came meanwhile, in none of its durations but the answer’s', () => {
    const [first, second] = play({ ...WARM, gapAtToken: 4, gapRequeues: true }, 1, burst(2)).outcomes
    // First: prompt and 4 tokens (80), then the second does the same (160), then its own other 6.
    expect(first?.endMs).toBeCloseTo(160 + 60)
    expect(second?.endMs).toBeCloseTo(160 + 60 + 60)
    expect([first?.tokens, second?.tokens]).toEqual([10, 10])
    expect(first?.durations?.loadMs).toBe(0)
  })

  test('before the first token and inside the answer stand in the times, not in prompt or queue', () => {
    const [before] = play({ ...WARM, silentMs: 400 }, 1, burst(1)).outcomes
    expect(before?.firstMs).toBeCloseTo(450)
    expect(residual(before ?? { tokens: 0, refused: false })).toBeCloseTo(400)
    const [inside] = play({ ...WARM, gapAtToken: 5, gapMs: 1_000 }, 1, burst(1)).outcomes
    expect(inside?.endMs).toBeCloseTo(50 + 90 + 1_000)
  })
})

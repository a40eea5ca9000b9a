import fc from 'fast-check'
import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import type { ModelCall, TurnTimeline } from '../../session/timeline.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { PARTS } from '../analysis.ts'
import { partsOf, sweepFacts, wallMsOf } from '../levels/level-facts.ts'
import { attributeCalls } from './attribute-calls.ts'
import { decomposeTurn } from './decompose-turn.ts'

const moment = fc.double({ min: 0, max: 5_000, noNaN: true })
const maybe = fc.option(moment)
const durationNs = fc.double({ min: 0, max: 3e9, noNaN: true })
const baseline = { shortestLoadMs: 1, gapMs: new Map(), residualMs: new Map() }

const anyCall: fc.Arbitrary<ModelCall> = fc
  .record({
    sentAtMs: moment,
    lengths: fc.tuple(moment, moment, moment),
    hasToken: fc.boolean(),
    purpose: fc.constantFrom('answer' as const, 'title' as const, 'memory' as const),
    server: fc.option(fc.record({ totalNs: durationNs, loadNs: durationNs, promptEvalNs: durationNs, evalNs: durationNs })),
  })
  .map(({ sentAtMs, lengths: [gap, stream, rest], hasToken, purpose, server }) => {
    const firstDeltaAtMs = hasToken ? sentAtMs + gap : null
    const lastDeltaAtMs = firstDeltaAtMs === null ? null : firstDeltaAtMs + stream
    return {
      index: 0,
      purpose,
      model: 'm',
      sentAtMs,
      headersAtMs: firstDeltaAtMs,
      firstByteAtMs: firstDeltaAtMs,
      firstDeltaAtMs,
      firstTextAtMs: firstDeltaAtMs,
      lastDeltaAtMs,
      endAtMs: (lastDeltaAtMs ?? sentAtMs) + rest,
      endMarker: hasToken,
      outcome: 'completed',
      httpStatus: 200,
      problem: null,
      promptTokens: null,
      outputTokens: null,
      tokensEstimated: false,
      server,
      maxChunksPerRead: 1,
      resent: false,
    }
  })

const anyTimeline: fc.Arbitrary<TurnTimeline> = fc.record({
  acceptedAtMs: moment,
  runnerStartAtMs: maybe,
  firstModelRequestAtMs: maybe,
  firstActivityAtMs: maybe,
  doneAtMs: maybe,
  backgroundEndAtMs: moment,
  outcome: fc.constantFrom('completed' as const, 'failed' as const, 'cut' as const),
  problem: fc.constant(null),
  calls: fc.array(anyCall, { maxLength: 4 }),
  tools: fc.array(fc.record({ name: fc.constant('read'), startAtMs: moment, endAtMs: moment, ok: fc.boolean(), summary: fc.constant('') }), {
    maxLength: 3,
  }),
})

const anyRow: fc.Arbitrary<TurnRow> = fc.record({
  cell: fc.constant(0),
  wave: fc.constant(0),
  session: fc.constant(0),
  plannedAtMs: moment,
  submitAtMs: moment,
  acceptedAtMs: maybe,
  firstActivityAtMs: maybe,
  doneAtMs: maybe,
  endAtMs: moment,
  outcome: fc.constantFrom('completed' as const, 'failed' as const, 'cut' as const),
  problem: fc.constant(null),
  timeline: fc.option(anyTimeline),
  receiveLagMs: fc.constant(null),
})

const sumOf = (parts: Readonly<Record<string, number>>) => PARTS.reduce((sum, part) => sum + (parts[part] ?? 0), 0)

test('whatever the stamps say, the parts add up to the wall and none is negative', () => {
  fc.assert(
    fc.property(anyRow, fc.option(fc.integer({ min: 1, max: 3 })), (row, slots) => {
      const calls = row.timeline?.calls ?? []
      const attributed = attributeCalls(calls, slots, baseline)
      const parts = decomposeTurn(
        row,
        calls.map((call) => attributed.get(call)),
      )
      const wallMs = Math.max(0, wallMsOf(row))
      expect(Math.abs(sumOf(parts) - wallMs)).toBeLessThanOrEqual(Math.max(1e-6, 1e-9 * wallMs))
      for (const part of PARTS) expect(parts[part]).toBeGreaterThanOrEqual(0)
    }),
    { numRuns: 300 },
  )
})

test('on a whole sweep with tools, background and a queue, every turn adds up, and every part that was played is found', () => {
  const events = syntheticSweep({
    slots: 2,
    levels: [1, 6],
    prefillMs: 40,
    tokenMs: 8,
    outputTokens: 12,
    runnerMs: 15,
    steps: { calls: 2, toolMs: 60 },
    background: { calls: 2, tokens: 6 },
    seed: 5,
  })
  const state = sweepStateOf(events)
  const turns = state === undefined ? [] : sweepFacts(state).levels.flatMap((level) => level.turns)
  for (const turn of turns) expect(Math.abs(sumOf(partsOf(turn)) - wallMsOf(turn.row))).toBeLessThanOrEqual(Math.max(1, 0.005 * wallMsOf(turn.row)))
  const [alone] = turns.filter(({ row }) => row.session === 0 && row.cell === 1).map(partsOf)
  expect(alone?.tools).toBeCloseTo(60, 0)
  expect(alone?.runner).toBeGreaterThan(14)
  expect(alone?.decode).toBeGreaterThan(170)
  expect(alone?.background).toBeGreaterThan(2 * (40 + 5 * 8) - 5)
})

test('queueing of background calls counts as queue, their service as background', () => {
  const state = sweepStateOf(
    syntheticSweep({
      slots: 1,
      levels: [1, 4],
      prefillMs: 40,
      tokenMs: 8,
      outputTokens: 12,
      background: { calls: 1, tokens: 6 },
      seed: 5,
      noiseRatio: 0,
    }),
  )
  const level = state === undefined ? undefined : sweepFacts(state).levels.find(({ level: { n } }) => n === 4)
  const [firstServed] = level?.turns.filter(({ row }) => row.session === 0).map(partsOf) ?? []
  expect(firstServed?.queue).toBeGreaterThan(300)
  expect(firstServed?.background).toBeLessThan(90)
})

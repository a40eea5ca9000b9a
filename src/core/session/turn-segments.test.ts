import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ModelCall, TurnTimeline } from './timeline.ts'
import { turnSegments } from './turn-segments.ts'

const call = (patch: Partial<ModelCall> = {}): ModelCall => ({
  index: 0,
  purpose: 'answer',
  model: 'm',
  sentAtMs: 10,
  headersAtMs: 110,
  firstByteAtMs: 110,
  firstDeltaAtMs: 110,
  firstTextAtMs: 110,
  lastDeltaAtMs: 210,
  endAtMs: 211,
  endMarker: true,
  outcome: 'completed',
  httpStatus: 200,
  problem: null,
  promptTokens: 10,
  outputTokens: 10,
  tokensEstimated: false,
  server: { totalNs: 200e6, loadNs: 5e6, promptEvalNs: 35e6, evalNs: 100e6 },
  maxChunksPerRead: 1,
  resent: false,
  ...patch,
})

const timeline = (patch: Partial<TurnTimeline> = {}): TurnTimeline => ({
  acceptedAtMs: 0,
  runnerStartAtMs: 4,
  firstModelRequestAtMs: 10,
  firstActivityAtMs: 110,
  doneAtMs: 212,
  backgroundEndAtMs: 300,
  outcome: 'completed',
  problem: null,
  calls: [call()],
  tools: [],
  ...patch,
})

test('a turn reads as admission, runner, queue, load, prefill, decode, background', () => {
  expect(turnSegments(timeline()).map((s) => [s.part, s.toMs - s.fromMs])).toEqual([
    ['queue', 4],
    ['runner', 6],
    ['queue', 60],
    ['load', 5],
    ['prefill', 35],
    ['decode', 100],
    ['runner', 2],
    ['background', 88],
  ])
})

test('a server that says nothing of its time is never said to queue', () => {
  expect(turnSegments(timeline({ calls: [call({ server: null })] })).map((s) => s.part)).toEqual([
    'queue',
    'runner',
    'prefill',
    'decode',
    'runner',
    'background',
  ])
})

test('a turn that ended while it waited is all queue', () => {
  const waited = timeline({ runnerStartAtMs: null, doneAtMs: null, calls: [], outcome: 'cut', backgroundEndAtMs: 50 })
  expect(turnSegments(waited)).toEqual([{ part: 'queue', fromMs: 0, toMs: 50 }])
})

test('whatever the stamps, segments cover the turn without gap or overlap', () => {
  const stamp = fc.double({ min: 0, max: 1000, noNaN: true })
  fc.assert(
    fc.property(stamp, stamp, stamp, stamp, stamp, stamp, (start, sent, first, last, done, end) => {
      const t = timeline({
        runnerStartAtMs: start,
        doneAtMs: done,
        backgroundEndAtMs: end,
        calls: [call({ sentAtMs: sent, firstDeltaAtMs: first, lastDeltaAtMs: last })],
      })
      const segments = turnSegments(t)
      let at = 0
      for (const s of segments) {
        expect(s.fromMs).toBe(at)
        expect(s.toMs).toBeGreaterThan(s.fromMs)
        at = s.toMs
      }
      expect(at).toBeGreaterThanOrEqual(end)
    }),
  )
})

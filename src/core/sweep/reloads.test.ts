import { expect, test } from 'vitest'
import type { ModelCall } from '../session/timeline.ts'
import { countLoads, ruleOnLoads } from './reloads.ts'
import type { TurnRow } from './turn-row.ts'

const call = (sentAtMs: number, loadMs: number): ModelCall => ({
  index: 0,
  purpose: 'answer',
  model: 'm',
  sentAtMs,
  headersAtMs: null,
  firstByteAtMs: null,
  firstDeltaAtMs: null,
  firstTextAtMs: null,
  lastDeltaAtMs: null,
  endAtMs: sentAtMs + loadMs + 100,
  endMarker: true,
  outcome: 'completed',
  httpStatus: 200,
  problem: null,
  promptTokens: null,
  outputTokens: null,
  tokensEstimated: false,
  server: { totalNs: 0, loadNs: loadMs * 1e6, promptEvalNs: 0, evalNs: 0 },
  maxChunksPerRead: 1,
  resent: false,
})
const row = (sentAtMs: number, loadMs: number): TurnRow => ({
  cell: 1,
  wave: 0,
  session: 0,
  plannedAtMs: sentAtMs,
  submitAtMs: sentAtMs,
  acceptedAtMs: null,
  firstActivityAtMs: null,
  doneAtMs: null,
  endAtMs: sentAtMs + loadMs + 100,
  outcome: 'completed',
  problem: null,
  timeline: {
    acceptedAtMs: 0,
    runnerStartAtMs: 0,
    firstModelRequestAtMs: 0,
    firstActivityAtMs: 0,
    doneAtMs: 0,
    backgroundEndAtMs: 0,
    outcome: 'completed',
    problem: null,
    calls: [call(sentAtMs, loadMs)],
    tools: [],
  },
  receiveLagMs: null,
})

test('M4: one load, seen by all requests that waited for it, counts once', () => {
  expect(countLoads([row(0, 2_000), row(50, 1_950), row(120, 1_900)], false)).toBe(1)
})

test('M4: loads one after the other count each', () => {
  expect(countLoads([row(0, 1_200), row(0, 2_600), row(3_000, 1_100)], false)).toBe(3)
})

test('M4: the load of a warm model is scheduling, unless the process list did not hold it', () => {
  expect(countLoads([row(0, 60), row(0, 300)], false)).toBe(0)
  expect(countLoads([row(0, 60), row(0, 300)], true)).toBe(1)
})

test('M4: a single load voids the cell, loads that recur are the finding', () => {
  const rule = (loads: number, cellsVoidedBefore = 0, mixed = false) => ruleOnLoads({ loads, cellsVoidedBefore, mixed })
  expect(rule(0)).toBe('none')
  expect(rule(1)).toBe('single')
  expect(rule(3)).toBe('recurring')
  expect(rule(1, 2)).toBe('recurring')
  expect(rule(1, 0, true)).toBe('recurring')
})

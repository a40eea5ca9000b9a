import { expect, test } from 'vitest'
import type { ModelCall } from '../../session/timeline.ts'
import { countLoads, loadKinds } from './load-kinds.ts'

/** A call of 200 ms after its load. */
function call(sentAtMs: number, loadMs: number, waitMs = 0): ModelCall {
  const firstMs = sentAtMs + loadMs + waitMs + 50
  const stamps = {
    headersAtMs: firstMs,
    firstByteAtMs: firstMs,
    firstDeltaAtMs: firstMs,
    firstTextAtMs: firstMs,
    lastDeltaAtMs: firstMs + 150,
    endAtMs: firstMs + 150,
  }
  return {
    index: 0,
    purpose: 'answer',
    model: 'm',
    sentAtMs,
    ...stamps,
    endMarker: true,
    outcome: 'completed',
    httpStatus: 200,
    problem: null,
    promptTokens: 40,
    outputTokens: 16,
    tokensEstimated: false,
    server: { totalNs: (loadMs + waitMs + 200) * 1e6, loadNs: loadMs * 1e6, promptEvalNs: 5e7, evalNs: 15e7 },
    maxChunksPerRead: 1,
    resent: false,
  }
}

const kindsOf = (calls: readonly ModelCall[]) => [...loadKinds(calls, 2).values()]

test('a warm load of some milliseconds is scheduling', () => {
  expect(kindsOf([call(0, 2), call(0.1, 17)])).toEqual(['warm', 'warm'])
})

test('so is one of some hundred milliseconds in a call of many seconds, on a machine with too much to do', () => {
  expect(kindsOf([call(0, 2), call(0.1, 180, 12_000)])).toEqual(['warm', 'warm'])
})

test('a cold start stands in every call that waited for it, and is one load', () => {
  const calls = [call(0, 265), call(0.1, 265.2), call(0.2, 266, 150), call(900, 2)]
  expect(kindsOf(calls)).toEqual(['cold', 'cold', 'cold', 'warm'])
  expect(countLoads(calls.slice(0, 3))).toBe(1)
})

test('a load that only some calls waited for is a swap', () => {
  const calls = [call(0, 2), call(0.1, 1126), call(0.2, 2, 200), call(0.3, 1127, 200)]
  expect(kindsOf(calls)).toEqual(['warm', 'swap', 'warm', 'swap'])
})

test('loads one after another in one burst are swaps, each counted', () => {
  const calls = [call(0, 686), call(0.1, 1392), call(0.2, 2070)]
  expect(kindsOf(calls)).toContain('swap')
  expect(countLoads(calls)).toBe(3)
})

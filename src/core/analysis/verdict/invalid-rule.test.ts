import { expect, test } from 'vitest'
import { analysisOf, syntheticState, verdictOf, withCalls } from '../../../../test/synthetic-analysis.ts'
import type { ModelCall } from '../../session/timeline.ts'
import { analyse } from '../analyse.ts'

const MANY = { slots: 1_000 }
const inOnePiece = (call: ModelCall): ModelCall =>
  call.lastDeltaAtMs === null
    ? call
    : {
        ...call,
        headersAtMs: call.lastDeltaAtMs - 1,
        firstByteAtMs: call.lastDeltaAtMs,
        firstDeltaAtMs: call.lastDeltaAtMs - 0.2,
        maxChunksPerRead: 20,
      }

test.each([
  ['with the server’s own durations', inOnePiece],
  ['without them', (call: ModelCall) => ({ ...inOnePiece(call), server: null })],
  ['in one chunk, without them', (call: ModelCall) => ({ ...inOnePiece(call), server: null, maxChunksPerRead: 1 })],
])('answers that come in one piece at their end: a proxy buffers the stream (%s)', (_, change) => {
  for (const slots of [1, 1_000]) {
    const { verdict } = analyse(withCalls(syntheticState({ slots, levels: [1, 2, 4] }), change))
    expect(verdict).toMatchObject({ primary: 'invalid_measurement', mechanism: 'proxy buffers the stream' })
  }
})

test('long prompts with short, quick answers are not held back: the server says that it decoded for no longer', () => {
  expect(verdictOf({ ...MANY, prefillMs: 2_000, tokenMs: 1.5, outputTokens: 12, waves: 6 }).primary).toBe('none_reached')
})

test('chunks that a blocked event loop let pile up are the runner’s, not a proxy’s', () => {
  const state = withCalls(syntheticState({ levels: [1, 2, 4, 8], faults: { runnerBlockMs: 400 } }), (call) => ({ ...call, maxChunksPerRead: 12 }))
  const piled = {
    ...state,
    rows: state.rows.map((row) =>
      state.cells[row.cell]?.cell.n === 1
        ? { ...row, timeline: row.timeline && { ...row.timeline, calls: row.timeline.calls.map((call) => ({ ...call, maxChunksPerRead: 1 })) } }
        : row,
    ),
  }
  expect(analyse(piled).verdict.primary).toBe('runner_process')
})

test('tool calls arrive whole, and nobody held them back', () => {
  const state = withCalls(syntheticState({ ...MANY, waves: 6 }), (call) => ({ ...inOnePiece(call), firstTextAtMs: null, maxChunksPerRead: 1 }))
  expect(analyse(state).verdict.primary).not.toBe('invalid_measurement')
})

const read = (call: ModelCall, ratio: number): ModelCall =>
  call.server === null ? call : { ...call, server: { ...call.server, promptEvalNs: call.server.promptEvalNs * ratio } }

test('prompts of which half were read in a tenth of the time came out of a cache', () => {
  const { verdict } = analyse(withCalls(syntheticState({ ...MANY, waves: 6 }), (call, row) => read(call, row.wave % 2 === 0 ? 1 : 0.1)))
  expect(verdict).toMatchObject({ primary: 'invalid_measurement', mechanism: 'prefix cache answers' })
})

test('prompts that a crowd reads sooner than one session alone came out of a cache', () => {
  const state = syntheticState({ ...MANY, closing: false })
  const { verdict } = analyse(withCalls(state, (call, row) => read(call, state.cells[row.cell]?.cell.n === 1 ? 1 : 0.2)))
  expect(verdict.mechanism).toBe('prefix cache answers')
})

test('a server that says how much came from its cache is believed', () => {
  const cached = (tokens: number) =>
    analyse(withCalls(syntheticState({ ...MANY, waves: 6 }), (call) => ({ ...call, cachedPromptTokens: tokens }))).verdict.primary
  expect(cached(60)).toBe('invalid_measurement')
  expect(cached(20)).toBe('none_reached')
})

test('prompts that are read faster than any machine computes came out of a cache, and a slow first prompt alone means nothing', () => {
  const quick = (ratio: number) => {
    const state = syntheticState({ ...MANY, waves: 6, prefillMs: 200 })
    return analyse(
      withCalls(state, (call, row) => ({ ...read(call, state.cells[row.cell]?.cell.role === 'warm-up' ? 1 : ratio), promptTokens: 600 })),
    ).verdict
  }
  // 600 tokens in 10 ms, where one token of an answer takes 10 ms; then in 40 ms.
  expect(quick(0.05)).toMatchObject({ primary: 'invalid_measurement', mechanism: 'prefix cache answers' })
  expect(quick(0.2).primary).toBe('none_reached')
})

test('an engine that is quicker altogether once it is warm has no cache to thank', () => {
  const state = syntheticState({ ...MANY, waves: 6 })
  const warm = withCalls(state, (call, row) => {
    const quicker = read(call, row.wave === 0 ? 1 : 0.4)
    return quicker.server === null ? call : { ...quicker, server: { ...quicker.server, evalNs: quicker.server.evalNs * (row.wave === 0 ? 1 : 0.4) } }
  })
  expect(analyse(warm).verdict.primary).not.toBe('invalid_measurement')
})

test('slots that change between repeats: the server changed under the sweep', () => {
  const verdict = verdictOf({ levels: [1, 2, 8, 16], repeats: 3, waves: 1, slotsOfCell: (index) => (index < 6 ? 4 : 2) })
  expect(verdict).toMatchObject({ primary: 'invalid_measurement', mechanism: 'the server changed under the sweep' })
  expect(verdictOf({ levels: [1, 2, 8, 16], repeats: 3, waves: 1 }).primary).toBe('model_server_queue')
})

test('stamps that run backwards are a clock that jumped', () => {
  const { verdict } = analyse(
    withCalls(syntheticState(), (call, row) => (row.session === 0 ? { ...call, endAtMs: call.sentAtMs - 3_600_000 } : call)),
  )
  expect(verdict).toMatchObject({ primary: 'invalid_measurement', mechanism: 'a clock jumped' })
})

test('one cold start inside the cells that count makes a level incomparable, but only where it weighs', () => {
  const state = syntheticState({ ...MANY, levels: [1, 4], waves: 4, closing: false })
  const load = (cell: number, ms: number) => {
    const rows = state.rows.map((row) =>
      row.cell === cell && row.wave === 0 ? { ...row, plannedAtMs: row.plannedAtMs - ms, submitAtMs: row.submitAtMs - ms } : row,
    )
    const slow = (call: ModelCall): ModelCall =>
      call.server === null
        ? call
        : { ...call, sentAtMs: call.sentAtMs - ms, server: { ...call.server, loadNs: ms * 1e6, totalNs: call.server.totalNs + ms * 1e6 } }
    return analyse(withCalls({ ...state, rows }, (call, row) => (row.cell === cell && row.wave === 0 ? slow(call) : call))).verdict
  }
  expect(load(2, 800)).toMatchObject({ primary: 'invalid_measurement', mechanism: 'cold start inside the measured cells' })
  expect(load(0, 800).primary).toBe('none_reached')
})

test('M5: a cause that drift could have made is taken back as an invalid measurement', () => {
  const verdict = verdictOf({ ...MANY, waves: 6, tokenMs: (active) => 10 * active ** 0.2, faults: { driftRatio: 0.9 } })
  expect(['invalid_measurement', 'inconclusive']).toContain(verdict.primary)
  expect(analysisOf({ ...MANY, waves: 6 }).verdict.primary).toBe('none_reached')
})

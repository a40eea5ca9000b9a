import { expect, test } from 'vitest'
import { shiftRow } from './shift-row.ts'
import type { TurnRow } from './turn-row.ts'

const ORIGIN = 5_000
const at = (ms: number) => ORIGIN + ms

const row: TurnRow = {
  cell: 1,
  wave: 2,
  session: 3,
  plannedAtMs: at(1),
  submitAtMs: at(2),
  acceptedAtMs: at(3),
  firstActivityAtMs: at(8),
  doneAtMs: null,
  endAtMs: at(12),
  outcome: 'failed',
  problem: null,
  receiveLagMs: 0.4,
  timeline: {
    acceptedAtMs: at(3),
    runnerStartAtMs: at(4),
    firstModelRequestAtMs: at(5),
    firstActivityAtMs: at(8),
    doneAtMs: null,
    backgroundEndAtMs: at(12),
    outcome: 'failed',
    problem: null,
    tools: [{ name: 'read', startAtMs: at(9), endAtMs: at(10), ok: true, summary: '' }],
    calls: [
      {
        index: 0,
        purpose: 'answer',
        model: 'm',
        sentAtMs: at(5),
        headersAtMs: at(6),
        firstByteAtMs: at(7),
        firstDeltaAtMs: at(8),
        firstTextAtMs: null,
        lastDeltaAtMs: at(8),
        endAtMs: at(9),
        endMarker: false,
        outcome: 'failed',
        httpStatus: 200,
        problem: null,
        promptTokens: null,
        outputTokens: 1,
        tokensEstimated: true,
        server: { totalNs: at(1), loadNs: at(2), promptEvalNs: 0, evalNs: 0 },
        maxChunksPerRead: 1,
        resent: false,
      },
    ],
  },
}

/** Every number behind a key that ends in AtMs. */
function stampsIn(value: unknown): number[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, inner]) => (key.endsWith('AtMs') && typeof inner === 'number' ? [inner] : stampsIn(inner)))
}

test('every stamp of a row counts from the beginning of the sweep, and nothing else is touched', () => {
  const shifted = shiftRow(row, ORIGIN)
  const stamps = stampsIn(shifted)
  expect(stamps).toHaveLength(stampsIn(row).length)
  for (const stamp of stamps) expect(stamp).toBeLessThanOrEqual(12)
  expect(shifted.timeline?.calls[0]?.server).toEqual(row.timeline?.calls[0]?.server)
  expect(shifted).toMatchObject({ doneAtMs: null, receiveLagMs: 0.4, wave: 2 })
})

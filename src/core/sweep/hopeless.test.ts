import { expect, test } from 'vitest'
import { risesWithoutEnd } from './hopeless.ts'
import { createSeededRandom } from './seeded-random.ts'
import type { TurnRow } from './turn-row.ts'

/** One server of one slot, arrivals at random moments, so many a second. */
function arrivals(ratePerSec: number, spanMs: number, serviceMs: number, seed: number): TurnRow[] {
  const random = createSeededRandom(`arrivals/${seed}`)
  const rows: TurnRow[] = []
  let freeAtMs = 0
  for (let atMs = 0; atMs < spanMs; atMs += (-1_000 * Math.log(1 - random.next())) / ratePerSec) {
    const startMs = Math.max(atMs, freeAtMs)
    freeAtMs = startMs + serviceMs * (0.8 + 0.4 * random.next())
    const row = { cell: 0, wave: 0, session: rows.length, plannedAtMs: atMs, submitAtMs: atMs, acceptedAtMs: atMs, receiveLagMs: 0 }
    rows.push({ ...row, firstActivityAtMs: startMs + 20, doneAtMs: freeAtMs, endAtMs: freeAtMs, outcome: 'completed', problem: null, timeline: null })
  }
  return rows
}

const found = (ratePerSec: number) =>
  Array.from({ length: 40 }, (_, seed) => risesWithoutEnd(arrivals(ratePerSec, 20_000, 400, seed))).filter(Boolean).length

test('twice as many arrivals as the server can serve rise without end, whatever the draw', () => {
  expect(found(5)).toBe(40)
})

test('at half of what it can serve hardly any draw looks hopeless', () => {
  expect(found(1.25)).toBeLessThanOrEqual(3)
})

test('few turns, turns that all begin at once and a steady server are not hopeless', () => {
  expect(risesWithoutEnd(arrivals(5, 1_500, 400, 1))).toBe(false)
  expect(risesWithoutEnd(arrivals(5, 20_000, 400, 1).map((row) => ({ ...row, plannedAtMs: 0 })))).toBe(false)
  expect(risesWithoutEnd(arrivals(5, 20_000, 1, 1))).toBe(false)
})

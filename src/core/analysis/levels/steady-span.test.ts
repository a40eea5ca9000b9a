import fc from 'fast-check'
import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { type SweepState, sweepStateOf } from '../../sweep/fold-sweep.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { analyse } from '../analyse.ts'
import { sweepFacts } from './level-facts.ts'
import { measuredLevels } from './measured-levels.ts'
import { steadySpan, timeSlices } from './steady-span.ts'

const rowAt = (session: number, turn: number, submitAtMs: number, endAtMs: number): TurnRow => ({
  ...{
    cell: 1,
    wave: 0,
    session,
    turn,
    plannedAtMs: submitAtMs,
    submitAtMs,
    acceptedAtMs: null,
    firstActivityAtMs: endAtMs,
    doneAtMs: endAtMs,
    endAtMs,
  },
  ...{ outcome: 'completed', problem: null, timeline: null, receiveLagMs: null },
})

/** `n` sessions one turn after the other, with `gapMs` between two. */
const chains = (n: number, turns: number, wallMs: number, gapMs: number) =>
  Array.from({ length: n * turns }, (_, i) => {
    const [session, turn] = [i % n, Math.floor(i / n)]
    const atMs = 1_000 + turn * (wallMs + gapMs) + session
    return rowAt(session, turn, atMs, atMs + wallMs)
  })

test('M7: the steady span is the longest with nine tenths of N in flight: the drain, a long dip and what lies before it are out', () => {
  expect(steadySpan(chains(10, 5, 200, 2), 10)).toEqual({ fromMs: 1_008, toMs: 1_000 + 4 * 202 + 201 })
  // Two of ten sessions stop for a second: eight are too few.
  const dip = chains(10, 12, 200, 2).map((row) =>
    row.session < 2 && (row.turn ?? 0) >= 2 ? { ...row, submitAtMs: row.submitAtMs + 1_000, endAtMs: row.endAtMs + 1_000 } : row,
  )
  const span = steadySpan(dip, 10)
  expect(span?.fromMs).toBe(1_000 + 2 * 202 + 1_000)
  expect(span?.toMs).toBeLessThan(1_000 + 12 * 202 + 10)
  expect(steadySpan(chains(8, 5, 200, 2), 10)).toBeNull()
  expect(steadySpan([], 4)).toBeNull()
})

test('a span holds what was asked for at every moment, the short gaps between two turns aside', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 2, max: 8 }), fc.integer({ min: 60, max: 400 }), (n, turns, wallMs) => {
      const rows = chains(n, turns, wallMs, 1)
      const span = steadySpan(rows, n)
      if (span === null) throw new Error('N were in flight')
      for (let atMs = span.fromMs; atMs < span.toMs; atMs += 7) {
        const inFlight = rows.filter((row) => row.submitAtMs - 1 <= atMs && row.endAtMs + 1 >= atMs).length
        expect(inFlight).toBeGreaterThanOrEqual(Math.ceil(0.9 * n))
      }
      const slices = timeSlices(rows, span, n)
      const inSlices = slices.flatMap((slice) => slice.rows)
      expect(new Set(inSlices).size).toBe(inSlices.length)
      expect(inSlices).toHaveLength(rows.filter((row) => row.submitAtMs >= span.fromMs && row.submitAtMs < span.toMs).length)
    }),
    { numRuns: 40 },
  )
})

/** The waves of a synthetic sweep, each laid behind the one before as a turn of the same sessions: a sustained cell. */
function sustainedState(): SweepState {
  const state = sweepStateOf(syntheticSweep({ slots: 2, levels: [1, 4], prefillMs: 50, tokenMs: 10, outputTokens: 20, waves: 12, seed: 3 }))
  if (state === undefined) throw new Error('a started sweep has a state')
  const isLoaded = (index: number) => state.cells[index]?.cell.role !== 'warm-up'
  return {
    ...state,
    cells: state.cells.map((one) =>
      isLoaded(one.cell.index)
        ? { ...one, cell: { ...one.cell, waves: 1, load: { kind: 'sustained' as const, spanMs: 5_000, ratePerSec: null } } }
        : one,
    ),
    rows: state.rows.map((row) => (isLoaded(row.cell) ? { ...row, wave: 0, turn: row.wave } : row)),
  }
}

test('M7: a sustained level is measured in slices, without its first wave, and its parts still sum to its wall', () => {
  const state = sustainedState()
  const level = measuredLevels(state).find(({ n }) => n === 1)
  expect(level?.waves.length).toBeGreaterThan(2)
  for (const wave of level?.waves ?? []) {
    expect(wave.slice).toBeDefined()
    for (const row of wave.rows) expect(row.turn ?? 0).toBeGreaterThan(0)
  }
  for (const { waves } of sweepFacts(state).levels) {
    for (const block of waves) expect(Object.values(block.parts).reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(block.wallMs, 3)
  }
})

test('an open cell shows by its rate, and no ceiling, growth or curve knows of it', () => {
  const state = sustainedState()
  const open = { kind: 'open' as const, spanMs: 5_000, ratePerSec: 3 }
  const opened = { ...state, cells: state.cells.map((one) => (one.cell.n === 4 ? { ...one, cell: { ...one.cell, load: open } } : one)) }
  const levels = measuredLevels(opened)
  expect(levels.map(({ n, ratePerSec }) => (ratePerSec === undefined ? `N=${n}` : `${ratePerSec}/s`))).toEqual(['N=1', '3/s'])
  const analysis = analyse(opened)
  expect(analysis.levels.find((level) => level.ratePerSec === 3)?.sessions).toBeGreaterThan(10)
  expect(analysis.growth).toBeNull()
  for (const ceiling of Object.values(analysis.ceilings)) expect(ceiling.n ?? 1).toBeLessThanOrEqual(1)
  // Only open cells: nothing is claimed of N.
  const onlyOpen = {
    ...opened,
    cells: opened.cells.map((one) => (one.cell.role === 'warm-up' ? one : { ...one, cell: { ...one.cell, load: open } })),
  }
  expect(['inconclusive', 'invalid_measurement']).toContain(analyse(onlyOpen).verdict.primary)
})

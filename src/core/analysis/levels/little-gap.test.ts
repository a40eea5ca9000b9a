import { expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { type LevelFacts, sweepFacts } from './level-facts.ts'
import { levelHardware } from './level-samples.ts'
import { littleGap } from './little-gap.ts'

const hardware = levelHardware([])

/** Four sessions, each starting its next turn of `wallMs` as soon as the last has ended, but for `pauseMs`. */
function sustained(wallMs: number, pauseMs: number, sessions = 4): LevelFacts {
  const state = sweepStateOf(syntheticSweep({ slots: 8, levels: [1, 4], prefillMs: 50, tokenMs: 10, outputTokens: 20, waves: 1, seed: 3 }))
  const facts = state === undefined ? undefined : sweepFacts(state).levels.find(({ level }) => level.n === 4)
  const [wave] = facts?.level.waves ?? []
  const [row] = wave?.rows ?? []
  if (facts === undefined || wave === undefined || row === undefined) throw new Error('the level was measured')
  const rows = Array.from({ length: 20 * sessions }, (_, index): TurnRow => {
    const [session, turn] = [index % sessions, Math.floor(index / sessions)]
    const submitAtMs = 1_000 + 13 * session + turn * (wallMs + pauseMs)
    return { ...row, session, turn, plannedAtMs: submitAtMs, submitAtMs, endAtMs: submitAtMs + wallMs }
  })
  const cell = { ...wave.cell, cell: { ...wave.cell.cell, load: { kind: 'sustained' as const, spanMs: 4_000, ratePerSec: null } } }
  return { ...facts, level: { ...facts.level, cells: [cell], waves: [{ ...wave, cell, rows }] } }
}

test('M9: where N turns stay in flight the gap is nothing, the drain left out', () => {
  expect(Math.abs(littleGap(sustained(200, 0), hardware) ?? 1)).toBeLessThan(0.02)
})

test('M9: pauses between turns, or sessions that never came, are a gap', () => {
  expect(littleGap(sustained(200, 100), hardware)).toBeCloseTo(-1 / 3, 1)
  expect(littleGap(sustained(200, 0, 3), hardware)).toBeCloseTo(-0.25, 1)
})

import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { measuredLevels } from '../levels/measured-levels.ts'
import { readsPromptsInTurn } from './prompts-in-turn.ts'

function levelsOf(changes: Partial<SyntheticSettings>) {
  const state = sweepStateOf(
    syntheticSweep({ slots: 4, levels: [1, 8], prefillMs: 100, tokenMs: 2, outputTokens: 16, waves: 3, seed: 3, ...changes }),
  )
  return state === undefined ? [] : measuredLevels(state)
}
const atEight = (changes: Partial<SyntheticSettings>) =>
  levelsOf(changes)
    .filter(({ n }) => n === 8)
    .map(readsPromptsInTurn)

test.each([1, 2, 4, 16])('a server with %i slots that reads prompts beside each other is none', (slots) => {
  expect(atEight({ slots })).toEqual([false])
})

test('prompts that follow each other without a pause, while answers stream on, are read in turn; with a pause after each they are not', () => {
  const [level] = levelsOf({ slots: 16 }).filter(({ n }) => n === 8)
  if (level === undefined) throw new Error('no level')
  const shifted = (everyMs: number) => ({
    ...level,
    waves: level.waves.map((wave) => ({
      ...wave,
      rows: wave.rows.map((row, index) => {
        const call = row.timeline?.calls[0]
        if (row.timeline === null || call === undefined) return row
        const firstMs = row.plannedAtMs + everyMs * (index + 1)
        const server = { totalNs: (everyMs * index + 130) * 1e6, loadNs: 1e6, promptEvalNs: 100e6, evalNs: 30e6 }
        return { ...row, timeline: { ...row.timeline, calls: [{ ...call, firstDeltaAtMs: firstMs, endAtMs: firstMs + 30, server }] } }
      }),
    })),
  })
  expect(readsPromptsInTurn(shifted(100))).toBe(true)
  // One slot: the next prompt is read when the answer before is at its end.
  expect(readsPromptsInTurn(shifted(131))).toBe(false)
})

import { expect, test } from 'vitest'
import { effectiveSlots } from '../analysis/calls/effective-slots.ts'
import { sweepIdSchema } from '../result/ids.ts'
import { type Mode, type SweepRequestInput, sweepRequestSchema } from './plan.ts'
import { planSweep } from './plan-sweep.ts'
import { rungsOf } from './rung-facts.ts'
import { type SimulatedSweep, simulateSweep, type ThoughtServer } from './simulate-sweep.ts'

const sweepId = sweepIdSchema.parse('s')

const plan = (mode: Mode, input: Partial<SweepRequestInput> = {}) =>
  planSweep(sweepRequestSchema.parse({ target: { kind: 'server', url: 'http://fake', model: 'm' }, mode, ...input }), { sweepId })

/** 50 ms prefill, 10 ms a token, answers of 48 tokens and notes of 16. */
const server = (slots: number, change: Partial<ThoughtServer> = {}): ThoughtServer => ({
  slots,
  prefillMs: () => 50,
  decodeMs: (_, tokens) => 10 * tokens,
  nullSessionMs: 3,
  promptTokens: 60,
  answerTokens: 48,
  noteTokens: 16,
  ...change,
})

const play = (mode: Mode, of: ThoughtServer, input: Partial<SweepRequestInput> = {}) => {
  const made = plan(mode, input)
  return { ...simulateSweep(made, of), plan: made }
}

const levelsOf = (sweep: SimulatedSweep) =>
  [
    ...new Set(
      sweep.cells
        .filter(({ cell, status }) => status === 'done' && cell.leg === 'runner' && cell.role === 'measure' && cell.arm === undefined)
        .map(({ cell }) => cell.n),
    ),
  ].sort((a, b) => a - b)
const rungs = (sweep: ReturnType<typeof play>) => rungsOf({ ...sweep, elapsedMs: sweep.ms })

test.each([1, 2, 3, 4, 5, 6, 7, 8, 11, 12, 13, 16, 24])(
  'quick on %i slots: the slots come out exact within 50 s, and the knee is measured itself',
  (slots) => {
    const sweep = play('quick', server(slots))
    expect(rungs(sweep).slots).toBe(slots)
    expect(effectiveSlots(rungs(sweep).levels.map(({ overlap }) => overlap))).toEqual({ n: slots, plateau: true })
    const levels = levelsOf(sweep)
    expect(levels).toContain(slots)
    expect(levels.at(-1)).toBeGreaterThanOrEqual(2 * slots)
    // The largest level below the knee bounds the ceiling from below: within a factor of 2.
    expect(2 * (levels.findLast((n) => n < slots) ?? slots)).toBeGreaterThanOrEqual(slots)
    expect(sweep.ms).toBeLessThan(50_000)
  },
)

test('quick on 1,000 slots goes up to 64, says that it stops there, and names no knee', () => {
  const sweep = play('quick', server(1_000))
  expect(levelsOf(sweep)).toEqual([1, 2, 4, 8, 16, 32, 64])
  expect(rungs(sweep).slots).toBeNull()
  expect(sweep.cells.find(({ status }) => status === 'skipped')).toMatchObject({ cell: { n: 128 }, because: expect.stringContaining('64') })
  expect(sweep.ms).toBeLessThan(50_000)
})

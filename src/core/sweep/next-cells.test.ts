import { expect, test } from 'vitest'
import { effectiveSlots } from '../analysis/calls/effective-slots.ts'
import { sweepIdSchema } from '../result/ids.ts'
import { nextCells } from './next-cells.ts'
import { type Mode, type SweepRequestInput, sweepRequestSchema } from './plan.ts'
import { planSweep } from './plan-sweep.ts'
import { kneeOf, rungsOf } from './rung-facts.ts'
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

test('every cell that was added or left out says why', () => {
  for (const mode of ['quick', 'standard', 'thorough'] as const) {
    const sweep = play(mode, server(4))
    for (const { because } of sweep.cells.slice(sweep.plan.cells.length)) expect(because).toMatch(/\w.*[.)]$/)
  }
})

test('an engine that slows in proportion has no knee to count: the ladder stops once two doublings gained nothing', () => {
  const sweep = play('quick', server(16, { prefillMs: () => 20, decodeMs: (busy, tokens) => 10 * busy * tokens }))
  expect(rungs(sweep).slots).toBeNull()
  expect(kneeOf(rungs(sweep))).toMatchObject({ isExact: false })
  expect(kneeOf(rungs(sweep))?.n).toBeLessThanOrEqual(2)
  expect(Math.max(...levelsOf(sweep))).toBeLessThanOrEqual(16)
  expect(sweep.ms).toBeLessThan(50_000)
})

test('where reading the prompt is all there is, the ladder ends within the time too', () => {
  const sweep = play('quick', server(16, { prefillMs: (busy) => 300 * busy }))
  expect(levelsOf(sweep).length).toBeGreaterThanOrEqual(4)
  expect(sweep.ms).toBeLessThan(50_000)
})

test('a server of 4 s a session: quick still finds its one slot, and stays within 60 s', () => {
  const sweep = play('quick', server(1, { prefillMs: () => 200, decodeMs: (_, tokens) => 60 * tokens }))
  expect(rungs(sweep).slots).toBe(1)
  expect(levelsOf(sweep)).toContain(4)
  expect(sweep.ms).toBeLessThan(62_000)
})

test('a level that would take longer than what is left is left out, with its time', () => {
  const sweep = play('quick', server(1, { prefillMs: () => 1_000, decodeMs: (_, tokens) => 250 * tokens }))
  expect(sweep.cells.filter(({ status }) => status === 'skipped')).toHaveLength(1)
  expect(sweep.cells.find(({ status }) => status === 'skipped')?.because).toMatch(/would take about \d+ s; \d+ s are left/)
  expect(sweep.ms).toBeLessThan(85_000)
})

test('M5: a standard sweep measures every level three times, shuffled in the later repeats, and ends with N=1 again', () => {
  const sweep = play('standard', server(4))
  const cells = sweep.cells.map(({ cell }) => cell).filter((cell) => cell.leg === 'runner' && cell.role === 'measure' && cell.arm === undefined)
  const ofRepeat = (repeat: number) => cells.filter((cell) => cell.repeat === repeat).map((cell) => cell.n)
  for (const repeat of [2, 3]) expect(ofRepeat(repeat).toSorted((a, b) => a - b)).toEqual([...new Set(levelsOf(sweep))])
  expect(ofRepeat(2)).not.toEqual(ofRepeat(3))
  expect(sweep.cells.at(-1)?.cell).toMatchObject({ role: 'closing', n: 1 })
  expect(sweep.ms).toBeLessThan(95_000)
  const more = play('standard', server(4)).cells.map(({ cell }) => cell)
  expect(more).toEqual(sweep.cells.map(({ cell }) => cell))
})

test('interventions: direct leg, half and double prompts below saturation, twice the slots where they are ours, the null leg at the top', () => {
  const target = { kind: 'built-in', engine: 'simulated', model: 'm', slots: 4 } as const
  const sweep = play('standard', server(4), { target })
  const cells = sweep.cells.map(({ cell }) => cell)
  const top = Math.max(...levelsOf(sweep))
  expect(cells.filter((cell) => cell.leg === 'direct').map((cell) => cell.n)).toEqual([top, 1])
  expect(cells.flatMap((cell) => (cell.arm === undefined ? [] : [{ n: cell.n, ...cell.arm }]))).toEqual([
    { n: 4, promptTokens: 30, slots: null },
    { n: 4, promptTokens: 120, slots: null },
    { n: 8, promptTokens: null, slots: 8 },
  ])
  expect(cells.filter((cell) => cell.leg === 'null').map((cell) => cell.n)).toEqual([top])
  expect(play('standard', server(4)).cells.some(({ cell }) => cell.arm?.slots != null)).toBe(false)
  expect(play('quick', server(4), { target }).cells.some(({ cell }) => cell.arm !== undefined || cell.leg === 'direct')).toBe(false)
})

test('given levels stay as they are, with a mode too; the mode adds its repeats and interventions', () => {
  const plain = planSweep(sweepRequestSchema.parse({ target: { kind: 'server', url: 'u', model: 'm' }, levels: [1, 8] }), { sweepId })
  expect(simulateSweep(plain, server(4)).cells.map(({ cell }) => cell)).toEqual(plain.cells)
  const sweep = play('standard', server(4), { levels: [1, 8], repeats: 1 })
  expect(levelsOf(sweep)).toEqual([1, 8])
  expect(sweep.plan.cells.filter((cell) => cell.n === 8 && cell.leg === 'runner')).toHaveLength(3)
  const added = sweep.cells.slice(sweep.plan.cells.length).map(({ cell }) => cell)
  expect(added.filter((cell) => cell.leg === 'direct')).toHaveLength(2)
  expect(added.filter((cell) => cell.arm !== undefined)).toHaveLength(2)
})

test('levels of which half of the turns fail end the ladder', () => {
  const made = plan('quick')
  const sound = simulateSweep(made, server(1_000))
  const of = new Map(sound.cells.map(({ cell }) => [cell.index, cell.n]))
  const rows = sound.rows.filter((row) => (of.get(row.cell) ?? 0) <= 8)
  const failing = rows.map((row) => (of.get(row.cell) === 8 ? { ...row, outcome: 'failed' as const } : row))
  const cells = sound.cells.filter(({ cell }) => cell.n <= 8 && cell.leg === 'runner' && cell.role !== 'closing')
  const step = nextCells({ plan: made, cells, rows: failing, elapsedMs: 10_000 })
  expect(step.add.every(({ cell }) => cell.n <= 8)).toBe(true)
  expect(nextCells({ plan: made, cells, rows, elapsedMs: 10_000 }).add.map(({ cell }) => cell.n)).toEqual([16])
})

test('a level that was void twice ends the ladder, and is tried once more at the end', () => {
  const made = plan('quick')
  const sound = simulateSweep(made, server(1_000))
  const upTo16 = sound.cells.filter(({ cell }) => cell.n <= 16 && cell.leg === 'runner' && cell.role !== 'closing')
  const cells = upTo16.map((cell) => (cell.cell.n === 16 ? { ...cell, status: 'void' as const } : cell))
  const step = nextCells({ plan: made, cells, rows: sound.rows, elapsedMs: 10_000 })
  // The ladder ends there; the level itself gets one more try among what follows, and no higher one.
  expect(step.add.filter(({ cell }) => cell.n > 8).map(({ cell, because }) => [cell.n, because])).toEqual([
    [16, expect.stringContaining('once more')],
  ])
  expect(step.add.at(-1)?.cell.role).toBe('closing')
})

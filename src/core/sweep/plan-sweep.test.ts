import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sweepIdSchema } from '../result/ids.ts'
import { type SweepRequestInput, sweepPlanSchema, sweepRequestSchema } from './plan.ts'
import { burstOffsetsMs, planSweep } from './plan-sweep.ts'

const sweepId = sweepIdSchema.parse('s1')
const request = (input: Partial<SweepRequestInput> = {}) =>
  sweepRequestSchema.parse({ target: { kind: 'built-in', engine: 'simulated', model: 'sim', slots: 1 }, levels: [1, 2, 4, 8], ...input })
const plan = (input: Partial<SweepRequestInput> = {}) => planSweep(request(input), { sweepId })

test('the same request gives the same plan, and the plan fits its schema', () => {
  expect(plan()).toEqual(plan())
  expect(sweepPlanSchema.parse(plan())).toEqual(plan())
})

test('M1b: the sessions of a burst are planned 0.1 ms apart and never spread over more than 50 ms', () => {
  expect(burstOffsetsMs(4)).toEqual([0, 0.1, 0.2, 0.30000000000000004])
  for (const n of [1, 256, 500, 501, 4096]) {
    const offsets = burstOffsetsMs(n)
    expect(offsets).toHaveLength(n)
    expect(offsets.at(-1)).toBeLessThanOrEqual(50)
  }
  expect(burstOffsetsMs(256).at(-1)).toBeCloseTo(25.5)
})

test('M2: the watchdog leaves each necessary wave its deadline, and no more than a finite time in all', () => {
  const standard = plan({ turnDeadlineMs: 1_000 })
  const necessary = standard.cells.reduce((sum, cell) => sum + (cell.minWaves ?? cell.waves) * 1_000, 0)
  expect(standard.watchdogMs).toBeGreaterThan(necessary)
  expect(Number.isFinite(standard.watchdogMs)).toBe(true)
})

test('M3: output length and options are pinned, the same for all sessions', () => {
  const { workload } = plan({ workload: { options: { temperature: 0, num_ctx: 1024 } } })
  expect(workload).toMatchObject({ outputTokens: 48, options: { temperature: 0, num_ctx: 1024 }, variants: [] })
})

test('M4: the plan begins with a warm-up cell, and only there', () => {
  const roles = plan().cells.map((cell) => cell.role)
  expect(roles[0]).toBe('warm-up')
  expect(roles.filter((role) => role === 'warm-up')).toHaveLength(1)
})

test('M4: the first cells whose figures are about Plimsoll itself warm its own code, for a bounded time; no other cell does', () => {
  const warmed = plan({ legs: ['runner', 'direct', 'null'] }).cells.filter((cell) => cell.ownWarmUp !== undefined)
  expect(warmed.map((cell) => cell.leg)).toEqual(['direct', 'null'])
  for (const cell of warmed) {
    expect(cell.role).toBe('measure')
    expect(cell.n * (cell.ownWarmUp?.waves ?? 0)).toBeGreaterThanOrEqual(2_000)
    expect(cell.ownWarmUp?.budgetMs).toBeLessThanOrEqual(3_000)
  }
  expect(plan({ legs: ['runner'] }).cells.every((cell) => cell.ownWarmUp === undefined)).toBe(true)
})

test('M4: the warm-up touches every variant of a mixed workload', () => {
  const variants = [1024, 2048, 4096].map((num_ctx) => ({ model: 'm', options: { num_ctx } }))
  expect(plan({ workload: { variants } }).cells[0]?.n).toBe(3)
})

test('M5: levels come in shuffled order within each repeat, each exactly once, with N=1 again at the end', () => {
  const cells = plan().cells.filter((cell) => cell.role === 'measure' && cell.leg === 'runner')
  const repeats = [1, 2, 3].map((repeat) => cells.filter((cell) => cell.repeat === repeat).map((cell) => cell.n))
  for (const levels of repeats) expect(levels.toSorted((a, b) => a - b)).toEqual([1, 2, 4, 8])
  expect(new Set(repeats.map(String)).size).toBeGreaterThan(1)
  expect(cells.map((cell) => cell.index)).toEqual(cells.map((cell) => cell.index).toSorted((a, b) => a - b))
  expect(plan().cells.at(-1)).toMatchObject({ role: 'closing', n: 1, leg: 'runner' })
  expect(plan({ seed: 8 }).cells.map((cell) => cell.n)).not.toEqual(plan().cells.map((cell) => cell.n))
})

test('M5: a sweep without N=1 has no closing cell', () => {
  expect(plan({ levels: [2, 4] }).cells.some((cell) => cell.role === 'closing')).toBe(false)
})

test('M8: whatever the time allows, each level gets the six sessions that a p50 needs, and at best the 59 of a p95', () => {
  fc.assert(
    fc.property(
      fc.uniqueArray(fc.integer({ min: 1, max: 300 }), { minLength: 1, maxLength: 6 }),
      fc.integer({ min: 1, max: 7 }),
      (levels, repeats) => {
        const cells = plan({ levels, repeats, legs: ['runner'] }).cells.filter((cell) => cell.role === 'measure')
        for (const n of levels) {
          const ofLevel = cells.filter((cell) => cell.n === n)
          expect(ofLevel).toHaveLength(repeats)
          expect(ofLevel.reduce((sum, cell) => sum + n * (cell.minWaves ?? 0), 0)).toBeGreaterThanOrEqual(6)
          expect(ofLevel.reduce((sum, cell) => sum + n * cell.waves, 0)).toBeGreaterThanOrEqual(59)
        }
      },
    ),
  )
})

test('given waves are run as given', () => {
  for (const cell of plan({ waves: 4 }).cells.filter((c) => c.role === 'measure' && c.leg === 'runner')) {
    expect(cell).toMatchObject({ waves: 4, minWaves: 4, budgetMs: null })
  }
})

test('M10: the null leg is run once, at the largest level', () => {
  const nulls = plan().cells.filter((cell) => cell.leg === 'null')
  expect(nulls).toHaveLength(1)
  expect(nulls[0]).toMatchObject({ n: 8, role: 'measure' })
})

test('a direct leg is swept beside the runner leg, level by level; a null leg alone is swept too', () => {
  const cells = plan({ legs: ['runner', 'direct'], repeats: 2 }).cells.filter((cell) => cell.role === 'measure')
  expect(cells.filter((cell) => cell.leg === 'direct')).toHaveLength(8)
  expect(cells.filter((cell) => cell.leg === 'runner')).toHaveLength(8)
  const nulls = plan({ legs: ['null'], levels: [64], repeats: 2 }).cells
  expect(nulls.map((cell) => [cell.leg, cell.n, cell.role])).toEqual([
    ['null', 2, 'warm-up'],
    ['null', 64, 'measure'],
    ['null', 64, 'measure'],
  ])
})

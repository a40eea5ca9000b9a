import { expect, test } from 'vitest'
import { sweepIdSchema } from '../result/ids.ts'
import { estimateSweep } from './estimate.ts'
import { openMomentsMs } from './load-cells.ts'
import { type Load, type SweepRequestInput, sweepRequestSchema } from './plan.ts'
import { planSweep } from './plan-sweep.ts'
import { promptFor } from './prompts.ts'

const target = { kind: 'built-in', engine: 'simulated', model: 'sim', slots: 4 } as const
const requestOf = (input: Partial<SweepRequestInput>) => sweepRequestSchema.parse({ target, ...input } satisfies SweepRequestInput)
const planOf = (input: Partial<SweepRequestInput>) => planSweep(requestOf(input), { sweepId: sweepIdSchema.parse('s1') })

test('open moments are those of a Poisson process: rate, spread of gaps and counts, and the same ones each time', () => {
  const moments = openMomentsMs(20, 200_000, 7)
  expect(moments).toEqual(openMomentsMs(20, 200_000, 7))
  expect(moments.every((atMs, i) => atMs > (moments[i - 1] ?? 0) && atMs < 200_000)).toBe(true)
  expect(moments.length / 200).toBeGreaterThan(19)
  expect(moments.length / 200).toBeLessThan(21)
  const gaps = moments.slice(1).map((atMs, i) => atMs - (moments[i] ?? 0))
  const mean = gaps.reduce((sum, gap) => sum + gap, 0) / gaps.length
  const deviation = Math.sqrt(gaps.reduce((sum, gap) => sum + (gap - mean) ** 2, 0) / gaps.length)
  // Exponential: as wide as it is long.
  expect(deviation / mean).toBeGreaterThan(0.93)
  expect(deviation / mean).toBeLessThan(1.07)
  expect(openMomentsMs(0.001, 1_000, 7)).toEqual([500])
  expect(openMomentsMs(20, 1_000, 7)).not.toEqual(openMomentsMs(20, 1_000, 8))
})

test('a sustained sweep keeps each level up for the span; warm-up and null leg stay bursts', () => {
  const { cells } = planOf({ levels: [1, 4], load: { kind: 'sustained', spanMs: 5_000 } })
  for (const cell of cells) {
    const isBurst = cell.role === 'warm-up' || cell.leg === 'null'
    expect(cell.load).toEqual(isBurst ? undefined : { kind: 'sustained', spanMs: 5_000, ratePerSec: null })
    if (!isBurst) expect(cell.waves).toBe(1)
  }
  expect(
    cells
      .filter(({ role, leg }) => role === 'measure' && leg === 'runner')
      .map(({ n }) => n)
      .sort(),
  ).toEqual([1, 1, 1, 4, 4, 4])
  expect(planOf({ load: { kind: 'sustained', spanMs: 5_000 } }).cells.map(({ n }) => n)).toContain(8)
})

test('an open sweep plans all its moments, the same ones for both legs', () => {
  const { cells } = planOf({ legs: ['runner', 'direct'], load: { kind: 'open', spanMs: 4_000, ratesPerSec: [2, 10] }, repeats: 2 })
  const open = cells.filter(({ load }) => load?.kind === 'open')
  expect(open).toHaveLength(8)
  for (const cell of open) expect(cell.plannedOffsetsMs).toHaveLength(cell.n)
  const of = (leg: string, repeat: number) => open.find((cell) => cell.leg === leg && cell.repeat === repeat && cell.load?.ratePerSec === 10)
  expect(of('runner', 1)?.plannedOffsetsMs).toEqual(of('direct', 1)?.plannedOffsetsMs)
  expect(of('runner', 1)?.plannedOffsetsMs).not.toEqual(of('runner', 2)?.plannedOffsetsMs)
})

test('the estimate of a sweep of spans is its spans and what they leave to finish', () => {
  const { seconds } = estimateSweep(requestOf({ levels: [1, 4], repeats: 2, legs: ['runner'], load: { kind: 'sustained', spanMs: 5_000 } }))
  expect(seconds).toBeGreaterThan(25)
  expect(seconds).toBeLessThan(45)
})

test('M13: a priced target has a bound for the turns of each sustained cell, and the estimate counts up to it', () => {
  const priced = { kind: 'server', url: 'http://h', model: 'm', api: 'openai', price: { inputUsd: 1, outputUsd: 1 } } as const
  const request = requestOf({ target: priced, levels: [2], repeats: 1, legs: ['runner'], load: { kind: 'sustained', spanMs: 1_000 } })
  const cell = planSweep(request, { sweepId: sweepIdSchema.parse('s') }).cells.find(({ load }) => load !== undefined)
  expect(cell?.load?.mostTurns).toBe(40)
  const burst = estimateSweep(requestOf({ target: priced, levels: [2], repeats: 1, waves: 1, legs: ['runner'] }))
  expect(estimateSweep(request).costUsd ?? 0).toBeGreaterThan(2 * (burst.costUsd ?? 0))
})

const LOADS: Load[] = [
  { kind: 'sustained', spanMs: 5_000 },
  { kind: 'open', spanMs: 5_000, ratesPerSec: [20] },
]

test('M3: no two turns of a sustained load, and none of an open one, begin alike', () => {
  for (const load of LOADS) {
    const plan = planOf({ levels: [4, 16], load })
    const starts = plan.cells.flatMap((cell) => {
      const turns = cell.load?.kind === 'sustained' ? 100 : 1
      return Array.from({ length: cell.n * turns * cell.waves }, (_, i) =>
        promptFor(plan, cell, Math.floor(i / (cell.n * turns)), i % cell.n, Math.floor(i / cell.n) % turns).slice(0, 32),
      )
    })
    expect(new Set(starts).size).toBe(starts.length)
  }
})

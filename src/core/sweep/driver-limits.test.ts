import { expect, test } from 'vitest'
import { driverLimits } from './driver-limits.ts'
import type { Cell } from './plan.ts'
import { burstOffsetsMs } from './plan-sweep.ts'
import type { TurnRow } from './turn-row.ts'

const cell: Cell = { index: 1, leg: 'runner', n: 8, repeat: 1, waves: 1, role: 'measure', plannedOffsetsMs: burstOffsetsMs(8) }
const report = { lagP50Ms: 0.2, lagP99Ms: 1, loopDelayP99Ms: 2, cpuPercent: 5, maxInFlight: 8 }
const rows = (wallMs: number, lagsMs: readonly number[] = []) =>
  Array.from(
    { length: 8 },
    (_, session): TurnRow => ({
      cell: 1,
      wave: 0,
      session,
      plannedAtMs: 0,
      submitAtMs: lagsMs[session] ?? 0,
      acceptedAtMs: 1,
      firstActivityAtMs: null,
      doneAtMs: null,
      endAtMs: wallMs,
      outcome: 'completed',
      problem: null,
      timeline: null,
      receiveLagMs: null,
    }),
  )

test('M10: a driver that kept its moments and held all sessions limits nothing', () => {
  expect(driverLimits(cell, rows(500), report)).toMatchObject({ broken: [], lateRatio: 0 })
})

test('M10: late submits, a late event loop and missing sessions are each named', () => {
  const { broken } = driverLimits(cell, rows(500, [80, 80, 80, 80]), { ...report, lagP99Ms: 80, loopDelayP99Ms: 140, maxInFlight: 6 })
  expect(broken).toHaveLength(3)
  expect(broken.join()).toContain('50 % of its submits')
  expect(broken.join()).toContain('held 6 of 8')
})

test('M10: one late session of eight is said, but limits nothing', () => {
  expect(driverLimits(cell, rows(500, [80]), { ...report, lagP99Ms: 80 })).toMatchObject({ broken: [], lateRatio: 1 / 8 })
})

test('M10: a delay of 40 ms does not matter for turns of ten seconds', () => {
  expect(driverLimits(cell, rows(10_000, new Array(8).fill(40)), { ...report, lagP99Ms: 40 }).broken).toEqual([])
})

test('M10: turns that end before the burst is out need not be in flight together', () => {
  expect(driverLimits(cell, rows(0.5), { ...report, maxInFlight: 3 }).broken).toEqual([])
})

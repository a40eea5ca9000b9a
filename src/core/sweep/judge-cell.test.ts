import { expect, test } from 'vitest'
import { problem } from '../result/problem.ts'
import { healthOf, judgeCell, mayStartWave } from './judge-cell.ts'
import type { Cell } from './plan.ts'
import { burstOffsetsMs } from './plan-sweep.ts'
import type { TurnRow } from './turn-row.ts'

const cell: Cell = {
  index: 1,
  leg: 'runner',
  n: 4,
  repeat: 1,
  waves: 10,
  minWaves: 2,
  budgetMs: 1_000,
  role: 'measure',
  plannedOffsetsMs: burstOffsetsMs(4),
}
const report = { lagP50Ms: 0, lagP99Ms: 0, loopDelayP99Ms: 0, cpuPercent: 0, maxInFlight: 4 }

function row(outcome: TurnRow['outcome'], more: { code?: string; status?: number; lagMs?: number } = {}): TurnRow {
  const call = { httpStatus: more.status ?? null, server: null } as unknown as NonNullable<TurnRow['timeline']>['calls'][number]
  return {
    cell: 1,
    wave: 0,
    session: 0,
    plannedAtMs: 0,
    submitAtMs: more.lagMs ?? 0,
    acceptedAtMs: null,
    firstActivityAtMs: null,
    doneAtMs: null,
    endAtMs: 500,
    outcome,
    problem: more.code === undefined ? null : problem(more.code, '', '', ''),
    timeline: more.status === undefined ? null : ({ calls: [call] } as unknown as TurnRow['timeline']),
    receiveLagMs: null,
  }
}

test('a wave with one answer is answered, and a wave that we have cut says nothing of the server', () => {
  expect(healthOf([row('failed', { status: 503 }), row('completed')])).toBe('answered')
  expect(healthOf([row('cut'), row('failed')])).toBe('answered')
})

test('a wave of failures says what all of them died of', () => {
  expect(healthOf([row('failed', { status: 404 }), row('failed', { code: 'model-missing' })])).toBe('model-missing')
  expect(healthOf([row('failed', { status: 503 }), row('failed', { code: 'turn-deadline' })])).toBe('overloaded')
  expect(healthOf([row('failed', { status: 503 }), row('failed', { code: 'server-unreachable' })])).toBe('failed')
})

test('necessary waves are run whatever they take, the others while the next one fits into the time', () => {
  expect(mayStartWave(cell, { waves: 1, elapsedMs: 60_000, lastWaveMs: 60_000 })).toBe(true)
  expect(mayStartWave(cell, { waves: 2, elapsedMs: 700, lastWaveMs: 300 })).toBe(true)
  expect(mayStartWave(cell, { waves: 2, elapsedMs: 701, lastWaveMs: 300 })).toBe(false)
  expect(mayStartWave(cell, { waves: 10, elapsedMs: 1, lastWaveMs: 0 })).toBe(false)
  expect(mayStartWave({ ...cell, budgetMs: null }, { waves: 9, elapsedMs: 99_999, lastWaveMs: 9 })).toBe(true)
})

const judge = (rows: TurnRow[], more: Partial<Parameters<typeof judgeCell>[0]> = {}) =>
  judgeCell({ cell, rows, report, absentBefore: false, cellsVoidedByLoad: 0, mixed: false, ...more })

test('M10: a driver that was late with most sessions voids the cell; one late session is a warning', () => {
  const late = row('completed', { lagMs: 90 })
  const inTime = row('completed')
  expect(judge([late, late, late, inTime])).toMatchObject({ cause: 'driver', voidBecause: { code: 'driver-limited' } })
  const once = judge([late, inTime, inTime, inTime])
  expect(once).toMatchObject({ voidBecause: null, warnings: [{ code: 'late-starts' }] })
  expect(once.warnings[0]?.text).toContain('25 % of the sessions')
  expect(judge([inTime])).toEqual({ voidBecause: null, cause: null, warnings: [] })
})

test('M4: a warm-up is judged by nothing: loading is what it is for', () => {
  expect(judge([row('completed', { lagMs: 900 })], { cell: { ...cell, role: 'warm-up' } }).voidBecause).toBeNull()
})

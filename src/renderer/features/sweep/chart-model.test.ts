import { expect, test } from 'vitest'
import { analyse } from '../../../core/analysis/analyse.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import { queueSweep } from '../../testing/sweep-fixtures.ts'
import { chartModel, legsOf, logTicks, sloCeiling } from './chart-model.ts'

function stateOf(change: Parameters<typeof queueSweep>[0] = {}): SweepState {
  const state = sweepStateOf(queueSweep(change))
  if (state === undefined) throw new Error('The synthetic sweep has no beginning.')
  return state
}

test('one column a level, its curve from the analysis, its single sessions from the rows', () => {
  const state = stateOf()
  const model = chartModel(state, analyse(state), 'runner', 'ttfa')
  expect(model.columns.map((column) => column.n)).toEqual([1, 2, 4, 8])
  const [one, , , eight] = model.columns
  expect(eight?.p50?.ms).toBeGreaterThan((one?.p50?.ms ?? 0) * 2)
  expect(eight?.sessions).toBe(8 * 6 * 3)
  expect(eight?.p95?.rough).toBe(false)
})

test('M8: with fewer than 59 samples the upper curve is rough, with fewer than six there is none', () => {
  const state = stateOf({ levels: [1, 2, 8], repeats: 1, waves: 3, closing: false })
  const columns = chartModel(state, analyse(state), 'runner', 'ttfa').columns
  expect(columns[0]).toMatchObject({ p50: null, p95: null })
  expect(columns[2]?.p95?.rough).toBe(true)
})

test('however many sessions there are, at most 300 are drawn, at the same places each time', () => {
  const state = stateOf({ levels: [1, 16, 64], waves: 12 })
  const model = chartModel(state, undefined, 'runner', 'ttfa')
  expect(state.rows.length).toBeGreaterThan(2_000)
  expect(model.dots.length).toBeLessThanOrEqual(300)
  expect(chartModel(state, undefined, 'runner', 'ttfa').dots).toEqual(model.dots)
})

test('a session that misses the SLO is marked, and the ring stands at the load line', () => {
  const state = stateOf({ slo: { ttfaMs: 700 }, waves: 20 })
  const model = chartModel(state, analyse(state), 'runner', 'ttfa')
  for (const dot of model.dots) expect(dot.holds).toBe(dot.ms <= 700)
  expect(model.loadLine).toEqual({ kind: 'found', column: 1, n: 2 })
})

test('a load line that no level reaches, and one that even the first level misses, are told apart', () => {
  const easy = stateOf({ slo: { ttfaMs: 60_000 }, waves: 20 })
  expect(chartModel(easy, analyse(easy), 'runner', 'ttfa').loadLine).toEqual({ kind: 'not-reached', n: 8 })
  const hard = stateOf({ slo: { ttfaMs: 20 }, waves: 20 })
  expect(chartModel(hard, analyse(hard), 'runner', 'ttfa').loadLine).toEqual({ kind: 'none-holds' })
})

test('in the middle of a sweep nothing is said of all levels before the level that decides it was measured', () => {
  const events = queueSweep({ slo: { ttfaMs: 20 }, waves: 20 })
  const order = events.flatMap((event) => (event.type === 'sweep-started' ? event.plan.cells.filter((cell) => cell.role === 'measure') : []))
  const first = order.find((cell) => cell.n !== 1)?.index ?? -1
  const until = events.findIndex((event) => event.type === 'cell-ended' && event.cell === first)
  const without = events.slice(0, until + 1).filter((event) => event.type !== 'turn-ended' || event.row.cell === first)
  const state = sweepStateOf(without)
  if (state === undefined) throw new Error('The synthetic sweep has no beginning.')
  expect(analyse(state).ceilings.slo.status).toBe('none-holds')
  expect(chartModel(state, analyse(state), 'runner', 'ttfa').loadLine).toEqual({ kind: 'measuring' })
  expect(sloCeiling(state, analyse(state)).because).toBe('N = 1 is not measured yet')
})

test('void cells and the warm-up show nowhere', () => {
  const whole = stateOf()
  const cell = whole.cells.find(({ cell: { n, role, leg } }) => n === 8 && role === 'measure' && leg === 'runner')?.cell.index ?? -1
  const state = stateOf({ faults: { voidCells: [cell] } })
  const sessions = (s: SweepState) => chartModel(s, undefined, 'runner', 'ttfa').columns.find((column) => column.n === 8)?.sessions
  expect(sessions(state)).toBe((sessions(whole) ?? 0) - 8 * 6)
})

test('a level that has not begun says in which cell it will', () => {
  const state = stateOf({ endAfterCells: 2, outcome: 'cancelled' })
  const waiting = chartModel(state, undefined, 'runner', 'ttfa').columns.filter((column) => column.firstCell !== null)
  expect(waiting.length).toBeGreaterThan(0)
  for (const column of waiting) expect(state.cells[(column.firstCell ?? 0) - 1]?.cell.n).toBe(column.n)
})

test('the null leg has no load line', () => {
  const state = stateOf({ legs: ['runner', 'null'] })
  expect(legsOf(state)).toEqual(['runner', 'null'])
  expect(chartModel(state, analyse(state), 'null', 'ttfa').loadLine).toEqual({ kind: 'measuring' })
})

test('ticks are 1, 2, 5 and take in every value, be it none or far apart', () => {
  expect(logTicks([])).toEqual([100, 200, 500, 1000, 2000, 5000, 10000])
  for (const values of [[3, 4], [0.4, 90_000], [150], [Number.NaN, 0, -1, 800]]) {
    const ticks = logTicks(values)
    const known = values.filter((value) => value > 0)
    expect(ticks[0]).toBeLessThanOrEqual(Math.min(...known))
    expect(ticks.at(-1)).toBeGreaterThanOrEqual(Math.max(...known))
    expect(ticks.length).toBeGreaterThan(3)
  }
})

test('cells of an intervention and cells that were left out make no column', () => {
  const state = stateOf({})
  const last = state.cells.findLast((one) => one.cell.role === 'measure' && one.cell.leg === 'runner')
  if (last === undefined) throw new Error('the fixture has no measured cell')
  const arm = { ...last, cell: { ...last.cell, n: 77, arm: { promptTokens: 30, slots: null } } }
  const skipped = { ...last, status: 'skipped' as const, cell: { ...last.cell, n: 99 } }
  const model = chartModel({ ...state, cells: [...state.cells, arm, skipped] }, undefined, 'runner', 'ttfa')
  expect(model.columns.map((column) => column.n)).not.toContain(77)
  expect(model.columns.map((column) => column.n)).not.toContain(99)
})

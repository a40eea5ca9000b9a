import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { problem } from '../result/problem.ts'
import { type SweepState, sweepStateOf } from '../sweep/fold-sweep.ts'
import type { SweepEvent } from '../sweep/sweep-event.ts'
import { analyse } from './analyse.ts'
import { type Analysis, analysisSchema } from './analysis.ts'

const base: SyntheticSettings = { slots: 4, levels: [1, 2, 4, 8, 16], prefillMs: 50, tokenMs: 10, outputTokens: 20, waves: 3, seed: 3 }

function stateOf(changes: Partial<SyntheticSettings> = {}): SweepState {
  return fold(syntheticSweep({ ...base, ...changes }))
}
function fold(events: readonly SweepEvent[]): SweepState {
  const state = sweepStateOf(events)
  if (state === undefined) throw new Error('a started sweep has a state')
  return state
}
const verdictOf = (changes: Partial<SyntheticSettings>) => analyse(stateOf(changes)).verdict

test.each([1, 3, 4, 7])('on %i slots the queue is named with as many effective slots, and the staircase stands in the evidence', (slots) => {
  const { verdict, effectiveSlots } = analyse(stateOf({ slots, levels: [1, 2, 4, 8, 24] }))
  expect(verdict).toMatchObject({ primary: 'model_server_queue', effectiveSlots: slots, toSettle: null })
  expect(effectiveSlots).toEqual({ n: slots, plateau: true, declared: slots })
  expect(['likely', 'confirmed']).toContain(verdict.confidence)
  expect(verdict.sentence).toContain(`it answers ${slots} request${slots === 1 ? '' : 's'} at a time`)
  expect(verdict.sentence).toContain('simulated')
  expect(verdict.evidence.some((line) => line.stance === 'for' && line.text.includes('staircase'))).toBe(true)
})

test('the queue is confirmed when the direct leg shows the same and the null leg shows nothing', () => {
  expect(verdictOf({ legs: ['runner', 'direct', 'null'] }).confidence).toBe('confirmed')
  expect(verdictOf({ legs: ['runner'] }).confidence).toBe('likely')
})

test('background work that stands in the same queue does not hide it', () => {
  expect(verdictOf({ slots: 1, background: { calls: 2, tokens: 8 } })).toMatchObject({ primary: 'model_server_queue', effectiveSlots: 1 })
})

test('a server without durations is judged by the overlap alone', () => {
  expect(verdictOf({ slots: 2, serverTimes: false })).toMatchObject({ primary: 'model_server_queue', effectiveSlots: 2 })
})

test.each<[string, Partial<SyntheticSettings>]>([
  ['decode', { tokenMs: (active) => 10 * active }],
  ['decode, with background work', { tokenMs: (active) => 10 * active, background: { calls: 2, tokens: 8 } }],
  ['prefill', { prefillMs: (prefilling) => 50 * prefilling }],
  ['both', { tokenMs: (active) => 10 * active, prefillMs: (prefilling) => 50 * prefilling }],
])('%s that slows in proportion to active requests is never called a queue', (_, changes) => {
  const verdict = verdictOf({ slots: 1_000, ...changes })
  expect(verdict).toMatchObject({ primary: 'model_server_engine', effectiveSlots: null })
  expect(verdict.sentence).toContain('simulated')
})

test('the same on a real server whose machine is full is the hardware', () => {
  const full = { slots: 1_000, tokenMs: (active: number) => 10 * active, cores: 2, serverCpuPercent: () => 190, facts: { simulated: false } }
  expect(verdictOf(full)).toMatchObject({ primary: 'hardware', confidence: 'likely' })
  expect(verdictOf({ ...full, cores: 8, serverCpuPercent: () => 100 }).primary).toBe('model_server_engine')
})

test.each<[string, Partial<SyntheticSettings>]>([
  ['without the null leg', {}],
  ['with it', { legs: ['runner', 'null'] }],
  ['on one slot, with all legs', { slots: 1, legs: ['runner', 'direct', 'null'] }],
])('a runner that blocks for 2 s at each start is the runner’s fault, not the server’s: %s', (_, changes) => {
  const { verdict, growth } = analyse(stateOf({ levels: [1, 2, 4, 8], faults: { runnerBlockMs: 2_000 }, ...changes }))
  expect(verdict.primary).toBe('runner_process')
  expect(growth?.parts.find(({ part }) => part === 'runner')?.share.value).toBeGreaterThan(0.9)
  expect(growth?.parts.find(({ part }) => part === 'queue')?.share.value).toBeLessThan(0.1)
})

test('a runner that is slow without any other sign is not named: the null leg would settle it', () => {
  const verdict = verdictOf({ slots: 1_000, runnerMs: (n) => 50 * n })
  expect(verdict).toMatchObject({ primary: 'inconclusive', confidence: 'cannot-tell' })
  expect(verdict.toSettle).toContain('null leg')
})

test.each<[string, Partial<SyntheticSettings>]>([
  ['every second session with another num_ctx, 1 slot', { slots: 1, loadSwapEvery: 2 }],
  ['every second session with another model, 4 slots', { loadSwapEvery: 2, swapBy: 'model' }],
  ['every eighth session', { slots: 1, loadSwapEvery: 8 }],
  ['short loads', { slots: 2, loadSwapEvery: 3, loadMs: 120 }],
])('swaps are never called a queue: %s', (_, changes) => {
  expect(['model_server_reload', 'inconclusive']).toContain(verdictOf(changes).primary)
})

test('a mix of two num_ctx is a reload, and what differs is named', () => {
  const verdict = verdictOf({ slots: 1, loadSwapEvery: 2 })
  expect(verdict.primary).toBe('model_server_reload')
  expect(verdict.sentence).toContain('num_ctx 1024 and 2048')
})

test('when nothing grows and the total still rises, no ceiling was reached', () => {
  const { verdict, ceilings } = analyse(stateOf({ slots: 1_000, waves: 8 }))
  expect(verdict).toMatchObject({ primary: 'none_reached', confidence: 'likely', effectiveSlots: null })
  expect(ceilings.throughput).toMatchObject({ status: 'not-reached', n: 16 })
  expect(ceilings.slo).toMatchObject({ status: 'not-reached', n: 16 })
})

test('levels within the slots only: nothing is reached, and the slots are a lower bound', () => {
  const { verdict, effectiveSlots } = analyse(stateOf({ slots: 4, levels: [1, 2, 4] }))
  expect(verdict.primary).toBe('none_reached')
  expect(effectiveSlots).toEqual({ n: 4, plateau: false, declared: 4 })
})

test('M10: a level that the driver could not carry yields no verdict on the server', () => {
  const { verdict, levels } = analyse(stateOf({ faults: { driverLagMs: 10 } }))
  expect(verdict.primary).toBe('load_generator')
  expect(levels.some((level) => level.n === 16)).toBe(false)
})

test.each([1, 2])('a server that is lost before any cell was measured is said, and never laid on the driver (%i cells begun)', (endAfterCells) => {
  const state = stateOf({ levels: [16], faults: { driverLagMs: 10 }, endAfterCells })
  const cells = state.cells.map((cell) => ({ ...cell, driver: cell.driver && { ...cell.driver, loopDelayP99Ms: 900 } }))
  expect(analyse({ ...state, cells }).verdict.primary).toBe(endAfterCells === 1 ? 'inconclusive' : 'load_generator')
  const lost = problem('server-lost', 'The model server at http://x stopped answering.', '', '')
  expect(analyse({ ...state, cells, status: 'failed', problem: lost }).verdict).toMatchObject({
    primary: 'inconclusive',
    sentence: 'Nothing was measured to its end. The model server at http://x stopped answering.',
  })
})

test('M5: a machine that drifts by 30 % names nothing, but does not hide a queue that dwarfs it', () => {
  expect(verdictOf({ slots: 1_000, waves: 6, faults: { driftRatio: 0.3 } })).toMatchObject({ primary: 'inconclusive' })
  const queue = verdictOf({ slots: 1, waves: 6, faults: { driftRatio: 0.3 } })
  expect(queue).toMatchObject({ primary: 'model_server_queue', confidence: 'suspected' })
  expect(queue.evidence.some((line) => line.stance === 'against' && line.text.includes('at the end'))).toBe(true)
})

test('refusals by a provider are told apart from failures of the server', () => {
  const state = stateOf({ slots: 1_000, faults: { failEvery: 2 } })
  const rows = state.rows.map((row) => {
    const calls = (row.timeline?.calls ?? []).map((call) => (call.outcome === 'failed' ? { ...call, httpStatus: 429 } : call))
    return row.timeline === null ? row : { ...row, timeline: { ...row.timeline, calls } }
  })
  expect(analyse({ ...state, rows }).verdict.primary).toBe('provider_limit')
  expect(analyse(state).verdict.primary).not.toBe('provider_limit')
  expect(analyse(state).warnings.some((warning) => warning.code === 'failures')).toBe(true)
})

const oneRow = () => {
  const state = stateOf({ levels: [1], waves: 1, closing: false })
  return { ...state, rows: state.rows.slice(-1) }
}
const poor: [string, () => SweepState][] = [
  ['no event but the first', () => fold(syntheticSweep(base).slice(0, 1))],
  ['no rows', () => ({ ...stateOf(), rows: [] })],
  ['no samples', () => stateOf({ samplesPerSec: 0, levels: [1] })],
  ['one row', oneRow],
  ['one level', () => stateOf({ levels: [8] })],
  ['all failed', () => stateOf({ faults: { failEvery: 1 } })],
  ['all cut', () => stateOf({ faults: { cutEvery: 1, cutAfterMs: 5 } })],
  ['every cell void', () => stateOf({ faults: { voidCells: [0, 1, 2, 3, 4, 5, 6] } })],
  ['the warm-up alone', () => stateOf({ endAfterCells: 1 })],
  ['the null leg alone', () => stateOf({ legs: ['null'] })],
]

test.each(poor)('%s: no crash, no NaN, inconclusive with what would settle it', (_, make) => {
  const analysis = analyse(make())
  expect(analysis.verdict).toMatchObject({ primary: 'inconclusive', confidence: 'cannot-tell' })
  expect(analysis.verdict.toSettle).not.toBeNull()
  expectFinite(analysis)
})

function expectFinite(analysis: Analysis) {
  expect(analysisSchema.safeParse(analysis).success).toBe(true)
  expect(JSON.parse(JSON.stringify(analysis))).toEqual(analysis)
}

test('every kind of sweep gives an analysis that fits its schema and survives JSON', () => {
  for (const changes of [
    {},
    { legs: ['runner', 'direct', 'null'] as const, background: { calls: 2, tokens: 8 }, steps: { calls: 2, toolMs: 20 } },
    { loadSwapEvery: 2 },
    { faults: { failEvery: 3, cutEvery: 4 } },
    { endAfterCells: 4, outcome: 'interrupted' as const },
  ]) {
    expectFinite(analyse(stateOf(changes)))
  }
})

test('what Plimsoll itself adds is the null leg at its largest level', () => {
  const { ownCost } = analyse(stateOf({ legs: ['runner', 'null'] }))
  expect(ownCost?.n).toBe(16)
  expect(ownCost?.ttfaMs.p50).toBeLessThan(10)
  expect(analyse(stateOf()).ownCost).toBeNull()
})

test('warnings travel with the numbers: those of the sweep, and those of the analysis', () => {
  const noted: SweepEvent = { type: 'warning', atMs: 10, code: 'host-busy', text: 'Something else used the machine.', cell: 1 }
  const events = syntheticSweep({ ...base, slots: 2, waves: 1, facts: { declaredSlots: 4, kind: 'ollama', version: '0.0.0', versionKnown: false } })
  const codes = analyse(fold([...events.slice(0, 2), noted, noted, ...events.slice(2)])).warnings.map((warning) => warning.code)
  expect(codes).toEqual(expect.arrayContaining(['host-busy', 'declared-slots-differ', 'unknown-version', 'few-samples']))
  expect(codes.filter((code) => code === 'host-busy')).toHaveLength(1)
})

test('M12: the same stored sweep analysed twice gives the same bytes', () => {
  expect(JSON.stringify(analyse(stateOf()))).toBe(JSON.stringify(analyse(stateOf())))
})

/** CPU time, since other work may share the machine. */
function cpuMsOf(work: () => void): number {
  const before = process.cpuUsage()
  work()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1000
}

test('a few hundred rows are analysed within 30 ms, and 100,000 rows within 2 s (bounds here: 4 times as long, for busy machines)', () => {
  const small = stateOf({ waves: 8 })
  expect(small.rows.length).toBeGreaterThan(200)
  const times = Array.from({ length: 9 }, () => cpuMsOf(() => analyse(small))).sort((a, b) => a - b)
  expect(times[4]).toBeLessThan(120)
  const one = stateOf({ slots: 8, levels: [1, 64], waves: 20, closing: false })
  const copies = Math.ceil(100_000 / one.rows.length)
  const cells = Array.from({ length: copies }, (_, copy) =>
    one.cells.map((cell) => ({ ...cell, cell: { ...cell.cell, index: cell.cell.index + copy * one.cells.length } })),
  )
  const rows = Array.from({ length: copies }, (_, copy) => one.rows.map((row) => ({ ...row, cell: row.cell + copy * one.cells.length })))
  const large = { ...one, cells: cells.flat(), rows: rows.flat() }
  expect(large.rows.length).toBeGreaterThanOrEqual(100_000)
  expect(cpuMsOf(() => analyse(large))).toBeLessThan(8_000)
})

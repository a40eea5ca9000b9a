import { expect, test } from 'vitest'
import { analyse } from '../../../core/analysis/analyse.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import type { Lane, SweepLive } from '../../../core/sweep/sweep-event.ts'
import { queueSweep } from '../../testing/sweep-fixtures.ts'
import { decomposeWave } from './decompose-wave.ts'
import { defaultWave, type LaneView, niceAxis, type WaveRef, waveView } from './lane-model.ts'

function stateOf(change: Parameters<typeof queueSweep>[0] = {}): SweepState {
  const state = sweepStateOf(queueSweep(change))
  if (state === undefined) throw new Error('The synthetic sweep has no beginning.')
  return state
}

function show(state: SweepState, ref: WaveRef | undefined, live?: SweepLive) {
  const wave = ref === undefined ? undefined : waveView({ state, live, decompose: decomposeWave(state, analyse(state)), leadPrefillMs: 100 }, ref)
  if (wave === undefined) throw new Error('There is no such wave.')
  return wave
}

const partMs = (lane: LaneView | undefined, part: string) =>
  (lane?.bars ?? []).reduce((sum, bar) => sum + (bar.part === part ? bar.toMs - bar.fromMs : 0), 0)

test('a wave that has ended stands in order of service, and a queue is a staircase', () => {
  const state = stateOf()
  const wave = show(state, defaultWave(state))
  expect(wave.nowMs).toBeNull()
  expect(wave.lanes).toHaveLength(8)
  const waits = wave.lanes.map((lane) => partMs(lane, 'queue'))
  expect(waits[0]).toBeLessThan(50)
  for (let i = 1; i < waits.length; i++) expect(waits[i]).toBeGreaterThan((waits[i - 1] ?? 0) + 100)
})

test('bars lie end to end from the planned moment to the end, none beyond it', () => {
  const state = stateOf({ background: { calls: 1, tokens: 8 } })
  for (const lane of show(state, defaultWave(state)).lanes) {
    let at = 0
    for (const bar of lane.bars) {
      expect(Math.abs(bar.fromMs - at)).toBeLessThan(1.5)
      at = bar.toMs
    }
    expect(Math.abs(at - lane.endMs)).toBeLessThan(1.5)
  }
})

test('a running wave grows to now: who streams decodes, who was sent waits, who has ended keeps its row', () => {
  const state = stateOf({ endAfterCells: 3, outcome: 'cancelled' })
  const base: Lane = {
    session: 0,
    plannedAtMs: 10_000,
    runnerStartAtMs: 10_001,
    sentAtMs: 10_002,
    firstActivityAtMs: 10_102,
    doneAtMs: null,
    endAtMs: null,
    outcome: 'running',
    tokens: 7,
  }
  const waiting: Lane = { ...base, session: 1, firstActivityAtMs: null, tokens: 0 }
  const live: SweepLive = { nowMs: 10_300, cell: 3, wave: 0, lanes: [waiting, base], remainingMs: null }
  const wave = show(state, { cell: 3, wave: 0 }, live)
  expect(wave.nowMs).toBe(300)
  expect(wave.lanes.map((lane) => lane.session)).toEqual([0, 1])
  expect(partMs(wave.lanes[0], 'decode')).toBe(198)
  expect(partMs(wave.lanes[0], 'prefill')).toBe(100)
  expect(partMs(wave.lanes[1], 'queue')).toBe(298)
  expect(wave.axisMs).toBeGreaterThanOrEqual(300)
})

test('failed and cut sessions say so, and their bars end where they ended', () => {
  const state = stateOf({ faults: { failEvery: 3 } })
  const lanes = show(state, defaultWave(state)).lanes
  expect(lanes.filter((lane) => lane.state === 'failed').length).toBeGreaterThan(0)
})

test('of very many sessions 64 are drawn, evenly, and the count is told', () => {
  const state = stateOf({ levels: [1, 200], waves: 1, repeats: 1 })
  const wave = show(state, defaultWave(state))
  expect(wave.lanes).toHaveLength(64)
  expect(wave.sessions).toBe(200)
})

test('an axis ends on one of at most a handful of round ticks', () => {
  expect(niceAxis(4_700)).toEqual({ axisMs: 5_000, tickMs: 1_000 })
  expect(niceAxis(120)).toEqual({ axisMs: 120, tickMs: 20 })
  for (const span of [0, 1, 33, 999, 1_001, 59_999]) {
    const { axisMs, tickMs } = niceAxis(span)
    expect(axisMs).toBeGreaterThanOrEqual(span)
    expect(axisMs / tickMs).toBeLessThanOrEqual(7)
  }
})

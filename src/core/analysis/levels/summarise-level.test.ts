import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../../sweep/fold-sweep.ts'
import { analyse } from '../analyse.ts'
import { PARTS } from '../analysis.ts'

const settings: SyntheticSettings = {
  slots: 2,
  levels: [1, 6],
  prefillMs: 50,
  tokenMs: 10,
  outputTokens: 21,
  waves: 4,
  noiseRatio: 0,
  runnerMs: 5,
  seed: 4,
}

function levelOf(n: number, changes: Partial<SyntheticSettings> = {}) {
  const state = sweepStateOf(syntheticSweep({ ...settings, ...changes }))
  const level = state === undefined ? undefined : analyse(state).levels.find((one) => one.n === n)
  if (level === undefined) throw new Error('the level was measured')
  return level
}

test('figures of one session alone are those that were played', () => {
  const alone = levelOf(1)
  expect(alone.ttfaMs.p50).toBeCloseTo(56, 0)
  expect(alone.ttftMs.p50).toBeCloseTo(50.3, 0)
  expect(alone.firstModelRequestMs.p50).toBeCloseTo(5.4, 0)
  expect(alone.wallMs.p50).toBeCloseTo(256.2, -1)
  expect(alone.decodeTokensPerSec).toBeCloseTo(100, 0)
  expect(alone.tokensPerSec).toBeCloseTo(21_000 / 256, 0)
  expect(alone).toMatchObject({ sessions: 8, failures: 0, cut: 0, cells: 2, waves: 8, slotsInUse: 1, queueWaitMs: { p50: 0 } })
})

test('times count from the planned moment, the driver’s lag is a figure of its own', () => {
  const late = levelOf(6, { faults: { driverLagMs: 2 } })
  expect(late.driverLagMsP99).toBeCloseTo(10.4, 1)
  expect(late.ttfaMs.min ?? 0).toBeGreaterThan(55)
})

test('the parts add up to the mean wall and the shares to 1', () => {
  const level = levelOf(6)
  const sum = PARTS.reduce((total, part) => total + level.partsMs[part], 0)
  expect(sum).toBeCloseTo(
    PARTS.reduce((total, part) => total + level.shares[part] * sum, 0),
    6,
  )
  expect(PARTS.reduce((total, part) => total + level.shares[part], 0)).toBeCloseTo(1, 9)
  expect(level.partsMs.queue).toBeCloseTo(250, -1)
})

test('M7: a failed session counts against the SLO and in no percentile, a cut one counts nowhere', () => {
  const failing = levelOf(6, { faults: { failEvery: 3 } })
  expect(failing).toMatchObject({ sessions: 24, failures: 8, wallMs: { count: 16 } })
  expect(failing.held.ratio).toBeLessThanOrEqual(16 / 24)
  expect(failing.errorRatioUpperBound).toBeGreaterThan(1 / 3)
  const cut = levelOf(6, { faults: { cutEvery: 3, cutAfterMs: 60 } })
  expect(cut).toMatchObject({ sessions: 16, failures: 0, cut: 8 })
})

test('samples are joined by time: hardware of the level, not of the sweep', () => {
  const busy = { serverCpuPercent: (active: number) => 100 * active, cores: 4, waves: 8 }
  expect(levelOf(1, busy).serverCpuPercentMax).toBeLessThanOrEqual(100)
  expect(levelOf(6, busy).serverCpuPercentMax).toBe(200)
})

test('M9: turns in flight by the rows agree with the runner’s gauge', () => {
  const level = levelOf(6, { waves: 20, samplesPerSec: 20 })
  expect(Math.abs(level.littleGapRatio ?? 1)).toBeLessThan(0.1)
  expect(levelOf(6, { waves: 2 }).littleGapRatio).toBeNull()
})

import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { analyse } from '../analysis/analyse.ts'
import type { Analysis, Ceiling } from '../analysis/analysis.ts'
import { sweepStateOf } from '../sweep/fold-sweep.ts'
import { reportJson, reportJsonSchema } from './report-json.ts'

const BASE: SyntheticSettings = { slots: 1, levels: [1, 2, 4], waves: 4, prefillMs: 50, tokenMs: 5, outputTokens: 10, seed: 5 }

function sweepOf(settings: Partial<SyntheticSettings> = {}) {
  const state = sweepStateOf(syntheticSweep({ ...BASE, ...settings }))
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  return { state, analysis: analyse(state) }
}

test('the object has the fields that scripts rely on, by its own schema', () => {
  const { state, analysis } = sweepOf({ legs: ['runner', 'null'], samplesPerSec: 4 })
  const json = reportJson(state, analysis, '/data/reports/sweep-1.html')
  expect(reportJsonSchema.parse(JSON.parse(JSON.stringify(json)))).toEqual(json)
  expect(Object.keys(json).slice(0, 1)).toEqual(['schema'])
  expect(json).toMatchObject({ schema: 'plimsoll.sweep/1', status: 'completed', simulated: true, reportPath: '/data/reports/sweep-1.html' })
  expect(json.verdict.effectiveSlots).toBe(1)
  expect(json.levels.map(({ leg, n }) => [leg, n])).toEqual([
    ['runner', 1],
    ['runner', 2],
    ['runner', 4],
    ['null', 1],
    ['null', 2],
    ['null', 4],
  ])
  const shares = Object.values(json.levels[2]?.shares ?? {})
  expect(shares.reduce<number>((sum, share) => sum + (share ?? 0), 0)).toBeCloseTo(1)
})

test('a number that can’t be had is null: too few samples, no samples of the machine, nothing that came through', () => {
  const few = sweepOf({ samplesPerSec: 0, waves: 2, closing: false })
  expect(reportJson(few.state, few.analysis, null)).toMatchObject({
    reportPath: null,
    levels: [{ n: 1, ttfaMs: { p50: null, p95: null, p99: null }, hostCpuPercentMax: null, loopDelayMsP99: null }, {}, {}],
  })
  const failed = sweepOf({ faults: { failEvery: 1 } })
  expect(reportJson(failed.state, failed.analysis, null).levels[0]).toMatchObject({ failures: 8, wallMs: { p50: null } })
})

test('a ceiling is a number only where it was found', () => {
  const { state, analysis } = sweepOf()
  const with_ = (slo: Partial<Ceiling>): Analysis => ({
    ...analysis,
    ceilings: { ...analysis.ceilings, slo: { status: 'unknown', n: null, low: null, high: null, because: '', ...slo } },
  })
  const sloOf = (slo: Partial<Ceiling>) => reportJson(state, with_(slo), null).ceilings.slo
  expect(sloOf({ status: 'found', n: 4, low: 4, high: 8 })).toEqual({ n: 4, low: 4, high: 8, because: '' })
  expect(sloOf({ status: 'not-reached', n: 16, low: 16 })).toEqual({ n: null, low: 16, high: null, because: '' })
  expect(sloOf({ status: 'none-holds', n: null, high: 1 })).toEqual({ n: 0, low: null, high: 1, because: '' })
  expect(sloOf({ status: 'unknown' })).toBeNull()
})

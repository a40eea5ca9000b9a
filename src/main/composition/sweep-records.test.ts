import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { analyse } from '../../core/analysis/analyse.ts'
import type { Analysis } from '../../core/analysis/analysis.ts'
import { reportJson } from '../../core/report/report-json.ts'
import { type SweepId, sweepIdSchema } from '../../core/result/ids.ts'
import { ok } from '../../core/result/result.ts'
import { sweepStateOf } from '../../core/sweep/fold-sweep.ts'
import type { SweepEvent } from '../../core/sweep/sweep-event.ts'
import type { SweepListRow, SweepSummary } from '../../core/sweep/sweep-list-row.ts'
import { silentLog } from '../platform/log.ts'
import { createSweepRecords, type SweepKeeper, type SweepRecordsDeps } from './sweep-records.ts'

const sweepId = sweepIdSchema.parse('s1')
const measured = syntheticSweep({ slots: 2, levels: [1, 2, 4], prefillMs: 50, tokenMs: 10, outputTokens: 20, seed: 1 })

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-records-'))
})
afterEach(() => rmSync(dir, { recursive: true, force: true }))

function setUp(events: readonly SweepEvent[], change: Partial<SweepRecordsDeps> = {}, row: Partial<SweepListRow> = {}) {
  const finished: [SweepId, SweepSummary][] = []
  const listed = { sweepId, number: 7, status: 'completed', verdict: null, sessions: 10, ...row } as SweepListRow
  const store: SweepKeeper = {
    createSweep: () => ok(7),
    appendSweepEvents: () => {},
    readSweepEvents: (id) => (id === sweepId ? [...events] : []),
    listSweeps: () => [listed],
    finishSweep: (...summary) => void finished.push(summary),
    importSweep: () => ok({ isNew: true }),
    flush: () => ok(undefined),
  }
  const records = createSweepRecords({
    store,
    reportsDir: join(dir, 'reports'),
    log: silentLog,
    analyse,
    renderHtml: async (state, _analysis, { number }) => `<html>${number} ${state.status}</html>`,
    renderJson: reportJson,
    ...change,
  })
  return { records, finished }
}

test('an ended sweep gets its status, verdict and ceiling for the list', () => {
  const { records, finished } = setUp(measured)
  const state = sweepStateOf(measured)
  if (state === undefined) throw new Error('no state')
  records.finish(sweepId, state)
  const analysis: Analysis = analyse(state)
  expect(finished).toMatchObject([[sweepId, { status: 'completed', durationMs: state.lastAtMs, verdict: { sentence: analysis.verdict.sentence } }]])
})

test('a sweep whose analysis breaks still ends, without a verdict', () => {
  const broken = () => {
    throw new Error('x')
  }
  const { records, finished } = setUp(measured, { analyse: broken })
  const state = sweepStateOf(measured)
  if (state !== undefined) records.finish(sweepId, state)
  expect(finished).toMatchObject([[sweepId, { status: 'completed', verdict: null, ceiling: '–' }]])
})

test('a sweep that was cut off is summarised at the next start, with what was measured; one with a verdict or that runs is left alone', () => {
  const cut = syntheticSweep({
    ...{ slots: 2, levels: [1, 2, 4], prefillMs: 50, tokenMs: 10, outputTokens: 20, seed: 1 },
    ...{ endAfterCells: 4, outcome: 'interrupted' },
  })
  const { records, finished } = setUp(cut, {}, { status: 'interrupted' })
  records.summariseInterrupted()
  expect(finished).toMatchObject([[sweepId, { status: 'interrupted', verdict: { confidence: expect.any(String) } }]])
  for (const row of [{ status: 'running' as const }, { verdict: { primary: 'x', confidence: 'y', sentence: 'z' } }, { sessions: 0 }]) {
    const other = setUp(cut, {}, row)
    other.records.summariseInterrupted()
    expect(other.finished).toEqual([])
  }
})

test('a report is written to the reports folder under a name that sorts, and handed over', async () => {
  const { records } = setUp(measured)
  const report = await records.report(sweepId, 'html')
  if (!report.ok) throw new Error(report.error.happened)
  expect(report.value.fileName).toMatch(/^plimsoll-sweep-7-\d{4}-\d\d-\d\d\.html$/)
  expect(report.value.path).toBe(join(dir, 'reports', report.value.fileName))
  expect(readFileSync(report.value.path ?? '', 'utf8')).toBe(report.value.content)
  const json = await records.report(sweepId, 'json')
  expect(json.ok && JSON.parse(json.value.content)).toMatchObject({ schema: 'plimsoll.sweep/1', reportPath: json.ok && json.value.path })
})

test('a reports folder that can’t be written still gives the report', async () => {
  const { records } = setUp(measured, { reportsDir: join(dir, 'file', 'reports') })
  writeFileSync(join(dir, 'file'), '')
  expect(await records.report(sweepId, 'html')).toMatchObject({ ok: true, value: { path: null, content: '<html>7 completed</html>' } })
  expect(JSON.parse(((await records.report(sweepId, 'json')) as { value: { content: string } }).value.content)).toMatchObject({ reportPath: null })
})

test('a sweep that is not there is a Problem', async () => {
  expect(await setUp(measured).records.report(sweepIdSchema.parse('nope'), 'html')).toMatchObject({ ok: false, error: { code: 'sweep-missing' } })
})

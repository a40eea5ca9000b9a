import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { analyse } from '../../../core/analysis/analyse.ts'
import { comparisonSchema } from '../../../core/compare/comparison.ts'
import { packRawData } from '../../../core/report/raw-data.ts'
import { reportJson } from '../../../core/report/report-json.ts'
import { problem } from '../../../core/result/problem.ts'
import { err, ok } from '../../../core/result/result.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import type { SweepListRow } from '../../../core/sweep/sweep-list-row.ts'
import { IDLE_TUNE } from '../../../core/sweep/tune.ts'
import { createSweepRecords } from '../../composition/sweep-records.ts'
import { systemClock } from '../../platform/clock.ts'
import { silentLog } from '../../platform/log.ts'
import { renderReportHtml } from '../../services/report/render-report-html.ts'
import { openStore, type Store } from '../../services/store/store.ts'
import type { CliApp, OpenCliApp } from './cli-app.ts'
import { compareCommand } from './compare-command.ts'
import { importCommand } from './import-command.ts'
import { silentIo } from './played-io.ts'
import { reportCommand } from './report-command.ts'

const BASE: SyntheticSettings = { slots: 2, levels: [1, 2, 4], repeats: 2, waves: 8, prefillMs: 40, tokenMs: 5, outputTokens: 12, seed: 1 }

function stateOf(settings: Partial<SyntheticSettings> = {}): SweepState {
  const state = sweepStateOf(syntheticSweep({ ...BASE, ...settings }))
  if (state === undefined) throw new Error('The synthetic sweep is empty.')
  return state
}

let dir: string
let store: Store
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-compare-'))
  const opened = openStore({ dir, clock: systemClock, log: silentLog })
  if (!opened.ok) throw new Error(opened.error.happened)
  store = opened.value
})
afterEach(async () => {
  await store.close()
  rmSync(dir, { recursive: true, force: true })
})

/** The real store and records; nothing that would start a process. */
const openApp: OpenCliApp = async () => {
  const records = createSweepRecords({
    ...{ store, log: silentLog, analyse, renderJson: reportJson, reportsDir: join(dir, 'reports') },
    renderHtml: async () => '',
  })
  const notPlayed = problem('not-played', 'No sweep is run here.', '', '')
  const app: CliApp = {
    dataDir: dir,
    sweeps: {
      ...{ estimate: () => ({ cells: 0, sessions: 0, seconds: 0, costUsd: null }), cancel: async () => {} },
      ...{ start: async () => err(notPlayed), resume: async () => err(notPlayed), extend: async () => err(notPlayed) },
      ...{ events: () => () => {}, live: () => () => {} },
    },
    tuner: { start: async () => ok(undefined), cancel: async () => {}, state: () => IDLE_TUNE, onChange: () => () => {} },
    listSweeps: () => store.listSweeps(),
    readSweepEvents: (sweepId: SweepListRow['sweepId']): readonly SweepEvent[] => store.readSweepEvents(sweepId),
    chats: { list: () => [], events: () => [] },
    importReport: records.importReport,
    discoverServers: async () => [],
    close: async () => {},
  }
  return ok(app)
}

const noApp: OpenCliApp = async () => {
  throw new Error('The app was opened though nothing of it was asked for.')
}

function reportFile(name: string, settings: Partial<SyntheticSettings> = {}): string {
  const state = stateOf(settings)
  const path = join(dir, name)
  writeFileSync(path, name.endsWith('.html') ? renderReportHtml(state, analyse(state)) : JSON.stringify(packRawData(state, analyse(state))))
  return path
}

const SLOW = { seed: 2, prefillMs: 50, tokenMs: 6.25 }

test('two report files of the same thing: exit code 0, and the app is not even opened', async () => {
  const { io, out } = silentIo()
  const files = [reportFile('a.html'), reportFile('b.json', { seed: 2 })] as const
  expect(await compareCommand(files, { failOn: 'regression' }, noApp, io)).toBe(0)
  expect(out()).toContain('before: a.html')
  expect(out()).toContain('equal')
  expect(
    out()
      .split('\n')
      .filter((line) => /^wall \(p50\) .* equal$/.test(line)),
  ).toHaveLength(3)
})

test('25 % slower: exit code 3 with --fail-on regression, 0 without, and --json prints one object', async () => {
  const files = [reportFile('a.html'), reportFile('b.html', SLOW)] as const
  const { io, out } = silentIo()
  expect(await compareCommand(files, { failOn: 'regression', json: true }, noApp, io)).toBe(3)
  expect(comparisonSchema.parse(JSON.parse(out()))).toMatchObject({ regression: true, schema: 'plimsoll.compare/1' })
  const quiet = silentIo()
  expect(await compareCommand(files, {}, noApp, quiet.io)).toBe(0)
  expect(quiet.out()).toContain('REGRESSION')
  expect(await compareCommand(files, { failOn: 'regression', margin: '40%' }, noApp, silentIo().io)).toBe(0)
})

test('a gate that could compare nothing does not let through', async () => {
  const { io, err: told } = silentIo()
  const files = [reportFile('a.html'), reportFile('b.html', { outputTokens: 24 })] as const
  expect(await compareCommand(files, { failOn: 'regression' }, noApp, io)).toBe(1)
  expect(told()).toContain('could be compared')
})

test('an imported report is a stored sweep: by number, by id, as last; a second import changes nothing', async () => {
  const { io, out } = silentIo()
  const path = reportFile('mail.html')
  expect(await importCommand(path, {}, openApp, io)).toBe(0)
  expect(await importCommand(path, {}, openApp, io)).toBe(0)
  expect(out()).toContain('It is here already, as sweep 1.')
  expect(store.listSweeps()).toMatchObject([{ number: 1, status: 'completed', levels: [1, 2, 4], sweepId: 'synthetic-1' }])
  expect(await importCommand(reportFile('slow.html', SLOW), {}, openApp, io)).toBe(0)
  for (const before of ['1', 'synthetic-1', path])
    expect(await compareCommand([before, 'last'], { failOn: 'regression' }, openApp, silentIo().io)).toBe(3)
  const again = analyse(sweepStateOf(store.readSweepEvents(stateOf().plan.sweepId)) ?? stateOf({ seed: 9 }))
  expect(again.verdict.primary).toBe(analyse(stateOf()).verdict.primary)
  expect(store.listSweeps().find(({ number }) => number === 1)?.verdict?.sentence).toBe(again.verdict.sentence)
})

test('what can’t be imported or compared is said, and nothing is stored', async () => {
  mkdirSync(join(dir, 'folder.html'))
  writeFileSync(join(dir, 'other.html'), '<!doctype html>')
  const { io, err: told } = silentIo()
  for (const name of ['none.html', 'folder.html', 'other.html']) expect(await importCommand(join(dir, name), {}, openApp, io)).toBe(1)
  expect(told()).toMatch(/no such file[\s\S]*it is a folder[\s\S]*no report by Plimsoll/)
  expect(await compareCommand(['7', 'last'], {}, openApp, io)).toBe(1)
  expect(told()).toContain('There is no sweep "7"')
  expect(store.listSweeps()).toEqual([])
})

test('options that mean nothing are refused', async () => {
  const { io } = silentIo()
  expect(await compareCommand(['1', '2'], { failOn: 'anything' }, noApp, io)).toBe(2)
  expect(await compareCommand(['1', '2'], { margin: 'much' }, noApp, io)).toBe(2)
  expect(await compareCommand(['1', '2'], { margin: '0' }, noApp, io)).toBe(2)
})

test('report --csv and --levels-csv write the tables and say where', async () => {
  await importCommand(reportFile('mail.html'), {}, openApp, silentIo().io)
  const { io, out } = silentIo()
  const [csv, levelsCsv] = [join(dir, 'sessions.csv'), join(dir, 'levels.csv')]
  expect(await reportCommand('last', { csv, levelsCsv }, openApp, io)).toBe(0)
  expect(out()).toBe(`${csv}\n${levelsCsv}\n`)
  expect(readFileSync(csv, 'utf8').split('\r\n')).toHaveLength(stateOf().rows.length + 2)
  expect(readFileSync(levelsCsv, 'utf8').split('\r\n')).toHaveLength(5)
})

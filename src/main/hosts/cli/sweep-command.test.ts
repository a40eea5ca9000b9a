import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { syntheticSweep } from '../../../../test/synthetic-sweep.ts'
import { reportJsonSchema } from '../../../core/report/report-json.ts'
import { sweepIdSchema } from '../../../core/result/ids.ts'
import { problem } from '../../../core/result/problem.ts'
import { err, ok } from '../../../core/result/result.ts'
import type { SweepRequest } from '../../../core/sweep/plan.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import { IDLE_TUNE } from '../../../core/sweep/tune.ts'
import type { CliApp, OpenCliApp } from './cli-app.ts'
import { silentIo } from './played-io.ts'
import { sweepCommand } from './sweep-command.ts'

const settings = { slots: 1, levels: [1, 2], waves: 4, prefillMs: 20, tokenMs: 2, outputTokens: 5, seed: 5 }
const whole = syntheticSweep(settings)
const sweepId = sweepIdSchema.parse('played')

let dataDir: string
beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-cli-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

/** An app whose sweep plays the given events; the last one waits for `finish` or a cancel. */
function playedApp(events: readonly SweepEvent[], options: { hold?: boolean; refuse?: readonly string[]; onStarted?: () => void } = {}) {
  const requests: SweepRequest[] = []
  const continued: string[] = []
  let closed = 0
  let release = (_: readonly SweepEvent[]) => {}
  const app: CliApp = {
    dataDir,
    sweeps: {
      estimate: () => ({ cells: 5, sessions: 40, seconds: 9, costUsd: null }),
      async start(request) {
        const engine = request.target.kind === 'built-in' ? request.target.engine : 'server'
        if (options.refuse?.includes(engine) === true) return err(problem('engine-unavailable', `The ${engine} engine can't run here.`, '', ''))
        requests.push(request)
        return ok({ sweepId })
      },
      async resume(asked) {
        continued.push(`resume ${asked}`)
        return options.refuse?.includes('resume') === true ? err(problem('nothing-left', 'All cells were measured.', '', '')) : ok({ sweepId: asked })
      },
      async extend(asked, { n, waves }) {
        continued.push(`extend ${asked} ${n} ${waves}`)
        return ok({ sweepId: asked })
      },
      async cancel() {
        release([{ type: 'sweep-ended', atMs: 9_999, outcome: 'cancelled', problem: null }])
      },
      events(_, listener, onEnd) {
        release = (last) => {
          listener(last)
          onEnd?.()
        }
        listener(options.hold === true ? events.slice(0, -1) : events)
        if (options.hold === true) options.onStarted?.()
        else onEnd?.()
        return () => {}
      },
      live: () => () => {},
    },
    tuner: { start: async () => ok(undefined), cancel: async () => {}, state: () => IDLE_TUNE, onChange: () => () => {} },
    listSweeps: () => [],
    readSweepEvents: () => [],
    importReport: () => err(problem('not-played', 'Imports are not played here.', '', '')),
    chats: { list: () => [], events: () => [] },
    discoverServers: async () => [],
    async close() {
      closed += 1
    },
  }
  const open: OpenCliApp = async () => ok(app)
  return { open, requests, closed: () => closed }
}

test('--json prints one object on standard output and nothing else there', async () => {
  const { io, out, err: told } = silentIo()
  const { open, closed } = playedApp(whole)
  expect(await sweepCommand({ engine: 'simulated', json: true }, open, io)).toBe(0)
  const json = reportJsonSchema.parse(JSON.parse(out()))
  expect(json.reportPath).toMatch(/reports\/sweep-.*\.html$/)
  expect(readdirSync(join(dataDir, 'reports'))).toHaveLength(1)
  expect(told()).toContain('5 cells, some 40 sessions, about 9 s')
  expect(closed()).toBe(1)
})

test('without --json the table and the sentence are printed, and each cell leaves a line on standard error', async () => {
  const { io, out, err: told } = silentIo()
  expect(await sweepCommand({ engine: 'simulated' }, playedApp(whole).open, io)).toBe(0)
  expect(out()).toContain('ttfa p50')
  expect(told().match(/^\[\d\/\d\]/gm)?.length).toBe(4)
})

test('on a terminal progress is one line that is written over and taken away', async () => {
  const { io, err: told } = silentIo({ terminal: true })
  await sweepCommand({ engine: 'simulated' }, playedApp(whole).open, io)
  const progress = told().slice(told().indexOf('\r'))
  expect(progress).not.toContain('\n')
  expect(progress.endsWith('\r\u001b[2K')).toBe(true)
})

test('the first Ctrl-C keeps and reports what there is, and ends with 130', async () => {
  const played = silentIo()
  const { open, closed } = playedApp(whole, { hold: true, onStarted: () => setImmediate(() => played.interrupt()) })
  expect(await sweepCommand({ engine: 'simulated', json: true }, open, played.io)).toBe(130)
  const json = reportJsonSchema.parse(JSON.parse(played.out()))
  expect(json.status).toBe('cancelled')
  expect(json.levels.length).toBeGreaterThan(0)
  expect(readdirSync(join(dataDir, 'reports'))).toHaveLength(1)
  expect(closed()).toBe(1)
})

test('the second Ctrl-C quits at once', async () => {
  const played = silentIo()
  const { open } = playedApp(whole, {
    hold: true,
    onStarted: () =>
      setImmediate(() => {
        played.interrupt()
        played.interrupt()
      }),
  })
  await sweepCommand({ engine: 'simulated' }, open, played.io)
  expect(played.quits).toEqual([130])
})

test('where nothing was asked for and llama can’t run, the simulated server is measured, and why is said', async () => {
  const { io, err: told } = silentIo()
  const { open, requests } = playedApp(whole, { refuse: ['llama'] })
  expect(await sweepCommand({}, open, io)).toBe(0)
  expect(requests.map(({ target }) => target.kind === 'built-in' && target.engine)).toEqual(['simulated'])
  expect(told()).toContain("The llama engine can't run here.")
  expect(told()).toContain('simulated server instead')
})

test('an engine that was asked for by name is not replaced by another', async () => {
  const { io, out, err: told } = silentIo()
  const { open } = playedApp(whole, { refuse: ['llama'] })
  expect(await sweepCommand({ engine: 'llama' }, open, io)).toBe(1)
  expect(told()).toContain("The llama engine can't run here.")
  expect(out()).toBe('')
})

test('a sweep that fails midway is reported all the same, and ends with 1', async () => {
  const events = syntheticSweep({ ...settings, endAfterCells: 2, outcome: 'failed' })
  const { io, out } = silentIo()
  expect(await sweepCommand({ engine: 'simulated' }, playedApp(events).open, io)).toBe(1)
  expect(out()).toContain('This sweep failed.')
  expect(readdirSync(join(dataDir, 'reports'))).toHaveLength(1)
})

test('a report that can’t be written is known before the sweep starts', async () => {
  const { io, err: told } = silentIo()
  const { open, requests } = playedApp(whole)
  expect(await sweepCommand({ engine: 'simulated', out: dataDir }, open, io)).toBe(2)
  expect(told()).toContain(dataDir)
  expect(requests).toEqual([])
})

test('bad options end with 2 before anything is opened', async () => {
  const { io, err: told } = silentIo()
  const open: OpenCliApp = () => Promise.reject(new Error('opened'))
  expect(await sweepCommand({ levels: '0,-1,x' }, open, io)).toBe(2)
  expect(told()).toContain('0 is below 1; -1 is below 1; "x" is not a number')
})

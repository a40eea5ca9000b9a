import { afterAll, beforeAll, expect, test } from 'vitest'
import { steadySpan } from '../../core/analysis/levels/steady-span.ts'
import { sweepIdSchema } from '../../core/result/ids.ts'
import type { Cell, Load, SweepPlan } from '../../core/sweep/plan.ts'
import { sweepRequestSchema } from '../../core/sweep/plan.ts'
import { planSweep } from '../../core/sweep/plan-sweep.ts'
import type { DriverReport } from '../../core/sweep/sweep-event.ts'
import type { TurnRow } from '../../core/sweep/turn-row.ts'
import { type ChildHandle, nodeForkChild } from '../platform/child.ts'
import type { DriverMessage } from './messages.ts'

/** 50 ms to the first token, then 100 tokens/s. */
const SERVER = { engine: 'null', settings: { prefillMs: 50, tokensPerSec: 100, answerTokens: 16 } }
/** The same server, so slow that no turn ends in time. */
const SLOW = { engine: 'null', settings: { prefillMs: 60_000, tokensPerSec: 100, answerTokens: 16 } }
const TURN_MS = 200

const children: ChildHandle[] = []
let driver: ChildHandle
let url = ''
let slowUrl = ''

beforeAll(async () => {
  const fork = nodeForkChild('out/main')
  const serve = (options: object) =>
    new Promise<string>((resolve, reject) => {
      const server = fork('model-host')
      children.push(server)
      server.onMessage((message) => {
        const { type, url: at } = message as { type: string; url?: string }
        if (type === 'started' && at !== undefined) resolve(at)
        else reject(new Error(JSON.stringify(message)))
      })
      server.send({ type: 'start', options })
    })
  driver = fork('load-driver')
  children.push(driver)
  url = await serve(SERVER)
  slowUrl = await serve(SLOW)
})

afterAll(async () => {
  await Promise.all(children.map((child) => child.stop()))
})

function planOf(load: Load, levels: number[], serverUrl: string, turnDeadlineMs = 10_000): { plan: SweepPlan; cell: Cell } {
  const request = sweepRequestSchema.parse({
    target: { kind: 'server', url: serverUrl, model: 'plimsoll-null' },
    ...{ levels, load, legs: ['direct'], repeats: 1, turnDeadlineMs, workload: { outputTokens: 16 } },
  })
  const plan = planSweep(request, { sweepId: sweepIdSchema.parse('spans') })
  const cell = plan.cells.find((one) => one.load !== undefined)
  if (cell === undefined) throw new Error('the plan has a cell of this load')
  return { plan, cell }
}

function playCell(
  { plan, cell }: { plan: SweepPlan; cell: Cell },
  serverUrl: string,
  abortAfterMs?: number,
): Promise<{ rows: TurnRow[]; report: DriverReport; startMs: number }> {
  const rows: TurnRow[] = []
  let startMs = 0
  return new Promise((resolve) => {
    const stop = driver.onMessage((received) => {
      const message = received as DriverMessage
      if (message.type === 'wave-started') {
        startMs = message.atMs
        if (abortAfterMs !== undefined) setTimeout(() => driver.send({ type: 'abort-wave' }), abortAfterMs)
      }
      if (message.type === 'turns-ended') rows.push(...message.rows)
      if (message.type === 'wave-ended') driver.send({ type: 'end-cell' })
      if (message.type === 'cell-ended') {
        stop()
        resolve({ rows, report: message.report, startMs })
      }
    })
    driver.send({ type: 'begin-cell', plan, cell, path: { runner: null, serverUrl, model: 'plimsoll-null' } })
    driver.send({ type: 'play-wave', wave: 0 })
  })
}

test('M7: a sustained cell keeps N in flight for its span, and lets the last turns finish', { retry: 2 }, async () => {
  const { rows, report, startMs } = await playCell(planOf({ kind: 'sustained', spanMs: 3_000 }, [8], url), url)
  expect(rows.every((row) => row.outcome === 'completed')).toBe(true)
  expect(report.maxInFlight).toBe(8)
  const span = steadySpan(rows, 8)
  expect((span?.toMs ?? 0) - (span?.fromMs ?? 0)).toBeGreaterThan(2_400)
  const lastBegan = Math.max(...rows.map((row) => row.plannedAtMs - startMs))
  expect(lastBegan).toBeLessThan(3_100)
  expect(lastBegan).toBeGreaterThan(2_500)
  // Eight sessions, a turn each 200 ms and a little: two thirds of that on a busy machine.
  expect(rows.length).toBeGreaterThan((0.66 * 8 * 3_000) / TURN_MS)
  for (const row of rows)
    if ((row.turn ?? 0) > 0) expect(rows.some((other) => other.session === row.session && other.endAtMs === row.plannedAtMs)).toBe(true)
})

test('an open cell submits all its sessions at their moments, whatever is in flight', { retry: 2 }, async () => {
  const asked = planOf({ kind: 'open', spanMs: 3_000, ratesPerSec: [30] }, [], url)
  const { rows, report, startMs } = await playCell(asked, url)
  expect(rows).toHaveLength(asked.cell.n)
  const planned = rows.map((row) => row.plannedAtMs - startMs).sort((a, b) => a - b)
  for (const [i, atMs] of planned.entries()) expect(atMs).toBeCloseTo(asked.cell.plannedOffsetsMs[i] ?? Number.NaN, 3)
  expect(report.lagP50Ms).toBeLessThan(2)
  expect(report.lagP99Ms).toBeLessThan(50)
  // L = λ·W: thirty a second that take a fifth of a second each.
  const held = rows.reduce((sum, row) => sum + row.endAtMs - row.plannedAtMs, 0) / 3_000
  expect(held).toBeGreaterThan(0.7 * 30 * (TURN_MS / 1_000))
  expect(report.maxInFlight).toBeGreaterThan(held)
})

test('M2: a server that never answers: every turn ends at its deadline, and so does the cell', async () => {
  const sustained = await playCell(planOf({ kind: 'sustained', spanMs: 1_200 }, [3], slowUrl, 500), slowUrl)
  expect(sustained.rows.length).toBeGreaterThanOrEqual(6)
  for (const row of sustained.rows) {
    expect(row.problem?.code).toBe('turn-deadline')
    expect(row.endAtMs - row.plannedAtMs).toBeLessThan(1_000)
  }
  const open = planOf({ kind: 'open', spanMs: 600, ratesPerSec: [10] }, [], slowUrl, 500)
  expect((await playCell(open, slowUrl)).rows.map((row) => row.problem?.code)).toEqual(new Array(open.cell.n).fill('turn-deadline'))
})

test('M2: an abort ends the span at once and keeps what was measured', async () => {
  const begunMs = performance.now()
  const { rows } = await playCell(planOf({ kind: 'sustained', spanMs: 60_000 }, [4], url), url, 900)
  expect(performance.now() - begunMs).toBeLessThan(5_000)
  expect(rows.filter((row) => row.outcome === 'completed').length).toBeGreaterThan(4)
  expect(rows.filter((row) => row.outcome === 'cut').length).toBeLessThanOrEqual(4)
})

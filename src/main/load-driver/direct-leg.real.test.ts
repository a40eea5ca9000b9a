import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepIdSchema } from '../../core/result/ids.ts'
import type { Cell, SweepPlan } from '../../core/sweep/plan.ts'
import { sweepRequestSchema } from '../../core/sweep/plan.ts'
import { burstOffsetsMs, planSweep } from '../../core/sweep/plan-sweep.ts'
import type { DriverReport } from '../../core/sweep/sweep-event.ts'
import type { TurnRow } from '../../core/sweep/turn-row.ts'
import { type ChildHandle, nodeForkChild } from '../platform/child.ts'
import type { DriverMessage, LoadPath } from './messages.ts'

/** The truth that the control server keeps: 50 ms to the first token, then 100 tokens/s, and a log of its own. */
const CONTROL = { engine: 'null', settings: { prefillMs: 50, tokensPerSec: 100, answerTokens: 64 } }
const N = 256
const WAVES = 3

let server: ChildHandle
let driver: ChildHandle
let url = ''

beforeAll(async () => {
  const fork = nodeForkChild('out/main')
  server = fork('model-host')
  driver = fork('load-driver')
  url = await new Promise<string>((resolve, reject) => {
    server.onMessage((message) => {
      const { type, url: at } = message as { type: string; url?: string }
      if (type === 'started' && at !== undefined) resolve(at)
      else reject(new Error(JSON.stringify(message)))
    })
    server.send({ type: 'start', options: CONTROL })
  })
})

afterAll(async () => {
  await Promise.all([driver?.stop(), server?.stop()])
})

function planFor(n: number, outputTokens: number): { plan: SweepPlan; cell: Cell } {
  const request = sweepRequestSchema.parse({
    target: { kind: 'server', url, model: 'plimsoll-null' },
    levels: [n],
    legs: ['direct'],
    workload: { outputTokens },
  })
  const plan = planSweep(request, { sweepId: sweepIdSchema.parse('direct') })
  return { plan, cell: { index: 1, leg: 'direct', n, repeat: 1, waves: WAVES, role: 'measure', plannedOffsetsMs: burstOffsetsMs(n) } }
}

function playCell(plan: SweepPlan, cell: Cell, path: LoadPath): Promise<{ rows: TurnRow[]; report: DriverReport }> {
  const rows: TurnRow[] = []
  return new Promise((resolve) => {
    const stop = driver.onMessage((received) => {
      const message = received as DriverMessage
      if (message.type === 'turns-ended') rows.push(...message.rows)
      if (message.type === 'wave-ended')
        driver.send(message.wave + 1 < cell.waves ? { type: 'play-wave', wave: message.wave + 1 } : { type: 'end-cell' })
      if (message.type === 'cell-ended') {
        stop()
        resolve({ rows, report: message.report })
      }
    })
    driver.send({ type: 'begin-cell', plan, cell, path })
    driver.send({ type: 'play-wave', wave: 0 })
  })
}

const rank = (values: readonly number[], share: number) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

// On a machine that others use, one try in three may be spoilt; a driver that can't do it fails all three.
test(`M1, M1b: at ${N} streams × 100 tokens/s the driver's time to first token is that of the server's own log`, { retry: 2 }, async () => {
  const path = { runner: null, serverUrl: url, model: 'plimsoll-null' }
  // Some thousand short answers until both sides run compiled code: a cold server takes three times as long to read a request.
  const warmUp = planFor(N, 2)
  await playCell(warmUp.plan, { ...warmUp.cell, index: 0, waves: 12 }, path)
  const { plan, cell } = planFor(N, 64)
  const { rows, report } = await playCell(plan, cell, path)
  const log = (await (await fetch(`${url}/plimsoll/log`)).json()) as {
    requests: { callId: string | null; arrivalMs: number; firstTokenMs: number }[]
  }
  const byCall = new Map(log.requests.map((request) => [request.callId, request]))
  const seen = rows.map((row) => (row.firstActivityAtMs ?? Number.NaN) - row.submitAtMs)
  const said = rows.map((row) => {
    const entry = byCall.get(`${row.cell}-${row.wave}-${row.session}`)
    return entry === undefined ? Number.NaN : entry.firstTokenMs - entry.arrivalMs
  })
  const figures = {
    seen: { p50: rank(seen, 0.5), p99: rank(seen, 0.99) },
    said: { p50: rank(said, 0.5), p99: rank(said, 0.99) },
    report,
  }
  process.stderr.write(`direct leg, N=${N}: ${JSON.stringify(figures)}\n`)
  expect(rows.filter((row) => row.outcome !== 'completed')).toEqual([])
  expect(rows).toHaveLength(N * WAVES)
  expect(rows.every((row) => row.timeline?.calls[0]?.outputTokens === 64)).toBe(true)
  expect(report.maxInFlight).toBe(N)
  // On two idle cores 1 and 3 ms were seen; tests beside this one take their share. A connection made on the clock, or a burst in one instant, costs 11 ms and more.
  expect(figures.seen.p50 - figures.said.p50).toBeLessThan(6)
  expect(figures.seen.p99 - figures.said.p99).toBeLessThan(30)
})

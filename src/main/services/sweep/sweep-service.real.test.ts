import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { sweepIdSchema } from '../../../core/result/ids.ts'
import { err, ok } from '../../../core/result/result.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import { type SweepRequestInput, sweepRequestSchema } from '../../../core/sweep/plan.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import type { Target } from '../../../core/sweep/target.ts'
import type { TurnRow } from '../../../core/sweep/turn-row.ts'
import { nodeForkChild } from '../../platform/child.ts'
import { systemClock } from '../../platform/clock.ts'
import { stderrLog } from '../../platform/log.ts'
import { createModels, type Models } from '../models/models.ts'
import { createRunner, type Runner } from '../runner/runner.ts'
import type { StartedTarget } from './ports.ts'
import { createSweepService, type SweepService } from './sweep.ts'

// The real runner, the real driver, the built-in servers; only the store is a list.

let dir: string
let models: Models
let runner: Runner
let service: SweepService
let serverPid: number | undefined
let driverPids: (number | undefined)[] = []
const stored = new Map<string, SweepEvent[]>()

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'plimsoll-sweep-'))
  const fork = nodeForkChild('out/main')
  const log = stderrLog(false)
  models = createModels({ fork, dir, log, env: {} })
  runner = createRunner({ clock: systemClock, log, limit: 4, version: 'test' })
  const api = await runner.listen({ host: '127.0.0.1', port: 0 })
  if (!api.ok) throw new Error(api.error.happened)
  const builtIn = async ({ engine, model, slots, settings }: Omit<Extract<Target, { kind: 'built-in' }>, 'kind'>) => {
    const started = await models.startBuiltIn({ engine, model, slots, settings })
    if (!started.ok) return started
    const { url, info, pid, stop } = started.value
    serverPid = pid
    const facts = await models.readServerFacts(url, info.models[0] ?? '')
    return facts.ok ? ok<StartedTarget>({ facts: facts.value, url, stop }) : facts
  }
  let ids = 0
  service = createSweepService({
    clock: systemClock,
    log,
    forkDriver: () => {
      const child = fork('load-driver')
      driverPids.push(child.pid)
      return child
    },
    startTarget: async (target) => {
      if (target.kind === 'built-in') return builtIn(target)
      const facts = await models.readServerFacts(target.url, target.model)
      return facts.ok ? ok({ facts: facts.value, url: facts.value.url, stop: async () => {} }) : facts
    },
    startNull: () => builtIn({ engine: 'null', model: 'plimsoll-null', slots: 0, settings: { prefillMs: 0, tokensPerSec: 0 } }),
    runnerApi: api.value,
    residentModels: async (url) => {
      const resident = await models.residentModels(url)
      return resident.ok ? ok(resident.value.map((model) => model.name)) : err(resident.error)
    },
    watchSamples: () => () => {},
    setRunnerFault: (fault) => runner.setFault(fault),
    store: {
      create: ({ sweepId }) => {
        stored.set(sweepId, [])
        return ok(1)
      },
      append: (sweepId, events) => void stored.get(sweepId)?.push(...events),
      read: (sweepId) => stored.get(sweepId) ?? [],
      finish: () => {},
      reopen: () => ok(1),
    },
    environment: { plimsoll: '0', node: process.version, system: '', cpuModel: '', cores: 2, memoryBytes: 0, gpus: [], host: 'test' },
    newSweepId: () => sweepIdSchema.parse(`real-${++ids}`),
  })
})

afterAll(async () => {
  await service?.close()
  await runner?.close()
  await models?.close()
  await rm(dir, { recursive: true, force: true })
})

const simulated = (slots: number, settings: Record<string, unknown> = {}): Target => ({
  kind: 'built-in',
  engine: 'simulated',
  model: 'plimsoll-simulated',
  slots,
  settings: { prefillMs: 20, decodeMs: 2, ...settings },
})

type Watch = (batch: readonly SweepEvent[], sweepId: Parameters<SweepService['cancel']>[0]) => void

async function sweep(input: SweepRequestInput, watch: Watch = () => {}): Promise<SweepState> {
  const started = await service.start(sweepRequestSchema.parse(input))
  if (!started.ok) throw new Error(started.error.happened)
  const { sweepId } = started.value
  return new Promise((resolve, reject) => {
    const events: SweepEvent[] = []
    service.events(
      sweepId,
      (batch) => {
        events.push(...batch)
        watch(batch, sweepId)
      },
      () => {
        const state = sweepStateOf(events)
        if (state === undefined) reject(new Error('no events'))
        else resolve(state)
      },
    )
  })
}

const rowsOf = (state: SweepState, leg: string, n: number) =>
  state.rows.filter((row) => {
    const cell = state.cells[row.cell]
    return cell?.cell.leg === leg && cell.cell.n === n && cell.cell.role === 'measure' && cell.status === 'done'
  })

/** How many answers stream at once for at least 5 ms, at most. */
function slotsSeen(rows: readonly TurnRow[]): number {
  const spans = rows.flatMap((row) => row.timeline?.calls ?? []).map((call) => [call.firstDeltaAtMs ?? 0, (call.lastDeltaAtMs ?? 0) - 5] as const)
  return Math.max(...spans.map(([at]) => spans.filter(([from, to]) => from <= at && at < to).length))
}

const rank = (values: readonly number[], share: number) => values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1] ?? Number.NaN

test.each([1, 4])('the rows of a sweep of a server with %i slots hold that many answers at once', async (slots) => {
  const state = await sweep({ target: simulated(slots), levels: [1, 4, 8], repeats: 1, waves: 2, legs: ['runner', 'direct'] })
  expect(state.problem).toBeNull()
  expect(state.status).toBe('completed')
  expect(state.rows.filter((row) => row.outcome !== 'completed')).toEqual([])
  for (const leg of ['runner', 'direct']) {
    expect(slotsSeen(rowsOf(state, leg, 1)), leg).toBe(1)
    expect(slotsSeen(rowsOf(state, leg, 8)), leg).toBe(slots)
  }
  expect(state.facts?.declaredSlots).toBe(slots)
})

test('M6: the drain of our own servers is told, and no cell begins before it', async () => {
  const state = await sweep({ target: simulated(1), levels: [4], repeats: 2, waves: 1, legs: ['runner'] })
  for (const { drainMs } of state.cells) expect(drainMs).toBeGreaterThanOrEqual(0)
  const lastEnd = Math.max(...state.rows.filter((row) => row.cell === 1).map((row) => row.endAtMs))
  expect(state.cells[2]?.startedAtMs).toBeGreaterThan(lastEnd)
})

test('the server killed in mid-cell: a sentence, and what was measured is kept', async () => {
  const state = await sweep({ target: simulated(1), levels: [1, 4], repeats: 2, waves: 3, legs: ['runner'] }, (batch) => {
    if (batch.some((event) => event.type === 'wave-started' && event.cell === 2) && serverPid !== undefined) {
      process.kill(serverPid, 'SIGKILL')
      serverPid = undefined
    }
  })
  expect(state).toMatchObject({ status: 'failed', problem: { code: 'server-lost' } })
  expect(state.cells[1]?.status).toBe('done')
  expect(state.rows.filter((row) => row.cell === 1).every((row) => row.outcome === 'completed')).toBe(true)
  expect(state.rows.some((row) => row.outcome === 'failed' && row.problem !== null)).toBe(true)
})

test('a cancel in mid-cell ends within seconds and keeps the rows', async () => {
  let cancelledAtMs = 0
  const state = await sweep({ target: simulated(1, { decodeMs: 40 }), levels: [1, 4], repeats: 3, waves: 3, legs: ['runner'] }, (batch, sweepId) => {
    if (cancelledAtMs > 0 || !batch.some((event) => event.type === 'turn-ended' && event.row.cell === 1)) return
    cancelledAtMs = systemClock.nowMs()
    void service.cancel(sweepId)
  })
  expect(systemClock.nowMs() - cancelledAtMs).toBeLessThan(5_000)
  expect(state.status).toBe('cancelled')
  expect(state.rows.some((row) => row.outcome === 'completed')).toBe(true)
  expect(runner.sessionCount()).toBe(0)
})

test('the driver killed in mid-cell: the cell is void, run again, and no session is left in the runner', async () => {
  driverPids = []
  const state = await sweep({ target: simulated(4), levels: [1, 4], repeats: 1, waves: 3, legs: ['runner'] }, (batch) => {
    if (batch.some((event) => event.type === 'wave-started' && event.cell === 1 && event.wave === 1) && driverPids.length === 1) {
      process.kill(driverPids[0] ?? 0, 'SIGKILL')
    }
  })
  expect(state.status).toBe('completed')
  expect(state.cells[1]).toMatchObject({ status: 'void', voidReason: { code: 'driver-lost' } })
  const again = state.cells.slice(4).find(({ cell }) => cell.n === state.cells[1]?.cell.n)
  expect(state.rows.filter((row) => row.cell === again?.cell.index && row.outcome === 'completed')).toHaveLength(3 * (again?.cell.n ?? 0))
  expect(runner.sessionCount()).toBe(0)
})

test('a runner that blocks its loop at each start shows it before the first model request, not at the server', async () => {
  const state = await sweep({ target: simulated(4), levels: [1, 4], repeats: 1, waves: 1, legs: ['runner'], faults: { runnerBlockMs: 150 } })
  const lastStart = Math.max(...rowsOf(state, 'runner', 4).map((row) => (row.timeline?.firstModelRequestAtMs ?? 0) - row.plannedAtMs))
  expect(lastStart).toBeGreaterThan(4 * 150)
  expect(runner.gauges().inFlight).toBe(0)
})

test('M10: the null leg carries 64 and 256 sessions without an error, and tells what Plimsoll adds', { retry: 2 }, async () => {
  const target: Target = { kind: 'built-in', engine: 'null', model: 'plimsoll-null', slots: 1, settings: {} }
  const figuresAt = async (n: number) => {
    const state = await sweep({ target, levels: [n], repeats: 1, waves: 6, legs: ['null'] })
    const cell = state.cells.find((c) => c.cell.n === n)
    const rows = state.rows.filter((row) => row.cell === cell?.cell.index)
    const ttfaMs = rows.map((row) => (row.firstActivityAtMs ?? Number.NaN) - row.plannedAtMs)
    const failed = rows.filter((row) => row.outcome !== 'completed').length
    return { failed, sessions: rows.length, p50: rank(ttfaMs, 0.5), p99: rank(ttfaMs, 0.99), driver: cell?.driver }
  }
  const at64 = await figuresAt(64)
  const at256 = await figuresAt(256)
  process.stderr.write(`null leg: ${JSON.stringify({ at64, at256 })}\n`)
  expect(at64).toMatchObject({ failed: 0, sessions: 6 * 64 })
  expect(at256).toMatchObject({ failed: 0, sessions: 6 * 256 })
  // Other tests share the two cores: these bounds find what queues or blocks, the figures proper come from the bench.
  expect(at64.p50).toBeLessThan(100)
  expect(at64.p99).toBeLessThan(300)
})

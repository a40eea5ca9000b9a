import { expect, test } from 'vitest'
import { sweepIdSchema } from '../../../core/result/ids.ts'
import { problem } from '../../../core/result/problem.ts'
import { err, ok } from '../../../core/result/result.ts'
import { planSweep } from '../../../core/sweep/plan-sweep.ts'
import { type SweepLive, sweepEventSchema } from '../../../core/sweep/sweep-event.ts'
import { systemClock } from '../../platform/clock.ts'
import { begin, carried, request, seenToEnd, setUp } from './sweep-bench.ts'

test('a sweep runs its plan to the end, and every event fits its schema', async () => {
  const bench = await setUp({ slots: 4 })
  const { events, state } = await seenToEnd(bench, await begin(bench))
  for (const event of events) if (event.type !== 'samples') sweepEventSchema.parse(event)
  expect(state.problem).toBeNull()
  expect(state.status).toBe('completed')
  expect(carried(state).every((cell) => cell.status === 'done')).toBe(true)
  expect(new Set(state.rows.map((row) => row.cell))).toEqual(new Set(state.cells.map((cell) => cell.cell.index)))
  expect(state.rows.every((row) => row.outcome === 'completed' && row.timeline !== null)).toBe(true)
  const n4 = state.cells.find((cell) => cell.cell.n === 4)
  const ofN4 = state.rows.filter((row) => row.cell === n4?.cell.index)
  expect(ofN4).toHaveLength(8)
  expect(bench.targetStops.count).toBe(1)
  expect(bench.runner.counts().open).toBe(0)
  expect(new Set(bench.runner.counts().prompts).size).toBe(bench.runner.counts().made)
})

test('client stamps and the time line of a row lie on one axis, in order', async () => {
  const bench = await setUp()
  const { state } = await seenToEnd(bench, await begin(bench))
  for (const row of state.rows) {
    const stamps = [
      0,
      row.plannedAtMs,
      row.submitAtMs,
      row.timeline?.acceptedAtMs,
      row.timeline?.calls[0]?.firstDeltaAtMs,
      row.firstActivityAtMs,
      row.doneAtMs,
      row.endAtMs,
    ]
    expect(stamps.map(Number)).toEqual(stamps.map(Number).toSorted((a, b) => a - b))
    expect(row.endAtMs).toBeLessThan(60_000)
    expect(row.receiveLagMs).toBeGreaterThanOrEqual(0)
  }
})

test('one slot gives a staircase: sessions of a burst end one service time apart', async () => {
  const bench = await setUp({ slots: 1, answerMs: 80 })
  const { state } = await seenToEnd(bench, await begin(bench))
  const cell = state.cells.find((c) => c.cell.n === 4)?.cell.index
  const walls = state.rows
    .filter((row) => row.cell === cell && row.wave === 1)
    .map((row) => row.endAtMs - row.plannedAtMs)
    .toSorted((a, b) => a - b)
  expect(walls).toHaveLength(4)
  expect(walls[3]).toBeGreaterThan(4 * 80)
  expect((walls[3] ?? 0) - (walls[0] ?? 0)).toBeGreaterThan(3 * 80)
})

test('M12: what the listener saw, what was stored and what is replayed afterwards are the same', async () => {
  const bench = await setUp({ slots: 4 })
  const sweepId = await begin(bench)
  const { events, state } = await seenToEnd(bench, sweepId)
  expect(bench.stored).toEqual(events)
  expect((await seenToEnd(bench, sweepId)).state).toEqual(state)
  expect(bench.finished).toEqual(state)
})

test('M2: a cancel in mid-wave ends the sweep at once and keeps what was measured', async () => {
  const bench = await setUp({ slots: 1, answerMs: 400 })
  const sweepId = await begin(bench)
  let cancelled: Promise<void> | undefined
  bench.service.live(sweepId, ({ cell, lanes }) => {
    if (cell > 0 && lanes.some((lane) => lane.tokens > 0)) cancelled ??= bench.service.cancel(sweepId)
  })
  const { state } = await seenToEnd(bench, sweepId)
  await cancelled
  expect(state.status).toBe('cancelled')
  expect(state.rows.some((row) => row.outcome === 'completed')).toBe(true)
  const cut = state.rows.filter((row) => row.outcome === 'cut')
  expect(cut.length).toBeGreaterThan(0)
  expect(cut.every((row) => row.timeline?.outcome === 'cut')).toBe(true)
  expect(bench.runner.counts().open).toBe(0)
  expect(bench.service.running()).toBeNull()
})

test('M2: a turn that never ends is ended by its deadline, as a failure with a sentence', async () => {
  const bench = await setUp({ answerMs: 60_000 })
  const { state } = await seenToEnd(bench, await begin(bench, { levels: [1], turnDeadlineMs: 300 }))
  expect(state.rows[0]).toMatchObject({ outcome: 'failed', problem: { code: 'turn-deadline' } })
  expect(state.status).toBe('failed')
  expect(state.problem?.code).toBe('all-turns-failed')
})

test('M2: a driver killed in mid-cell voids the cell, which is run again by a new driver', async () => {
  const bench = await setUp({ slots: 4, answerMs: 150 })
  const { state } = await seenToEnd(bench, await begin(bench), (batch) => {
    const started = batch.some((event) => event.type === 'wave-started' && event.cell === 1)
    if (started && bench.drivers.length === 1) process.kill(bench.drivers[0] ?? 0, 'SIGKILL')
  })
  expect(bench.drivers).toHaveLength(2)
  expect(state.problem).toBeNull()
  expect(state.status).toBe('completed')
  expect(state.cells[1]).toMatchObject({ status: 'void', voidReason: { code: 'driver-lost' } })
  const again = state.cells.slice(4).find(({ cell }) => cell.n === state.cells[1]?.cell.n)
  expect(again).toBeDefined()
  expect(state.rows.filter((row) => row.cell === again?.cell.index && row.outcome === 'completed')).toHaveLength(2 * (again?.cell.n ?? 0))
  expect(bench.runner.counts().open).toBe(0)
})

test('a server that dies in mid-sweep ends the sweep with a sentence; what was measured is kept', async () => {
  const bench = await setUp({ slots: 4 })
  const { state } = await seenToEnd(bench, await begin(bench), (batch) => {
    if (!batch.some((event) => event.type === 'cell-started' && event.cell === 2)) return
    bench.serverUp = false
    bench.runner.behave({ failWith: 502 })
  })
  expect(state.status).toBe('failed')
  expect(state.problem).toMatchObject({ code: 'server-lost', happened: expect.stringContaining('http://fake') })
  expect(state.cells[2]).toMatchObject({ status: 'void', voidReason: { code: 'server-lost' } })
  expect(state.rows.filter((row) => row.outcome === 'completed').length).toBeGreaterThan(0)
})

test('a model deleted in mid-sweep ends the sweep likewise', async () => {
  const bench = await setUp({ slots: 4 })
  const { state } = await seenToEnd(bench, await begin(bench), (batch) => {
    if (batch.some((event) => event.type === 'cell-started' && event.cell === 2)) bench.runner.behave({ failWith: 404 })
  })
  expect(state).toMatchObject({ status: 'failed', problem: { code: 'model-lost' } })
})

test('a level at which every turn is turned away is a finding, not the end', async () => {
  const bench = await setUp({ slots: 4 })
  const { cells } = planSweep(request({ waves: 4 }), { sweepId: sweepIdSchema.parse('any') })
  const n4 = cells.find((cell) => cell.n === 4 && cell.role === 'measure')?.index
  const { state } = await seenToEnd(bench, await begin(bench, { waves: 4 }), (batch) => {
    if (batch.some((event) => event.type === 'cell-started' && event.cell === n4)) bench.runner.behave({ failWith: 503 })
    if (batch.some((event) => event.type === 'cell-ended' && event.cell === n4)) bench.runner.behave({ failWith: null })
  })
  expect(state.problem).toBeNull()
  expect(state.status).toBe('completed')
  expect(state.rows.filter((row) => row.cell === n4).every((row) => row.outcome === 'failed')).toBe(true)
  expect(state.cells[n4 ?? 0]?.wavesStarted).toBe(3)
})

test('M4: a single load inside a cell voids it, and it is run again', async () => {
  const bench = await setUp({ slots: 4 })
  const { state } = await seenToEnd(bench, await begin(bench), (batch) => {
    if (batch.some((event) => event.type === 'cell-started' && event.cell === 2)) bench.runner.behave({ loadsMs: [1_800] })
  })
  expect(state.problem).toBeNull()
  expect(state.status).toBe('completed')
  expect(state.cells[2]).toMatchObject({ status: 'void', voidReason: { code: 'loaded-inside-cell' } })
  const again = state.cells.slice(4).find(({ cell }) => cell.n === state.cells[2]?.cell.n)
  expect(state.rows.filter((row) => row.cell === again?.cell.index && row.outcome === 'completed').length).toBeGreaterThan(0)
})

test('M4: loads that recur void nothing and are said as a warning', async () => {
  const bench = await setUp({ slots: 1 })
  const { state } = await seenToEnd(bench, await begin(bench, { levels: [4] }), (batch) => {
    if (batch.some((event) => event.type === 'cell-started' && event.cell === 1)) bench.runner.behave({ loadsMs: [1_200, 2_400, 3_900] })
  })
  expect(carried(state).every((cell) => cell.status === 'done')).toBe(true)
  expect(state.warnings.filter((warning) => warning.code === 'loads-recur')).toEqual([expect.objectContaining({ cell: 1 })])
})

test('M6: the drain of a server that tells nothing is null, not zero', async () => {
  const bench = await setUp({ slots: 4 })
  const { state } = await seenToEnd(bench, await begin(bench))
  expect(state.cells.every((cell) => cell.drainMs === null)).toBe(true)
})

test('M10: each cell says how the driver did: lag, loop, CPU, sessions in flight', async () => {
  const bench = await setUp({ slots: 4, answerMs: 100 })
  const { state } = await seenToEnd(bench, await begin(bench))
  for (const { cell, driver } of state.cells) {
    expect(driver?.maxInFlight).toBe(cell.n)
    expect(driver?.lagP99Ms).toBeGreaterThanOrEqual(0)
    expect(driver?.cpuPercent).toBeGreaterThan(0)
    expect(driver?.receiveLagP99Ms).toBeGreaterThanOrEqual(0)
  }
})

test('a null server that does not start costs the null leg only, and is said', async () => {
  const bench = await setUp({ slots: 4 }, { startNull: async () => err(problem('model-host-ended', 'It ended.', '', '')) })
  const { state } = await seenToEnd(bench, await begin(bench, { legs: ['runner', 'null'] }))
  expect(state.status).toBe('completed')
  expect(state.cells.filter((cell) => cell.cell.leg === 'null')).toMatchObject([{ status: 'void', voidReason: { code: 'model-host-ended' } }])
  expect(state.warnings.some((warning) => warning.code === 'null-leg-missing')).toBe(true)
})

test('one sweep at a time, and the fault switch is off again afterwards', async () => {
  const bench = await setUp()
  const sweepId = await begin(bench, { faults: { runnerBlockMs: 30 } })
  expect(await bench.service.start(request())).toMatchObject({ ok: false, error: { code: 'sweep-running' } })
  await seenToEnd(bench, sweepId)
  expect(bench.faults).toEqual([30, 0])
  expect((await bench.service.start(request())).ok).toBe(true)
})

test('a target that is not there is said by start, and nothing is stored', async () => {
  const bench = await setUp({}, { startTarget: async () => err(problem('server-unreachable', 'Nothing listens there.', '', '')) })
  expect(await bench.service.start(request())).toMatchObject({ ok: false, error: { code: 'server-unreachable' } })
  expect(bench.stored).toEqual([])
  expect(bench.service.running()).toBeNull()
})

test('a folder that can’t be written is said by start, and the target is stopped', async () => {
  const store = {
    create: () => err(problem('disk-full', 'The disk is full.', '', '')),
    append: () => {},
    read: () => [],
    finish: () => {},
    reopen: () => ok(1),
  }
  const bench = await setUp({}, { store })
  expect(await bench.service.start(request())).toMatchObject({ ok: false, error: { code: 'disk-full' } })
  expect(bench.targetStops.count).toBe(1)
})

test('lanes of the running wave come at most four times a second, samples in batches on the sweep’s own time', async () => {
  const bench = await setUp({ slots: 1, answerMs: 300 })
  const sweepId = await begin(bench)
  const seen: { atMs: number; live: SweepLive }[] = []
  bench.service.live(sweepId, (live) => seen.push({ atMs: systemClock.nowMs(), live }))
  const { events, state } = await seenToEnd(bench, sweepId)
  expect(seen.length).toBeGreaterThan(4)
  const gaps = seen.slice(1).map(({ atMs }, i) => atMs - (seen[i]?.atMs ?? 0))
  expect(Math.min(...gaps)).toBeGreaterThanOrEqual(230)
  expect(seen.some(({ live }) => live.lanes.some((lane) => lane.outcome === 'running' && lane.tokens > 0))).toBe(true)
  expect(seen.at(-1)?.live.remainingMs).not.toBeNull()
  const batches = events.flatMap((event) => (event.type === 'samples' ? [event.samples.length] : []))
  expect(Math.max(...batches)).toBeGreaterThan(5)
  expect(state.samples.every((sample) => sample.atMs >= 0 && sample.atMs < 60_000)).toBe(true)
})

import { expect, test } from 'vitest'
import { problem } from '../../../core/result/problem.ts'
import { err, ok } from '../../../core/result/result.ts'
import { sweepEventSchema } from '../../../core/sweep/sweep-event.ts'
import type { ServerFacts } from '../../../core/sweep/target.ts'
import { type Clock, systemClock } from '../../platform/clock.ts'
import type { SweepPorts } from './ports.ts'
import { begin, FACTS, request, seenToEnd, setUp } from './sweep-bench.ts'

const target = (reread: () => ServerFacts): Partial<SweepPorts> => ({
  startTarget: async () => ok({ facts: FACTS, url: 'http://fake', reread: async () => ok(reread()), async stop() {} }),
})

test('a cancelled sweep that is resumed measures what was not measured, on the same time axis, and ends as one sweep', async () => {
  const bench = await setUp({ slots: 4 })
  const sweepId = await begin(bench, { repeats: 2 })
  let cancelled: Promise<void> | undefined
  const first = await seenToEnd(bench, sweepId, (batch) => {
    if (batch.some((event) => event.type === 'wave-started' && event.cell === 3)) cancelled ??= bench.service.cancel(sweepId)
  })
  await cancelled
  expect(first.state.status).toBe('cancelled')

  expect(await bench.service.resume(sweepId)).toEqual(ok({ sweepId }))
  const { events, state } = await seenToEnd(bench, sweepId)
  for (const event of events) if (event.type !== 'samples') sweepEventSchema.parse(event)
  expect(state.status).toBe('completed')
  expect(state.cells[3]).toMatchObject({ status: 'void', voidReason: { code: 'broken-off' } })
  expect(state.cells.some(({ status }) => status === 'planned' || status === 'running')).toBe(false)
  const done = (n: number) => state.cells.filter(({ cell, status }) => cell.n === n && cell.role === 'measure' && status === 'done')
  expect([done(1).length, done(4).length]).toEqual([2, 2])
  const resumedAt = events.findIndex(({ type }) => type === 'sweep-resumed')
  const endedAtMs = events[resumedAt - 1]?.atMs ?? 0
  const later = events.slice(resumedAt).filter(({ type }) => type !== 'samples')
  expect(Math.min(...later.map(({ atMs }) => atMs))).toBeGreaterThan(endedAtMs)
  expect(bench.stored).toEqual(events)
  const { prompts } = bench.runner.counts()
  expect(new Set(prompts).size).toBe(prompts.length)
})

test('a sweep of which all was measured has nothing to resume; one that is not there is said to be missing', async () => {
  const bench = await setUp({ slots: 4 })
  const sweepId = await begin(bench, { levels: [1], waves: 1 })
  const { events } = await seenToEnd(bench, sweepId)
  expect(await bench.service.resume(sweepId)).toMatchObject({ ok: false, error: { code: 'nothing-left' } })
  expect(bench.stored).toEqual(events)
  bench.stored.length = 0
  expect(await bench.service.resume(sweepId)).toMatchObject({ ok: false, error: { code: 'sweep-missing' } })
})

test('extending a level adds its waves as a repeat of its own, and nothing else but a warm-up', async () => {
  const bench = await setUp({ slots: 4 })
  const sweepId = await begin(bench)
  const before = await seenToEnd(bench, sweepId)
  expect(await bench.service.extend(sweepId, { n: 4, waves: 3 })).toEqual(ok({ sweepId }))
  const { state } = await seenToEnd(bench, sweepId)
  const added = state.cells.slice(before.state.cells.length).filter(({ voidReason }) => voidReason === null)
  expect(added.map(({ cell }) => [cell.role, cell.n, cell.waves])).toEqual([
    ['warm-up', expect.any(Number), expect.any(Number)],
    ['measure', 4, 3],
  ])
  expect(state.rows.filter((row) => row.cell === added[1]?.cell.index)).toHaveLength(12)
  expect(state.status).toBe('completed')
})

test('on another server than the one that was measured a sweep does not go on', async () => {
  let facts = FACTS
  const bench = await setUp({ slots: 4 }, { startTarget: async () => ok({ facts, url: 'http://fake', async stop() {} }) })
  const sweepId = await begin(bench, { levels: [1], waves: 1 })
  await seenToEnd(bench, sweepId)
  facts = { ...FACTS, version: '0.12.0' }
  const refused = await bench.service.extend(sweepId, { n: 1, waves: 1 })
  expect(refused).toMatchObject({ ok: false, error: { code: 'server-changed', happened: expect.stringContaining('0.12.0') } })
  expect(bench.service.running()).toBeNull()
})

test('M11: a server that was started anew under a cell: the cell is void, the server is warmed, the cell comes again, the sweep goes on', async () => {
  let pid = 100
  const bench = await setUp(
    { slots: 4 },
    {
      ...target(() => ({ ...FACTS, pid })),
      startTarget: async () => ok({ facts: { ...FACTS, pid: 100 }, url: 'http://fake', reread: async () => ok({ ...FACTS, pid }), async stop() {} }),
    },
  )
  const { state } = await seenToEnd(bench, await begin(bench), (batch) => {
    if (batch.some((event) => event.type === 'cell-started' && event.cell === 2)) pid = 101
  })
  expect(state.status).toBe('completed')
  expect(state.cells[2]).toMatchObject({ status: 'void', voidReason: { code: 'server-restarted' } })
  expect(state.facts?.pid).toBe(101)
  // A busy machine may have voided others before.
  const warmed = state.cells.findIndex(({ cell }, index) => index > 0 && cell.role === 'warm-up')
  const again = state.cells[warmed + 1]
  expect(again?.cell.n).toBe(state.cells[2]?.cell.n)
  expect(again?.startedAtMs).toBeGreaterThan(state.cells[warmed]?.endedAtMs ?? Number.POSITIVE_INFINITY)
  expect(state.warnings.map(({ code }) => code)).toContain('server-restarted')
})

test('M11: slots that were changed under the sweep end it with what it has, and a sentence', async () => {
  let slots = 4
  const facts = () => ({ ...FACTS, declaredSlots: slots, declaredSlotsSource: 'the server itself' })
  const bench = await setUp(
    { slots: 4 },
    { startTarget: async () => ok({ facts: facts(), url: 'http://fake', reread: async () => ok(facts()), async stop() {} }) },
  )
  const { state } = await seenToEnd(bench, await begin(bench), (batch) => {
    if (batch.some((event) => event.type === 'cell-started' && event.cell === 2)) slots = 2
  })
  expect(state).toMatchObject({ status: 'failed', problem: { code: 'slots-changed', happened: expect.stringContaining('from 4 to 2') } })
  expect(state.cells[1]?.status).toBe('done')
  expect(state.cells[2]?.status).toBe('void')
})

test('a server that can’t be read for a moment is no changed server', async () => {
  const unreadable = async () => err(problem('server-unreachable', 'No answer.', '', ''))
  const bench = await setUp({ slots: 4 }, { startTarget: async () => ok({ facts: FACTS, url: 'http://fake', reread: unreadable, async stop() {} }) })
  const { state } = await seenToEnd(bench, await begin(bench, { levels: [1], waves: 1 }))
  expect(state.status).toBe('completed')
  expect(state.cells.filter(({ voidReason }) => voidReason?.code.startsWith('server'))).toEqual([])
})

test('a clock that jumps in the middle of a cell voids it, once; the cell comes again and the sweep ends', async () => {
  let jumpMs = 0
  const clock: Clock = { ...systemClock, epochMs: () => systemClock.epochMs() + jumpMs }
  const bench = await setUp({ slots: 4 }, { clock })
  const { state } = await seenToEnd(bench, await begin(bench), (batch) => {
    if (batch.some((event) => event.type === 'cell-started' && event.cell === 2)) jumpMs = 3_600_000
  })
  expect(state.status).toBe('completed')
  expect(state.cells[2]).toMatchObject({ status: 'void', voidReason: { code: 'time-jumped', happened: expect.stringContaining('3600.0 s') } })
  expect(state.cells.filter(({ voidReason }) => voidReason?.code === 'time-jumped')).toHaveLength(1)
  expect(state.cells.slice(4).some(({ cell, status }) => cell.n === state.cells[2]?.cell.n && status === 'done')).toBe(true)
})

test('M13: a priced target is swept only with a yes that covers it', async () => {
  const priced = { kind: 'server', url: 'http://fake', model: 'fake', price: { inputUsd: 1_000, outputUsd: 2_000 } } as const
  const bench = await setUp({ slots: 4 })
  const start = (maxCostUsd?: number) => bench.service.start(request({ target: priced, ...(maxCostUsd === undefined ? {} : { maxCostUsd }) }))
  expect(await start()).toMatchObject({ ok: false, error: { code: 'cost-needs-yes', todo: expect.stringContaining('--max-cost') } })
  expect(await start(0.01)).toMatchObject({ ok: false, error: { code: 'cost-needs-yes', happened: expect.stringContaining('$0.01') } })
  expect(bench.stored).toEqual([])
  const { costUsd } = bench.service.estimate(request({ target: priced }))
  const started = await start(2 * (costUsd ?? 0))
  if (!started.ok) throw new Error(started.error.happened)
  const { state } = await seenToEnd(bench, started.value.sweepId)
  expect(state.status).toBe('completed')
  expect(state.cells.every(({ status }) => status !== 'skipped')).toBe(true)
})

test('a quick sweep finds four slots of a server of which it knows nothing', async () => {
  const bench = await setUp({ slots: 4, prefillMs: 20, answerMs: 160 })
  const { state } = await seenToEnd(bench, await begin(bench, { levels: [], mode: 'quick', waves: null, workload: { memoryNote: false } }))
  expect(state.status).toBe('completed')
  const levels = new Set(state.cells.filter(({ cell, status }) => status === 'done' && cell.role === 'measure').map(({ cell }) => cell.n))
  for (const n of [1, 2, 4, 8]) expect(levels).toContain(n)
  expect(
    state.cells
      .slice(2)
      .every(({ because, cell }) => because !== null || state.cells.some((other) => other.voidReason !== null && other.cell.n === cell.n)),
  ).toBe(true)
  expect(state.cells.at(-1)?.cell.role).toBe('closing')
}, 90_000)

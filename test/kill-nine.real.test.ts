/** `kill -9` of main in mid-sweep: no child stays, and on the next start the sweep is there, marked, with what was measured. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { SweepListItem } from '../src/contract/endpoints/sweeps.ts'
import { sweepStateOf } from '../src/core/sweep/fold-sweep.ts'
import { sweepRequestSchema } from '../src/core/sweep/plan.ts'
import type { SweepEvent } from '../src/core/sweep/sweep-event.ts'
import { childrenOf, runsStill, type ServeProcess, startServe } from './serve-process.ts'

const dataDir = mkdtempSync(join(tmpdir(), 'plimsoll-kill-'))
const started: ServeProcess[] = []
afterEach(async () => {
  for (const serve of started.splice(0)) await serve.end('SIGKILL')
  rmSync(dataDir, { recursive: true, force: true })
})

async function start(): Promise<ServeProcess> {
  const serve = await startServe(dataDir)
  started.push(serve)
  return serve
}

async function eventually<T>(read: () => T, isRight: (value: T) => boolean): Promise<T> {
  for (const endMs = performance.now() + 15_000; ; await new Promise((resolve) => setTimeout(resolve, 50))) {
    const value = read()
    if (isRight(value) || performance.now() > endMs) return value
  }
}

test('kill -9 in mid-sweep leaves no child, and the sweep is there again as interrupted with its rows and a verdict', {
  timeout: 90_000,
}, async () => {
  const first = await start()
  // A second on an idle machine (DESIGN section 11); CI is never idle.
  expect(first.linkAfterMs).toBeLessThan(5_000)
  const request = sweepRequestSchema.parse({
    target: { kind: 'built-in', engine: 'simulated', model: 'simulated', slots: 1 },
    ...{ levels: [1, 2, 4], repeats: 1, legs: ['runner'], workload: { outputTokens: 8, memoryNote: false } },
  })
  const begun = await first.client.sweeps.start(request)
  if (!begun.ok) throw new Error(begun.error.happened)
  const { sweepId } = begun.value
  const live: SweepEvent[] = []
  first.client.sweeps.events({ sweepId }, { next: (batch) => void live.push(...batch) })
  await eventually(
    () => live.filter(({ type }) => type === 'cell-ended').length,
    (cells) => cells >= 2,
  )
  const children = childrenOf(first.child.pid ?? 0)
  expect(children.length).toBeGreaterThanOrEqual(2)

  await first.end('SIGKILL')
  expect(
    await eventually(
      () => children.filter(runsStill),
      (running) => running.length === 0,
    ),
  ).toEqual([])

  const second = await start()
  let list: SweepListItem[] = []
  second.client.sweeps.list(
    {},
    {
      next(rows) {
        list = rows
      },
    },
  )
  await eventually(
    () => list,
    (rows) => rows[0]?.verdict !== null && rows[0] !== undefined,
  )
  expect(list).toMatchObject([{ sweepId, status: 'interrupted', verdict: { sentence: expect.any(String) } }])
  const kept: SweepEvent[] = []
  second.client.sweeps.events({ sweepId }, { next: (batch) => void kept.push(...batch) })
  await eventually(
    () => kept.length,
    (count) => count > 0,
  )
  const state = sweepStateOf(kept)
  expect(state?.status).toBe('interrupted')
  // Of the last cell a quarter of a second may not have been laid down yet; what was before it is whole.
  const measured = live.filter((event) => event.type === 'turn-ended' && event.row.cell === 0).length
  expect(state?.rows.filter((row) => row.cell === 0).length).toBe(measured)
  expect(await second.end('SIGTERM')).toBe(0)
})

import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { TerminalId } from '../../core/result/ids.ts'
import { ManualClock } from '../platform/clock.ts'
import { createTextKeeper } from './text-keeper.ts'

let dir: string
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-texts-'))
})
afterEach(() => rmSync(dir, { recursive: true }))

function create(costMs = 0) {
  const clock = new ManualClock()
  const keeper = createTextKeeper(clock)
  const snapshots: string[] = []
  const add = (name: string, folder = dir) => {
    keeper.add(name as TerminalId, {
      path: join(folder, name),
      snapshot(callback) {
        snapshots.push(name)
        callback(`text of ${name}`, costMs)
      },
    })
    return name as TerminalId
  }
  return { clock, keeper, snapshots, add }
}
/** File operations need real turns of the loop between two moments of the manual clock. */
async function advance(clock: ManualClock, byMs: number) {
  for (let passedMs = 0; passedMs < byMs; passedMs += 50) {
    clock.advance(50)
    await new Promise((resolve) => setTimeout(resolve, 1))
  }
}

test('new text is written a little later, once for many changes', async () => {
  const { clock, keeper, snapshots, add } = create()
  const a = add('a')
  for (let i = 0; i < 100; i++) keeper.touch(a)
  expect(snapshots).toEqual([])
  clock.advance(2_000)
  await vi.waitFor(() => expect(readFileSync(join(dir, 'a'), 'utf8')).toBe('text of a'))
  await advance(clock, 5_000)
  expect(snapshots).toEqual(['a'])
})

test('terminals take turns, the longer apart the more a turn costs', async () => {
  const { clock, keeper, snapshots, add } = create(50)
  for (const name of ['a', 'b', 'c']) keeper.touch(add(name))
  clock.advance(2_000)
  await vi.waitFor(() => expect(existsSync(join(dir, 'a'))).toBe(true))
  await advance(clock, 1_300)
  expect(snapshots).toEqual(['a'])
  // Each turn waits for the file of the one before, and a busy disk takes its time.
  await vi.waitFor(
    async () => {
      await advance(clock, 200)
      expect(snapshots).toEqual(['a', 'b', 'c'])
    },
    { timeout: 10_000 },
  )
})

test('a removed terminal leaves no file, whatever was on its way', async () => {
  const { clock, keeper, add } = create()
  const a = add('a')
  keeper.touch(a)
  clock.advance(2_000)
  await keeper.remove(a)
  await keeper.finish(a, 'late')
  expect(readdirSync(dir)).toEqual([])
})

test('a folder that can not be written stops nothing', async () => {
  const { clock, keeper, add } = create()
  keeper.touch(add('a', join(dir, 'missing')))
  clock.advance(2_000)
  keeper.touch(add('b'))
  await vi.waitFor(
    async () => {
      await advance(clock, 200)
      expect(readdirSync(dir)).toEqual(['b'])
    },
    { timeout: 10_000 },
  )
})

test('at the end all that is new is written', async () => {
  const { keeper, add } = create()
  for (const name of ['a', 'b']) keeper.touch(add(name))
  add('unchanged')
  await keeper.saveAll()
  expect(readdirSync(dir).sort()).toEqual(['a', 'b'])
})

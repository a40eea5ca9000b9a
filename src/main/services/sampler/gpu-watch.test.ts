import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ManualClock } from '../../platform/clock.ts'
import { createGpuWatch, parseGpuLine } from './gpu-watch.ts'

let dir: string
const path = process.env.PATH
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'plimsoll-gpu-'))
  process.env.PATH = `${dir}:${path}`
})
afterEach(() => {
  process.env.PATH = path
  rmSync(dir, { recursive: true })
})

function standIn(script: string) {
  const file = join(dir, 'nvidia-smi')
  writeFileSync(file, `#!/bin/sh\necho "$@" >> ${dir}/starts\n${script}\n`)
  chmodSync(file, 0o755)
}
const starts = () => readFileSync(join(dir, 'starts'), 'utf8').trim().split('\n').length

test('a line of csv, with and without power and temperature', () => {
  expect(parseGpuLine('1, 37, 2048, 24576, 120.53, 61')).toEqual({
    ...{ index: 1, utilPercent: 37, memoryUsedBytes: 2048 * 1024 ** 2, memoryTotalBytes: 24576 * 1024 ** 2 },
    ...{ powerWatts: 120.53, temperatureCelsius: 61 },
  })
  expect(parseGpuLine('0, 5, 100, 8192, [N/A], [Not Supported]')).toMatchObject({ powerWatts: null, temperatureCelsius: null })
  expect(parseGpuLine('0, [N/A], 100, 8192, 10, 20')).toBeUndefined()
  expect(parseGpuLine('NVIDIA-SMI has failed because it could not talk to the driver')).toBeUndefined()
})

test('one long-lived tool is read line by line, and ends with the watch', async () => {
  standIn('echo "1, 20, 2, 4, 5, 6"; echo "0, 10, 1, 4, 5, 6"; echo "0, 11, 1, 4, 5, 6"; exec sleep 60')
  const watch = createGpuWatch({ clock: new ManualClock() })
  await vi.waitFor(() =>
    expect(watch.latest().map(({ index, utilPercent }) => [index, utilPercent])).toEqual([
      [0, 11],
      [1, 20],
    ]),
  )
  const pid = watch.pid() ?? 0
  expect(readFileSync(join(dir, 'starts'), 'utf8')).toContain('-lms 500')
  await watch.close()
  expect(() => process.kill(pid, 0)).toThrow('ESRCH')
})

test('a tool that keeps ending is started again three times, not for ever', async () => {
  standIn('exit 9')
  const clock = new ManualClock()
  const watch = createGpuWatch({ clock })
  for (let expected = 1; expected <= 4; expected++) {
    await vi.waitFor(() => {
      expect(starts()).toBe(expected)
      expect(watch.pid()).toBeUndefined()
    })
    clock.advance(2_000)
  }
  clock.advance(60_000)
  expect(watch.pid()).toBeUndefined()
  expect(watch.latest()).toEqual([])
  await watch.close()
  expect(starts()).toBe(4)
})

test('without the tool there are no GPUs and no error', async () => {
  const watch = createGpuWatch({ clock: new ManualClock(), command: join(dir, 'not-there') })
  await vi.waitFor(() => expect(watch.pid()).toBeUndefined())
  expect(watch.latest()).toEqual([])
  await watch.close()
})

import { expect, test } from 'vitest'
import { busyPercent, descendants, parseCpuTicks, parseMemory, parsePressure, parseProcessUse, parseSystemUnits } from './proc-texts.ts'

/** Recorded on a 2-core virtual machine, kernel 6.1; core 1 shows steal and guest time, the rest of the file is cut. */
const STAT = `cpu  25413 120 9120 611230 1530 0 842 310 55 0
cpu0 12410 60 4410 305611 800 0 600 0 0 0
cpu1 13003 60 4710 305619 730 0 242 310 55 0
intr 4210334 0 9 0 0 0 0 3 0 0 0 0 0 15 0 0 0 0 0 0 0 0
ctxt 9120331
btime 1764540833
`
const MEMINFO = `MemTotal:       24621212 kB
MemFree:        18211000 kB
MemAvailable:   22100000 kB
Buffers:          120000 kB
SwapTotal:       2097148 kB
SwapFree:        2000000 kB
`

test('core lines: iowait counts as idle, steal as busy, guest time is not counted twice', () => {
  const { all, cores } = parseCpuTicks(STAT)
  expect(all).toEqual({ busy: 25413 + 120 + 9120 + 842 + 310, total: 25413 + 120 + 9120 + 842 + 310 + 611230 + 1530 })
  expect(cores).toHaveLength(2)
  expect(cores[1]?.busy).toBe(13003 + 60 + 4710 + 242 + 310)
})

test('the busy share lies between 0 and 100, whatever the counters do', () => {
  expect(busyPercent(undefined, { busy: 10, total: 20 })).toBe(0)
  expect(busyPercent({ busy: 10, total: 100 }, { busy: 35, total: 150 })).toBe(50)
  expect(busyPercent({ busy: 10, total: 100 }, { busy: 10, total: 100 })).toBe(0)
  expect(busyPercent({ busy: 10, total: 100 }, { busy: 40, total: 120 })).toBe(100)
  expect(busyPercent({ busy: 10, total: 100 }, { busy: 9, total: 120 })).toBe(0)
})

test('memory in use is what the kernel would not give back', () => {
  expect(parseMemory(MEMINFO)).toEqual({
    memoryTotalBytes: 24621212 * 1024,
    memoryUsedBytes: (24621212 - 22100000) * 1024,
    swapUsedBytes: (2097148 - 2000000) * 1024,
  })
})

test('pressure: the 10-second average of "some"; null where there is none', () => {
  const text = 'some avg10=12.34 avg60=3.10 avg300=1.00 total=12345678\nfull avg10=1.00 avg60=0.00 avg300=0.00 total=0\n'
  expect(parsePressure(text)).toBe(12.34)
  expect(parsePressure('')).toBeNull()
})

test('a process with brackets and spaces in its name', () => {
  const text =
    '4242 (tmux: (srv) 1) R 17 4242 4242 0 -1 4194304 1029 2 0 0 710 34 5 6 20 0 12 0 987654 625868800 8120 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n'
  expect(parseProcessUse(text)).toEqual({ parentPid: 17, cpuTicks: 744, rssPages: 8120 })
  expect(parseProcessUse('')).toBeUndefined()
})

test('page size and tick come from the auxiliary vector', () => {
  const auxv = Buffer.alloc(16 * 4)
  for (const [index, pair] of [
    [3, 99],
    [6, 16384],
    [17, 250],
    [0, 0],
  ].entries()) {
    auxv.writeBigUInt64LE(BigInt(pair[0] ?? 0), index * 16)
    auxv.writeBigUInt64LE(BigInt(pair[1] ?? 0), index * 16 + 8)
  }
  expect(parseSystemUnits(auxv)).toEqual({ pageBytes: 16384, ticksPerSec: 250 })
  expect(parseSystemUnits(Buffer.alloc(0))).toEqual({ pageBytes: 4096, ticksPerSec: 100 })
})

test('a tree is its root and all below it', () => {
  const parents = new Map([
    [1, 0],
    [10, 1],
    [11, 10],
    [12, 11],
    [20, 1],
  ])
  expect(descendants(parents, 10).sort()).toEqual([10, 11, 12])
  expect(descendants(parents, 99)).toEqual([99])
})

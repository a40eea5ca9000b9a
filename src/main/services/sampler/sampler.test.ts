import { expect, test } from 'vitest'
import type { Sample } from '../../../core/metric/sample.ts'
import { ManualClock } from '../../platform/clock.ts'
import type { Probe } from './probe.ts'
import { createSampler } from './sampler.ts'

const host: Sample['host'] = {
  ...{ cpuPercent: 1, corePercents: [1], memoryUsedBytes: 1, memoryTotalBytes: 2, swapUsedBytes: 0 },
  ...{ psiCpuSomePercent: null, psiMemorySomePercent: null, psiIoSomePercent: null },
}

function create(options: { use?: (pid: number) => number | null; toolPid?: number; onRead?: () => void } = {}) {
  const clock = new ManualClock(5_000)
  const late: number[] = []
  const closed: string[] = []
  const probe: Probe = {
    read(processes) {
      options.onRead?.()
      const uses = processes.map(({ pid }) => (options.use ?? (() => 7))(pid))
      return { host, processes: uses.map((cpuPercent) => (cpuPercent === null ? null : { cpuPercent, rssBytes: 1 })) }
    },
    close: () => void closed.push('probe'),
  }
  const sampler = createSampler({
    ...{ clock, probe, runnerGauges: () => ({ inFlight: 3, queued: 2, limit: 4 }) },
    processes: () => [
      { role: 'main', pid: 10, tree: false },
      { role: 'model-server', pid: 20, tree: true },
    ],
    loop: {
      read(lateMs) {
        late.push(lateMs)
        return { delayP50Ms: 0, delayP99Ms: 0, delayMaxMs: lateMs, utilizationRatio: 0.1 }
      },
      close: () => void closed.push('loop'),
    },
    gpu: { latest: () => [], pid: () => options.toolPid, close: async () => void closed.push('gpu') },
  })
  return { clock, sampler, late, closed }
}

test('4 samples a second while somebody watches, else one', () => {
  const { clock, sampler } = create()
  clock.advance(3_000)
  expect(sampler.history(60)).toHaveLength(3)
  const seen: number[] = []
  const stop = sampler.watch(({ atMs }) => seen.push(atMs))
  clock.advance(1_000)
  expect(seen).toEqual([8_250, 8_500, 8_750, 9_000])
  stop()
  clock.advance(5_000)
  expect(seen).toHaveLength(4)
  expect(sampler.history(5).map(({ atMs }) => atMs)).toEqual([9_250, 10_250, 11_250, 12_250, 13_250])
})

test('M10: a late sample says how late it was, and is not made up for', () => {
  const { clock, sampler, late } = create()
  clock.advance(1_000)
  // The clock jumps as it does when the loop was blocked: the timer's moment is long past when it runs.
  const nowMs = clock.nowMs.bind(clock)
  let blockedMs = 0
  clock.nowMs = () => nowMs() + blockedMs
  blockedMs = 2_600
  clock.advance(1_000)
  expect(sampler.latest()?.sampler.driftMs).toBe(2_600)
  expect(late).toEqual([0, 2_600])
  clock.advance(999)
  expect(late).toHaveLength(2)
  clock.advance(1)
  expect(late).toEqual([0, 2_600, 0])
})

test('M10: the own cost of a sample is in it, with that of the GPU tool', () => {
  const burn = () => {
    const until = performance.now() + 20
    while (performance.now() < until);
  }
  const { clock, sampler } = create({ onRead: burn, toolPid: 99, use: (pid) => (pid === 99 ? 1.5 : 7) })
  clock.advance(1_000)
  const sample = sampler.latest()
  // 20 ms in 1 s are 2 % of a core, and a busy machine may have given it less than all of that time.
  expect(sample?.sampler.cpuPercent).toBeGreaterThan(1.5 + 0.3)
  expect(sample?.sampler.cpuPercent).toBeLessThan(1.5 + 8)
  expect(sample?.processes.map(({ pid }) => pid)).toEqual([10, 20])
})

test('a process that has ended has no row; the runner has its gauges', () => {
  const { clock, sampler } = create({ use: (pid) => (pid === 20 ? null : 7) })
  clock.advance(1_000)
  expect(sampler.latest()?.processes).toEqual([{ role: 'main', pid: 10, cpuPercent: 7, rssBytes: 1 }])
  expect(sampler.latest()?.runner).toEqual({ inFlight: 3, queued: 2, limit: 4 })
})

test('the history is bounded: the last minute fine, the last hour in at most 300', () => {
  const { clock, sampler } = create()
  const stop = sampler.watch(() => {})
  clock.advance(1.2 * 3_600_000)
  expect(sampler.history(60)).toHaveLength(240)
  const hour = sampler.history(3_600)
  expect(hour.length).toBeLessThanOrEqual(300)
  expect(hour.length).toBeGreaterThan(250)
  const newest = hour.at(-1)?.atMs ?? 0
  expect(clock.nowMs() - newest).toBeLessThan(1_000)
  expect(newest - (hour[0]?.atMs ?? 0)).toBeGreaterThan(3_500_000)
  stop()
})

test('close ends everything it owns', async () => {
  const { clock, sampler, closed, late } = create()
  clock.advance(1_000)
  await sampler.close()
  clock.advance(10_000)
  expect(late).toHaveLength(1)
  expect(closed.sort()).toEqual(['gpu', 'loop', 'probe'])
})

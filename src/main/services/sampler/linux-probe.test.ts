import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdirSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, test } from 'vitest'
import { systemClock } from '../../platform/clock.ts'
import { createLinuxProbe } from './linux-probe.ts'
import { createLoopMeter } from './loop-meter.ts'
import { createPortableProbe } from './portable-probe.ts'

const children: ChildProcess[] = []
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue
    // A group of its own, so that its children go along.
    process.kill(-(child.pid ?? 0), 'SIGKILL')
    await once(child, 'exit')
  }
})
function shell(script: string): number {
  const child = spawn('sh', ['-c', script], { detached: true, stdio: 'ignore' })
  children.push(child)
  return child.pid ?? 0
}
const openFiles = () => readdirSync('/proc/self/fd').length

describe.runIf(process.platform === 'linux')('on a real Linux', () => {
  test('host numbers are in their ranges, one per core', async () => {
    const probe = createLinuxProbe()
    probe.read([], systemClock.nowMs())
    await sleep(120)
    const { host } = probe.read([], systemClock.nowMs())
    probe.close()
    expect(host.corePercents.length).toBeGreaterThan(0)
    for (const percent of [host.cpuPercent, ...host.corePercents]) expect(percent).toSatisfy((x: number) => x >= 0 && x <= 100)
    expect(host.memoryUsedBytes).toBeGreaterThan(10_000_000)
    expect(host.memoryUsedBytes).toBeLessThan(host.memoryTotalBytes)
  })

  test('a tree is summed with grandchildren that came later; an ended process is null; no file stays open', async () => {
    const filesBefore = openFiles()
    const probe = createLinuxProbe()
    // The burner is a grandchild, and begins after the first reading.
    const pid = shell('sh -c "sleep 0.3; while :; do :; done & sleep 60" & sleep 60')
    const refs = [
      { pid, tree: true },
      { pid, tree: false },
    ]
    const deadline = systemClock.nowMs() + 10_000
    let [tree, alone] = probe.read(refs, systemClock.nowMs()).processes
    while ((tree?.cpuPercent ?? 0) < 20 && systemClock.nowMs() < deadline) {
      await sleep(250)
      ;[tree, alone] = probe.read(refs, systemClock.nowMs()).processes
    }
    expect(tree?.cpuPercent).toBeGreaterThan(20)
    expect(alone?.cpuPercent).toBeLessThan(10)
    expect(tree?.rssBytes).toBeGreaterThan(alone?.rssBytes ?? 0)
    process.kill(-pid, 'SIGKILL')
    await once(children[0] as ChildProcess, 'exit')
    expect(probe.read(refs, systemClock.nowMs()).processes).toEqual([null, null])
    probe.close()
    expect(openFiles()).toBe(filesBefore)
  })

  test('a reading costs little: 10 processes, one tree among them', () => {
    const probe = createLinuxProbe()
    const refs = Array.from({ length: 10 }, (_, index) => ({ pid: index === 0 ? 1 : process.pid, tree: index === 0 }))
    probe.read(refs, 0)
    const before = process.cpuUsage()
    const readings = 200
    for (let i = 1; i <= readings; i++) probe.read(refs, i * 250)
    const { user, system } = process.cpuUsage(before)
    probe.close()
    const percentAt4Hz = ((user + system) / readings / 250_000) * 100
    console.log(`a reading of the probe costs ${((user + system) / readings).toFixed(0)} µs: ${percentAt4Hz.toFixed(2)} % of a core at 4 Hz`)
    expect(percentAt4Hz).toBeLessThan(3)
  })
})

test('the loop meter sees a blocked loop, without its own period', async () => {
  const meter = createLoopMeter()
  await sleep(150)
  meter.read(0)
  await sleep(60)
  const until = performance.now() + 300
  while (performance.now() < until);
  await sleep(60)
  const loop = meter.read(0)
  await sleep(200)
  const quiet = meter.read(0)
  meter.close()
  expect(loop.delayMaxMs).toBeGreaterThan(250)
  expect(loop.delayMaxMs).toBeLessThan(1_500)
  expect(loop.utilizationRatio).toBeGreaterThan(0.4)
  expect(quiet.delayP50Ms).toBeLessThan(20)
})

test('the portable probe sums a tree from what systeminformation gives, and knows nothing before that', async () => {
  const probe = createPortableProbe(async () => ({
    memoryUsedBytes: 500,
    swapUsedBytes: 7,
    parents: new Map([
      [5, 1],
      [6, 5],
    ]),
    uses: new Map([5, 6].map((pid) => [pid, { cpuPercent: pid, rssBytes: pid * 10 }])),
  }))
  const refs = [5, 9].map((pid) => ({ pid, tree: true }))
  expect(probe.read(refs, 0).processes).toEqual([null, null])
  await sleep(1)
  const { host, processes } = probe.read(refs, 100)
  expect(processes).toEqual([{ cpuPercent: 11, rssBytes: 110 }, null])
  expect(host).toMatchObject({ memoryUsedBytes: 500, swapUsedBytes: 7, psiCpuSomePercent: null })
})

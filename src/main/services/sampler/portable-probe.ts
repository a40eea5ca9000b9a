/**
 * macOS and Windows: cores from Node at every reading; memory and other processes from systeminformation, which starts system tools,
 * so only every few seconds and beside the loop. What is not known yet is null.
 */
import { cpus, freemem, totalmem } from 'node:os'
import type { Probe, ProcessUse } from './probe.ts'
import { busyPercent, type CpuTicks, descendants } from './proc-texts.ts'

const REFRESH_EVERY_MS = 2_000

type Slow = { memoryUsedBytes: number; swapUsedBytes: number; parents: Map<number, number>; uses: Map<number, ProcessUse> }

const readCores = (): CpuTicks[] =>
  cpus().map(({ times }) => {
    const busy = times.user + times.nice + times.sys + times.irq
    return { busy, total: busy + times.idle }
  })

const sum = (cores: readonly CpuTicks[]): CpuTicks => ({
  busy: cores.reduce((all, { busy }) => all + busy, 0),
  total: cores.reduce((all, { total }) => all + total, 0),
})

async function readSlow(): Promise<Slow> {
  const { mem, processes } = await import('systeminformation')
  const [memory, table] = await Promise.all([mem(), processes()])
  const cores = cpus().length
  return {
    memoryUsedBytes: memory.total - memory.available,
    swapUsedBytes: memory.swapused,
    parents: new Map(table.list.map(({ pid, parentPid }) => [pid, parentPid])),
    // systeminformation gives CPU as a share of the whole machine and memory in kB.
    uses: new Map(table.list.map(({ pid, cpu, memRss }) => [pid, { cpuPercent: cpu * cores, rssBytes: memRss * 1024 }])),
  }
}

export function createPortableProbe(refresh: () => Promise<Slow> = readSlow): Probe {
  let earlier: CpuTicks[] | undefined
  let slow: Slow | undefined
  let refreshedAtMs = Number.NEGATIVE_INFINITY
  let refreshing = false

  function refreshWhenDue(nowMs: number): void {
    if (refreshing || nowMs - refreshedAtMs < REFRESH_EVERY_MS) return
    refreshing = true
    refreshedAtMs = nowMs
    refresh()
      .then((value) => {
        slow = value
      })
      // A system tool that fails leaves the last values; there is nobody to tell at this rate.
      .catch(() => {})
      .finally(() => {
        refreshing = false
      })
  }

  const sumOf = (pid: number, tree: boolean): ProcessUse | null => {
    if (slow?.uses.get(pid) === undefined) return null
    const uses = (tree ? descendants(slow.parents, pid) : [pid]).flatMap((member) => slow?.uses.get(member) ?? [])
    return { cpuPercent: uses.reduce((all, use) => all + use.cpuPercent, 0), rssBytes: uses.reduce((all, use) => all + use.rssBytes, 0) }
  }

  return {
    read(asked, nowMs) {
      refreshWhenDue(nowMs)
      const cores = readCores()
      const host = {
        cpuPercent: busyPercent(earlier && sum(earlier), sum(cores)),
        corePercents: cores.map((core, index) => busyPercent(earlier?.[index], core)),
        memoryTotalBytes: totalmem(),
        memoryUsedBytes: slow?.memoryUsedBytes ?? totalmem() - freemem(),
        swapUsedBytes: slow?.swapUsedBytes ?? 0,
        ...{ psiCpuSomePercent: null, psiMemorySomePercent: null, psiIoSomePercent: null },
      }
      earlier = cores
      return { host, processes: asked.map(({ pid, tree }) => sumOf(pid, tree)) }
    },
    close() {},
  }
}

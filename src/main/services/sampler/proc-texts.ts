/** Reads the texts of /proc. Pure; every number keeps the kernel's unit until the last step. */
import type { Sample } from '../../../core/metric/sample.ts'

/** In clock ticks since the boot. */
export type CpuTicks = { readonly busy: number; readonly total: number }

function parseCpuLine(line: string): CpuTicks {
  // cpuN user nice system idle iowait irq softirq steal; guest time stands in user already (proc(5)).
  const [user = 0, nice = 0, system = 0, idle = 0, ioWait = 0, irq = 0, softIrq = 0, steal = 0] = line.trim().split(/\s+/).slice(1, 9).map(Number)
  const busy = user + nice + system + irq + softIrq + steal
  return { busy, total: busy + idle + ioWait }
}

/** /proc/stat: all cores together, then each that is switched on, in order. */
export function parseCpuTicks(text: string): { all: CpuTicks; cores: CpuTicks[] } {
  const lines = text.slice(0, text.indexOf('\nintr') + 1 || undefined).split('\n')
  return {
    all: parseCpuLine(lines.find((line) => line.startsWith('cpu ')) ?? ''),
    cores: lines.filter((line) => /^cpu\d/.test(line)).map(parseCpuLine),
  }
}

/** Share of the time between two readings, 0 to 100; 0 when no tick has passed. */
export function busyPercent(earlier: CpuTicks | undefined, later: CpuTicks): number {
  if (earlier === undefined) return 0
  const total = later.total - earlier.total
  // The idle count of a core can step back by a tick or two.
  return total <= 0 ? 0 : Math.min(100, Math.max(0, (100 * (later.busy - earlier.busy)) / total))
}

/** /proc/meminfo. What the kernel would give back under need counts as free. */
export function parseMemory(text: string): Pick<Sample['host'], 'memoryUsedBytes' | 'memoryTotalBytes' | 'swapUsedBytes'> {
  const bytesOf = (name: string) => 1024 * Number(new RegExp(`^${name}:\\s+(\\d+)`, 'm').exec(text)?.[1] ?? 0)
  return {
    memoryTotalBytes: bytesOf('MemTotal'),
    memoryUsedBytes: bytesOf('MemTotal') - bytesOf('MemAvailable'),
    swapUsedBytes: bytesOf('SwapTotal') - bytesOf('SwapFree'),
  }
}

/** /proc/pressure/*: "some" over the last 10 s; null where the kernel does not tell. */
export function parsePressure(text: string): number | null {
  const avg10 = /^some avg10=([\d.]+)/m.exec(text)?.[1]
  return avg10 === undefined ? null : Number(avg10)
}

/** /proc/<pid>/stat; undefined when the text is none. */
export function parseProcessUse(text: string): { cpuTicks: number; rssPages: number; parentPid: number } | undefined {
  // The program's name may hold spaces and brackets. After it comes field 3 of proc(5).
  const fields = text.slice(text.lastIndexOf(')') + 2).split(' ')
  if (fields.length < 22) return undefined
  return { parentPid: Number(fields[1]), cpuTicks: Number(fields[11]) + Number(fields[12]), rssPages: Number(fields[21]) }
}

const AT_PAGESZ = 6
const AT_CLKTCK = 17

/** /proc/self/auxv of a 64-bit process: pairs of machine words. Falls back to what nearly every Linux has. */
export function parseSystemUnits(auxv: Uint8Array): { pageBytes: number; ticksPerSec: number } {
  const view = new DataView(auxv.buffer, auxv.byteOffset, auxv.byteLength)
  const units = { pageBytes: 4096, ticksPerSec: 100 }
  for (let at = 0; at + 16 <= view.byteLength; at += 16) {
    const key = Number(view.getBigUint64(at, true))
    if (key === AT_PAGESZ) units.pageBytes = Number(view.getBigUint64(at + 8, true))
    if (key === AT_CLKTCK) units.ticksPerSec = Number(view.getBigUint64(at + 8, true))
  }
  return units
}

/** All that descend from `root`, itself first. Time is linear in the size of the table. */
export function descendants(parents: ReadonlyMap<number, number>, root: number): number[] {
  const children = new Map<number, number[]>()
  for (const [pid, parent] of parents) {
    const siblings = children.get(parent)
    if (siblings === undefined) children.set(parent, [pid])
    else siblings.push(pid)
  }
  const found = [root]
  for (const pid of found) found.push(...(children.get(pid) ?? []))
  return found
}

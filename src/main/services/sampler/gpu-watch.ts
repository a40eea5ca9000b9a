/** GPUs, as one long-lived nvidia-smi tells them twice a second. No tool, no GPUs, nothing said. */
import { type ChildProcess, spawn } from 'node:child_process'
import { createInterface } from 'node:readline'
import type { Sample } from '../../../core/metric/sample.ts'
import type { Clock } from '../../platform/clock.ts'

export type GpuSample = Sample['gpus'][number]

/** The driver itself averages utilisation over up to a second. */
const PERIOD_MS = 500
const COLUMNS = 'index,utilization.gpu,memory.used,memory.total,power.draw,temperature.gpu'
/** A tool that keeps ending (no driver, no rights) is left alone after this many new starts. */
const MAX_RESTARTS = 3
const RESTART_AFTER_MS = 2_000
const BYTES_PER_MIB = 1024 * 1024

/** One line of the tool's csv without units; undefined when it does not tell utilisation or memory. */
export function parseGpuLine(line: string): GpuSample | undefined {
  // "[N/A]" and "[Not Supported]" become NaN.
  const [index, utilPercent, usedMib, totalMib, powerWatts, temperatureCelsius] = line.split(',').map((cell) => Number.parseFloat(cell))
  const orNull = (value: number | undefined) => (value === undefined || Number.isNaN(value) ? null : value)
  if (![index, utilPercent, usedMib, totalMib].every(Number.isFinite)) return undefined
  return {
    ...{ index: index ?? 0, utilPercent: utilPercent ?? 0 },
    ...{ memoryUsedBytes: (usedMib ?? 0) * BYTES_PER_MIB, memoryTotalBytes: (totalMib ?? 0) * BYTES_PER_MIB },
    ...{ powerWatts: orNull(powerWatts), temperatureCelsius: orNull(temperatureCelsius) },
  }
}

export interface GpuWatch {
  /** By index; none while the tool does not run. */
  latest(): GpuSample[]
  /** Of the tool, while it runs. */
  pid(): number | undefined
  close(): Promise<void>
}

export function createGpuWatch({ clock, command = 'nvidia-smi' }: { clock: Clock; command?: string }): GpuWatch {
  const gpus = new Map<number, GpuSample>()
  let child: ChildProcess | undefined
  let ended = Promise.resolve()
  let restarts = 0
  let cancelRestart: (() => void) | undefined
  let closed = false

  function start(): void {
    const tool = spawn(command, [`--query-gpu=${COLUMNS}`, '--format=csv,noheader,nounits', '-lms', String(PERIOD_MS)], {
      stdio: ['ignore', 'pipe', 'ignore'],
      windowsHide: true,
    })
    child = tool
    createInterface({ input: tool.stdout }).on('line', (line) => {
      const gpu = parseGpuLine(line)
      if (gpu !== undefined && !closed) gpus.set(gpu.index, gpu)
    })
    ended = new Promise((resolve) => {
      const end = (mayRestart: boolean) => {
        resolve()
        gpus.clear()
        child = undefined
        if (!mayRestart || closed || restarts >= MAX_RESTARTS) return
        restarts += 1
        cancelRestart = clock.after(RESTART_AFTER_MS, start)
      }
      // Not found, or not to be run: there is no sense in asking again.
      tool.once('error', () => end(false))
      tool.once('exit', () => end(true))
    })
  }
  start()

  return {
    latest: () => [...gpus.values()].sort((a, b) => a.index - b.index),
    pid: () => child?.pid,
    async close() {
      closed = true
      cancelRestart?.()
      // A tool that could not be started has no process: a signal to it would go to our whole process group.
      if (child?.pid !== undefined) child.kill('SIGKILL')
      await ended
    },
  }
}

/** How late main's event loop runs its timers, and how busy it is. */
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { Sample } from '../../../core/metric/sample.ts'

/** Period of the measuring timer. Shorter costs more: 10 ms three times as much CPU as 20. */
const RESOLUTION_MS = 20

export interface LoopMeter {
  /** Since the last call. `lateMs`: how late the asking timer itself ran, a delay that the histogram may not hold yet. */
  read(lateMs: number): Sample['loop']
  close(): void
}

export function createLoopMeter(): LoopMeter {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delays.enable()
  let earlier = performance.eventLoopUtilization()
  /** The histogram holds the time between two runs of its timer, in ns; its own period is no delay. */
  const delayMs = (intervalNs: number) => Math.max(0, intervalNs / 1e6 - RESOLUTION_MS)
  return {
    read(lateMs) {
      const now = performance.eventLoopUtilization()
      const utilizationRatio = performance.eventLoopUtilization(now, earlier).utilization
      earlier = now
      const [p50, p99, max] = delays.count === 0 ? [0, 0, 0] : [delays.percentile(50), delays.percentile(99), delays.max]
      delays.reset()
      return { delayP50Ms: delayMs(p50), delayP99Ms: delayMs(p99), delayMaxMs: Math.max(lateMs, delayMs(max)), utilizationRatio }
    },
    close: () => void delays.disable(),
  }
}

/** The driver measures itself (M10): how late it submits, how late its loop is, how late it reads, what CPU it takes. Counted only while waves play. */
import type { DriverReport } from '../../core/sweep/sweep-event.ts'
import type { Clock } from '../platform/clock.ts'

/**
 * A timer of this period tells how late the loop is. Not `monitorEventLoopDelay`: switched off and on it counts the pause between two waves as one long delay.
 */
const PROBE_MS = 5

export type SelfMeasure = {
  /** Between these two it counts. */
  start(): void
  stop(): void
  submitted(lagMs: number): void
  received(lagMs: number): void
  report(maxInFlight: number): DriverReport
}

export function createSelfMeasure(clock: Clock): SelfMeasure {
  const loop = createLagCounts()
  let stopProbe = () => {}
  const probe = () => {
    const dueMs = clock.nowMs() + PROBE_MS
    stopProbe = clock.after(PROBE_MS, () => {
      loop.add(Math.max(0, clock.nowMs() - dueMs))
      probe()
    })
  }
  const lagsMs: number[] = []
  const receipt = createLagCounts()
  let wallMs = 0
  let cpuMs = 0
  let started: { atMs: number; cpu: NodeJS.CpuUsage } | null = null
  return {
    start() {
      started = { atMs: clock.nowMs(), cpu: process.cpuUsage() }
      probe()
    },
    stop() {
      stopProbe()
      if (started === null) return
      const cpu = process.cpuUsage(started.cpu)
      cpuMs += (cpu.user + cpu.system) / 1_000
      wallMs += clock.nowMs() - started.atMs
      started = null
    },
    submitted: (lagMs) => lagsMs.push(lagMs),
    received: receipt.add,
    report(maxInFlight) {
      const sorted = lagsMs.toSorted((a, b) => a - b)
      const receiveLagP99Ms = receipt.p99Ms()
      return {
        lagP50Ms: rank(sorted, 0.5),
        lagP99Ms: rank(sorted, 0.99),
        loopDelayP99Ms: loop.p99Ms() ?? 0,
        cpuPercent: wallMs === 0 ? 0 : (100 * cpuMs) / wallMs,
        ...(receiveLagP99Ms === null ? {} : { receiveLagP99Ms }),
        maxInFlight,
      }
    },
  }
}

/** Nearest rank in ascending values; 0 without any. */
function rank(sorted: readonly number[], share: number): number {
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0
}

const STEPS_PER_MS = 10
const COUNTED_TO_MS = 1_000

/** Lags of many events in constant space: steps of 0.1 ms up to a second. */
function createLagCounts(): { add(lagMs: number): void; p99Ms(): number | null } {
  const counts = new Uint32Array(COUNTED_TO_MS * STEPS_PER_MS + 1)
  let total = 0
  return {
    add(lagMs) {
      const at = Math.min(counts.length - 1, Math.ceil(lagMs * STEPS_PER_MS))
      counts[at] = (counts[at] ?? 0) + 1
      total += 1
    },
    p99Ms() {
      if (total === 0) return null
      let seen = 0
      const at = counts.findIndex((count) => {
        seen += count
        return seen >= total * 0.99
      })
      return at / STEPS_PER_MS
    },
  }
}

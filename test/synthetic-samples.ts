/** Samples beside a synthetic sweep: host, processes, GPU and loop delay follow from what is in flight at each moment. */
import type { Sample } from '../src/core/metric/sample.ts'
import type { SweepEvent } from '../src/core/sweep/sweep-event.ts'
import type { SyntheticSettings } from './synthetic-sweep.ts'

/** Counts how many spans are open at rising moments; linear over all calls. */
function openCounter(spans: readonly (readonly [number, number])[]): (atMs: number) => number {
  const from = spans.map(([start]) => start).sort((a, b) => a - b)
  const to = spans.map(([, end]) => end).sort((a, b) => a - b)
  let opened = 0
  let closed = 0
  return (atMs) => {
    while ((from[opened] ?? Number.POSITIVE_INFINITY) <= atMs) opened += 1
    while ((to[closed] ?? Number.POSITIVE_INFINITY) <= atMs) closed += 1
    return opened - closed
  }
}

export function syntheticSamples(events: readonly SweepEvent[], settings: SyntheticSettings, endMs: number): SweepEvent[] {
  const perSec = settings.samplesPerSec ?? 4
  if (perSec <= 0) return []
  const rows = events.flatMap((event) => (event.type === 'turn-ended' ? [event.row] : []))
  const calls = rows.flatMap((row) => row.timeline?.calls ?? [])
  const inFlight = openCounter(rows.map((row) => [row.submitAtMs, row.endAtMs] as const))
  const answering = openCounter(calls.flatMap((call) => (call.firstDeltaAtMs === null ? [] : [[call.firstDeltaAtMs, call.endAtMs] as const])))
  const blockMs = settings.faults?.runnerBlockMs ?? 0
  const blocked = openCounter(
    blockMs === 0
      ? []
      : rows.flatMap((row) => {
          const at = row.timeline?.runnerStartAtMs ?? null
          return at === null ? [] : [[at, at + blockMs] as const]
        }),
  )
  const serverCpu = settings.serverCpuPercent ?? ((active: number) => (active === 0 ? 0.5 : 12 + 3 * active))
  const cores = settings.cores ?? 8
  const samples: Sample[] = []
  for (let atMs = 50; atMs < endMs; atMs += 1000 / perSec) {
    const turns = inFlight(atMs)
    const active = answering(atMs)
    const isBlocked = blocked(atMs) > 0
    const server = serverCpu(active)
    const main = isBlocked ? 99 : 2 + turns / 4
    const hostPercent = Math.min(100, (server + main + 6) / cores)
    samples.push({
      atMs,
      host: {
        cpuPercent: hostPercent,
        corePercents: Array.from({ length: cores }, () => hostPercent),
        memoryUsedBytes: 4e9 + turns * 2e6,
        memoryTotalBytes: 16 * 2 ** 30,
        swapUsedBytes: 0,
        psiCpuSomePercent: hostPercent > 90 ? 40 : 0.5,
        psiMemorySomePercent: 0,
        psiIoSomePercent: 0,
      },
      processes: [
        { role: 'main', pid: 100, cpuPercent: main, rssBytes: 1.8e8 },
        { role: 'load-driver', pid: 101, cpuPercent: 1 + turns / 20, rssBytes: 9e7 },
        { role: 'model-server', pid: 4242, cpuPercent: server, rssBytes: 4e8 },
      ],
      gpus:
        settings.gpuUtilPercent === undefined
          ? []
          : [
              {
                index: 0,
                utilPercent: settings.gpuUtilPercent(active),
                memoryUsedBytes: 6e9,
                memoryTotalBytes: 24e9,
                powerWatts: 80 + 20 * active,
                temperatureCelsius: 55,
              },
            ],
      loop: {
        delayP50Ms: isBlocked ? blockMs / 2 : 0.3,
        delayP99Ms: isBlocked ? blockMs : 1.4,
        delayMaxMs: isBlocked ? blockMs : 2.1,
        utilizationRatio: isBlocked ? 1 : Math.min(1, 0.02 + turns / 500),
      },
      sampler: { cpuPercent: 0.3, driftMs: 0.4 },
      runner: { inFlight: turns, queued: 0, limit: 1024 },
    })
  }
  const batches: SweepEvent[] = []
  for (let from = 0; from < samples.length; from += 8) {
    const batch = samples.slice(from, from + 8)
    batches.push({ type: 'samples', atMs: batch.at(-1)?.atMs ?? 0, samples: batch })
  }
  return batches
}

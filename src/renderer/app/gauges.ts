/** From samples to what the status strip says: one gauge a subject, each with its value, its series and its limit. Pure. */
import type { Sample } from '../../core/metric/sample.ts'
import { formatMs, formatPercent } from '../../core/report/format-number.ts'

export type GaugeId = 'sessions' | 'cpu' | 'memory' | 'loop' | 'server'

export type GaugeSeries = { readonly name: string; readonly waiting: boolean; readonly values: readonly (number | null)[] }

export type Gauge = {
  readonly id: GaugeId
  readonly name: string
  /** Null = no data. */
  readonly value: string | null
  /** Over its limit, or silent: drawn in the colour of failure, and the value says it in words. */
  readonly fails: boolean
  readonly title: string
  readonly unit: string
  /** Top of the scale, at least this. */
  readonly maxY: number
  readonly series: readonly GaugeSeries[]
}

/** What a running sweep shows of the server; null where nobody knows. */
export type ServerView = {
  readonly name: string
  readonly declaredSlots: number | null
  readonly streaming: number | null
  readonly waiting: number | null
}

/** M10's bound for what the event loop may add. */
const LOOP_LIMIT_MS = 25

const one = (name: string, samples: readonly Sample[], value: (sample: Sample) => number | null): GaugeSeries[] => [
  { name, waiting: false, values: samples.map(value) },
]

const serverCpu = (sample: Sample): number | null => sample.processes.find((process) => process.role === 'model-server')?.cpuPercent ?? null

const gigabytes = (bytes: number) => (bytes / 1e9).toFixed(1)

function sessionsGauge(samples: readonly Sample[], sweeping: boolean): Gauge {
  const now = samples.at(-1)?.runner
  const limit = now === undefined ? '' : ` of ${now.limit}`
  return {
    id: 'sessions',
    name: 'Sessions',
    value: now === undefined ? null : `${now.inFlight}${sweeping ? '' : limit}, ${now.queued} queued`,
    fails: false,
    title: sweeping
      ? 'Sessions in flight in the runner; a sweep is not held by the limit'
      : 'Sessions in flight in the runner, its limit, and how many wait',
    unit: '',
    maxY: 4,
    series: [
      { name: 'in flight', waiting: false, values: samples.map((sample) => sample.runner.inFlight) },
      { name: 'queued', waiting: true, values: samples.map((sample) => sample.runner.queued) },
    ],
  }
}

function loopGauge(samples: readonly Sample[]): Gauge {
  const delayMs = samples.at(-1)?.loop.delayP99Ms
  const over = delayMs !== undefined && delayMs > LOOP_LIMIT_MS
  return {
    id: 'loop',
    name: 'Loop delay',
    value: delayMs === undefined ? null : `${formatMs(delayMs)}${over ? `, over ${LOOP_LIMIT_MS}` : ''}`,
    fails: over,
    title: `Event-loop delay of main, p99 of each sample; ${LOOP_LIMIT_MS} ms are allowed while a sweep runs`,
    unit: 'ms',
    maxY: 10,
    series: one('delay', samples, (sample) => sample.loop.delayP99Ms),
  }
}

function serverValue(samples: readonly Sample[], server: ServerView): string | null {
  const slots = server.declaredSlots === null ? 'slots not known' : `${server.declaredSlots} ${server.declaredSlots === 1 ? 'slot' : 'slots'}`
  if (server.streaming !== null && server.waiting !== null) {
    const of = server.declaredSlots === null ? `${server.streaming} stream` : `${server.streaming} of ${slots}`
    return `${of}, ${server.waiting} wait`
  }
  const latest = samples.at(-1)
  const cpu = latest === undefined ? null : serverCpu(latest)
  return cpu === null ? null : `${slots}, ${cpu < 5 ? 'idle' : formatPercent(Math.round(cpu))}`
}

export function gaugesOf(samples: readonly Sample[], cores: number, sweeping: boolean, server: ServerView): Gauge[] {
  const host = samples.at(-1)?.host
  const memory = host === undefined ? null : `${gigabytes(host.memoryUsedBytes)} of ${gigabytes(host.memoryTotalBytes)} GB`
  return [
    sessionsGauge(samples, sweeping),
    {
      id: 'cpu',
      name: 'CPU',
      value: host === undefined ? null : formatPercent(Math.round(host.cpuPercent)),
      fails: false,
      title: `CPU of the host, all ${cores === 0 ? '' : `${cores} `}cores together`,
      unit: '%',
      maxY: 100,
      series: one('CPU', samples, (sample) => sample.host.cpuPercent),
    },
    {
      id: 'memory',
      name: 'Memory',
      value: memory,
      fails: false,
      title: 'Memory of the host in use',
      unit: 'GB',
      maxY: (host?.memoryTotalBytes ?? 0) / 1e9,
      series: one('memory', samples, (sample) => sample.host.memoryUsedBytes / 1e9),
    },
    loopGauge(samples),
    {
      id: 'server',
      name: server.name,
      value: serverValue(samples, server),
      fails: false,
      title: 'Model server: answers that stream, requests that wait; the line is its CPU, 100 % = one core',
      unit: '% of one core',
      maxY: 100,
      series: one('CPU', samples, serverCpu),
    },
  ]
}

import { expect, test } from 'vitest'
import type { Sample } from '../../core/metric/sample.ts'
import { type GaugeId, gaugesOf, type ServerView } from './gauges.ts'

const SERVER: ServerView = { name: 'Ollama', declaredSlots: 1, streaming: null, waiting: null }

const sample = (serverCpu: number | null): Sample => ({
  atMs: 1_000,
  host: {
    cpuPercent: 55.6,
    corePercents: [50, 61],
    memoryUsedBytes: 2.24e9,
    memoryTotalBytes: 15.6e9,
    swapUsedBytes: 0,
    psiCpuSomePercent: null,
    psiMemorySomePercent: null,
    psiIoSomePercent: null,
  },
  processes: serverCpu === null ? [] : [{ role: 'model-server', pid: 7, cpuPercent: serverCpu, rssBytes: 1e8 }],
  gpus: [],
  loop: { delayP50Ms: 0.2, delayP99Ms: 2.2, delayMaxMs: 3, utilizationRatio: 0.1 },
  sampler: { cpuPercent: 0.4, driftMs: 1 },
  runner: { inFlight: 8, queued: 0, limit: 4 },
})

const value = (id: GaugeId, samples: readonly Sample[], sweeping = false, server = SERVER) =>
  gaugesOf(samples, 2, sweeping, server).find((gauge) => gauge.id === id)?.value

test('without a sample there is no value, rather than a zero', () => {
  for (const gauge of gaugesOf([], 0, false, SERVER)) expect(gauge.value, gauge.id).toBeNull()
})

test('each gauge reads with its unit; a sweep is not held by the limit, so none is shown', () => {
  expect(value('cpu', [sample(null)])).toBe('56 %')
  expect(value('memory', [sample(null)])).toBe('2.2 of 15.6 GB')
  expect(value('loop', [sample(null)])).toBe('2.2 ms')
  expect(value('sessions', [sample(null)])).toBe('8 of 4, 0 queued')
  expect(value('sessions', [sample(null)], true)).toBe('8, 0 queued')
})

test('the model server says what streams and what waits; in a pause, whether it is busy; unwatched, nothing', () => {
  expect(value('server', [sample(98)], true, { ...SERVER, streaming: 1, waiting: 2 })).toBe('1 of 1 slot, 2 wait')
  expect(value('server', [sample(98)], true, { ...SERVER, declaredSlots: null, streaming: 3, waiting: 0 })).toBe('3 stream, 0 wait')
  expect(value('server', [sample(1)])).toBe('1 slot, idle')
  expect(value('server', [sample(null)])).toBeNull()
})

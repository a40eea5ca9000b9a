/** For tests: a sweep service over the fake runner, the real load driver and doubles of all the rest. */
import { afterEach } from 'vitest'
import type { Sample } from '../../../core/metric/sample.ts'
import { sweepIdSchema } from '../../../core/result/ids.ts'
import { problem } from '../../../core/result/problem.ts'
import { err, ok } from '../../../core/result/result.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import { type SweepRequestInput, sweepRequestSchema } from '../../../core/sweep/plan.ts'
import type { SweepEvent } from '../../../core/sweep/sweep-event.ts'
import type { ServerFacts } from '../../../core/sweep/target.ts'
import { nodeForkChild } from '../../platform/child.ts'
import { systemClock } from '../../platform/clock.ts'
import { stderrLog } from '../../platform/log.ts'
import { type Behaviour, type FakeRunner, startFakeRunner } from './fake-runner.ts'
import type { SweepPorts } from './ports.ts'
import { createSweepService, type SweepService } from './sweep.ts'

export const FACTS: ServerFacts = {
  kind: 'ollama',
  url: 'http://fake',
  version: '0.11.4',
  versionKnown: true,
  simulated: true,
  engine: null,
  model: 'fake',
  modelSizeBytes: null,
  quantization: null,
  family: null,
  contextTokens: null,
  vramBytes: null,
  declaredSlots: null,
  declaredSlotsSource: null,
  supportsTools: null,
  pid: null,
}

export type Bench = {
  readonly runner: FakeRunner
  readonly service: SweepService
  readonly stored: SweepEvent[]
  readonly faults: number[]
  readonly drivers: number[]
  serverUp: boolean
  readonly targetStops: { count: number }
  finished: SweepState | undefined
}

const ending: (() => Promise<void>)[] = []
afterEach(async () => {
  for (const end of ending.splice(0)) await end()
})

export async function setUp(behaviour: Partial<Behaviour> = {}, change: Partial<SweepPorts> = {}): Promise<Bench> {
  const runner = await startFakeRunner(behaviour)
  const fork = nodeForkChild('out/main')
  const bench = { runner, stored: [], faults: [], drivers: [], serverUp: true, targetStops: { count: 0 }, finished: undefined } as Omit<
    Bench,
    'service'
  > as Bench
  const target = {
    facts: FACTS,
    url: 'http://fake',
    stop: async () => {
      bench.targetStops.count += 1
    },
  }
  let ids = 0
  const service = createSweepService({
    clock: systemClock,
    log: stderrLog(false),
    forkDriver: () => {
      const child = fork('load-driver')
      bench.drivers.push(child.pid ?? 0)
      return child
    },
    startTarget: async () => ok(target),
    startNull: async () => ok({ ...target, stop: async () => {} }),
    runnerApi: runner,
    residentModels: async () => (bench.serverUp ? ok(['fake:latest']) : err(problem('server-unreachable', 'Nothing listens there.', '', ''))),
    watchSamples: (listener) => {
      const timer = setInterval(() => listener({ atMs: systemClock.nowMs() } as Sample), 50)
      return () => clearInterval(timer)
    },
    setRunnerFault: ({ blockMs }) => bench.faults.push(blockMs ?? 0),
    store: {
      create: () => ok(1),
      append: (_, events) => void bench.stored.push(...events),
      read: () => bench.stored,
      finish: (_, state) => {
        bench.finished = state
      },
      reopen: () => ok(1),
    },
    environment: { plimsoll: '0', node: process.version, system: '', cpuModel: '', cores: 2, memoryBytes: 0, gpus: [], host: 'test' },
    newSweepId: () => sweepIdSchema.parse(`sweep-${++ids}`),
    ...change,
  })
  ending.push(async () => {
    await service.close()
    await runner.close()
  })
  return Object.assign(bench, { service })
}

export const request = (input: Partial<SweepRequestInput> = {}) =>
  sweepRequestSchema.parse({
    target: { kind: 'server', url: 'http://fake', model: 'fake' },
    levels: [1, 4],
    repeats: 1,
    legs: ['runner'],
    waves: 2,
    ...input,
  })

export async function begin(bench: Bench, input: Partial<SweepRequestInput> = {}) {
  const started = await bench.service.start(request(input))
  if (!started.ok) throw new Error(started.error.happened)
  return started.value.sweepId
}

/** Waits for the end and folds what a listener has seen. */
export function seenToEnd(bench: Bench, sweepId: Parameters<SweepService['cancel']>[0], onBatch: (batch: readonly SweepEvent[]) => void = () => {}) {
  return new Promise<{ events: SweepEvent[]; state: SweepState }>((resolve) => {
    const events: SweepEvent[] = []
    bench.service.events(
      sweepId,
      (batch) => {
        events.push(...batch)
        onBatch(batch)
      },
      () => {
        const state = sweepStateOf(events)
        if (state !== undefined) resolve({ events, state })
      },
    )
  })
}

/** Cells but those that a busy machine has spoilt, which are run again: the tests are about the others. */
export function carried(state: SweepState) {
  return state.cells.filter((cell) => cell.voidReason?.code !== 'driver-limited')
}

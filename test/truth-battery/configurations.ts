/**
 * The truth battery as data: servers, runners and drivers with a fault built in, and what a sweep of them has to find. `npm run truth` plays all of them
 * through the real driver and the real runner; `npm test` plays those marked `short`. What is named here is known, not measured.
 */
import type { VerdictCode } from '../../src/core/analysis/analysis.ts'
import type { SweepRequestInput } from '../../src/core/sweep/plan.ts'

export interface Truth {
  /** Any of these is right; the first is the plain answer. */
  readonly verdicts: readonly [VerdictCode, ...VerdictCode[]]
  /** Null = not judged. */
  readonly slots: number | null
  /** Smallest number of sessions with the full total rate; `not-reached`: above the largest level; null = not judged. */
  readonly ceilingN: number | 'not-reached' | null
}

export interface Configuration {
  readonly name: string
  /** What is built in. */
  readonly fault: string
  readonly request: SweepRequestInput
  readonly truth: Truth
  /** Part of `npm test`. */
  readonly short?: true
}

type Settings = Record<string, unknown>
type Rest = Omit<Partial<SweepRequestInput>, 'target'>

/** 30 ms to read a prompt, 5 ms a token, 16 tokens: a turn alone takes some 105 ms. */
const PACE = { prefillMs: 30, decodeMs: 5 }
const WORKLOAD = { outputTokens: 16, memoryNote: false }

const target = (slots: number, settings: Settings): SweepRequestInput['target'] => ({
  kind: 'built-in',
  engine: 'simulated',
  model: 'plimsoll-simulated',
  slots,
  settings: { ...PACE, ...settings },
})

/** Levels around the slots: below, at, above. */
function levelsAround(slots: number): number[] {
  return [...new Set([1, 2, Math.max(1, Math.ceil(slots / 2)), slots, slots * 2, slots * 4])].filter((n) => n <= 64).sort((a, b) => a - b)
}

function simulated(slots: number, settings: Settings, rest: Rest = {}): SweepRequestInput {
  return { levels: levelsAround(slots), repeats: 1, waves: 3, legs: ['runner', 'null'], workload: WORKLOAD, ...rest, target: target(slots, settings) }
}

const queue = (slots: number): Truth => ({ verdicts: ['model_server_queue'], slots, ceilingN: slots })

const QUEUES: Configuration[] = [
  ...[1, 2, 4, 8, 16].map(
    (slots): Configuration => ({
      name: `queue-${slots}`,
      fault: `${slots} slots, first come first served, decode as fast beside others`,
      request: simulated(slots, {}),
      truth: queue(slots),
      ...(slots === 4 ? { short: true as const } : {}),
    }),
  ),
  {
    name: 'queue-3',
    fault: '3 slots, answers of 12 to 20 tokens',
    request: simulated(3, { answerTokens: [12, 20] }, { workload: { ...WORKLOAD, outputTokens: 20 } }),
    truth: queue(3),
  },
  {
    name: 'queue-long-prompts',
    fault: '4 slots, most of a turn is reading the prompt',
    request: simulated(4, { prefillMs: 120, decodeMs: 3 }),
    truth: queue(4),
  },
  {
    name: 'queue-background',
    fault: '2 slots, a memory note after each answer takes a slot too',
    request: simulated(2, {}, { workload: { ...WORKLOAD, memoryNote: true } }),
    truth: { ...queue(2), ceilingN: null },
  },
  {
    name: 'queue-runaway',
    fault: '1 slot, one answer in twenty does not stop until its limit, twenty times the others',
    request: simulated(
      1,
      { answerTokens: 8, runawayShare: 0.05, runawayTokens: 240 },
      { workload: { memoryNote: false, outputTokens: 240 }, levels: [1, 2, 4, 8] },
    ),
    truth: { verdicts: ['model_server_queue'], slots: 1, ceilingN: null },
  },
  {
    name: 'queue-thinking-requeues',
    fault: '2 slots, an answer gives its slot back in the middle and queues again',
    request: simulated(2, { thinkingTokens: 6, gapAtToken: 6, gapMs: 5, gapRequeues: true }, { workload: { ...WORKLOAD, outputTokens: 24 } }),
    truth: { verdicts: ['model_server_queue', 'inconclusive'], slots: null, ceilingN: null },
  },
]

const ENGINES: Configuration[] = [
  {
    name: 'decode-bound',
    fault: '16 slots, each token takes as many times as long as there are streams',
    request: simulated(16, { decodeShape: 'proportional' }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['model_server_engine'], slots: null, ceilingN: null },
    short: true,
  },
  {
    name: 'decode-table',
    fault: '8 slots, a batch of two costs as much as one of four, then in proportion',
    request: simulated(8, { decodeShape: 'table', decodeTableMs: [5, 11, 11, 11, 14, 17, 20, 23] }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['model_server_engine'], slots: null, ceilingN: null },
  },
  {
    name: 'prefill-bound',
    fault: '16 slots, prompts share one rate',
    request: simulated(16, { prefillMs: 200, neighbourPrefill: 'shared', decodeMs: 2 }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['model_server_engine'], slots: null, ceilingN: null },
  },
  {
    name: 'prefill-by-neighbours',
    fault: '16 slots, prompts are read one after the other',
    request: simulated(16, { prefillMs: 120, neighbourPrefill: 'serial', decodeMs: 2 }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['model_server_engine'], slots: null, ceilingN: null },
  },
  {
    name: 'engine-cliff',
    fault: '32 slots, above 8 streams a token takes four times as long',
    request: simulated(32, { cliffAbove: 8, cliffFactor: 4 }, { levels: [1, 2, 4, 8, 16, 24] }),
    truth: { verdicts: ['model_server_engine'], slots: null, ceilingN: 8 },
  },
  {
    name: 'engine-cliff-low',
    fault: '16 slots, above 2 streams a token takes five times as long',
    request: simulated(16, { cliffAbove: 2, cliffFactor: 5 }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['model_server_engine'], slots: null, ceilingN: null },
  },
]

const mix = (values: readonly number[]) => values.map((num_ctx) => ({ model: 'plimsoll-simulated', options: { num_ctx } }))

const RELOADS: Configuration[] = [
  {
    name: 'reload-by-context',
    fault: 'sessions ask for two context lengths in turn; the server loads again for each, back and forth',
    request: simulated(
      4,
      { loadMs: 1_200, warmBypass: false },
      { workload: { ...WORKLOAD, variants: mix([2_048, 4_096]) }, levels: [1, 2, 4], waves: 2 },
    ),
    truth: { verdicts: ['model_server_reload'], slots: null, ceilingN: null },
  },
  {
    name: 'reload-grouped',
    fault: 'two context lengths, requests for the loaded one pass the others',
    request: simulated(4, { loadMs: 1_200 }, { workload: { ...WORKLOAD, variants: mix([2_048, 4_096]) }, levels: [1, 2, 4, 8], waves: 2 }),
    truth: { verdicts: ['model_server_reload'], slots: null, ceilingN: null },
  },
  {
    name: 'model-swap',
    fault: 'two models, room for one',
    request: simulated(
      2,
      { loadMs: 1_100, models: ['plimsoll-simulated', 'plimsoll-other'] },
      {
        workload: {
          ...WORKLOAD,
          variants: [
            { model: 'plimsoll-simulated', options: {} },
            { model: 'plimsoll-other', options: {} },
          ],
        },
        levels: [1, 2, 4],
        waves: 2,
      },
    ),
    truth: { verdicts: ['model_server_reload'], slots: null, ceilingN: null },
    short: true,
  },
]

const HARDWARE: Configuration[] = [
  {
    name: 'memory-pool',
    fault: '8 slots share a context of 400 tokens; from five sessions on some fail with "Context size has been exceeded"',
    request: simulated(8, { contextPoolTokens: 400 }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['hardware'], slots: null, ceilingN: null },
  },
  {
    name: 'memory-pool-late',
    fault: '16 slots share a context of 800 tokens',
    request: simulated(16, { contextPoolTokens: 800 }, { levels: [1, 4, 8, 16] }),
    truth: { verdicts: ['hardware'], slots: null, ceilingN: null },
  },
  {
    name: 'memory-spill',
    fault: 'a third of the model lies outside the GPU memory, and decode is shared',
    request: simulated(8, { modelBytes: 3e9, vramBytes: 2e9, spillFactor: 3, decodeShape: 'proportional' }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['hardware', 'model_server_engine'], slots: null, ceilingN: null },
  },
]

const RUNNERS: Configuration[] = [
  {
    name: 'runner-block',
    fault: 'the runner holds its event loop for 400 ms at each start',
    request: simulated(8, {}, { levels: [1, 2, 4], faults: { runnerBlockMs: 400 } }),
    truth: { verdicts: ['runner_process'], slots: null, ceilingN: null },
    short: true,
  },
  {
    name: 'runner-block-short',
    fault: 'the runner holds its event loop for 120 ms at each start',
    request: simulated(16, {}, { levels: [1, 2, 4, 8], faults: { runnerBlockMs: 120 } }),
    truth: { verdicts: ['runner_process'], slots: null, ceilingN: null },
  },
  {
    name: 'client-pool-10',
    fault: 'the runner has 10 connections to the server, which could take 32 at once',
    request: simulated(32, { decodeMs: 8 }, { levels: [1, 5, 10, 20, 40], faults: { runnerPoolLimit: 10 } }),
    truth: { verdicts: ['runner_process'], slots: null, ceilingN: 10 },
  },
  {
    name: 'client-pool-4',
    fault: 'the runner has 4 connections, the server 16 slots',
    request: simulated(16, { decodeMs: 8 }, { levels: [1, 2, 4, 8, 16], faults: { runnerPoolLimit: 4 } }),
    truth: { verdicts: ['runner_process'], slots: null, ceilingN: 4 },
  },
]

const DRIVERS: Configuration[] = [
  ...[2, 4, 6].map(
    (cap): Configuration => ({
      name: `driver-cap-${cap}`,
      fault: `the load driver holds ${cap} turns in flight and submits the others late`,
      request: simulated(32, { prefillMs: 60 }, { levels: [1, 2, 16], waves: 2, faults: { driverCap: cap } }),
      truth: { verdicts: ['load_generator'], slots: null, ceilingN: null },
    }),
  ),
]

const PROVIDERS: Configuration[] = [
  ['provider-429', 'rate-limit', { maxInFlight: 6 }],
  ['provider-usage-limit', 'usage-limit', { maxInFlight: 5 }],
  ['provider-529', 'overloaded', { maxInFlight: 4 }],
  ['provider-burst', 'overloaded', { burstLimit: 4, burstWindowMs: 400 }],
].map(
  ([name, refusal, settings]): Configuration => ({
    name: name as string,
    fault: `a provider that refuses: ${JSON.stringify(settings)}, ${refusal as string}`,
    request: simulated(32, { refusal, ...(settings as Settings) }, { levels: [1, 2, 4, 10] }),
    truth: { verdicts: ['provider_limit'], slots: null, ceilingN: null },
    ...(name === 'provider-429' ? { short: true as const } : {}),
  }),
)

const NOTHING: Configuration[] = [
  [4, [1, 2, 4]],
  [16, [1, 2, 4, 8]],
  [64, [1, 4, 16, 32]],
].map(
  ([slots, levels]): Configuration => ({
    name: `none-reached-${slots as number}`,
    fault: `${slots as number} slots, swept to no more sessions than that`,
    request: simulated(slots as number, {}, { levels: levels as number[] }),
    truth: { verdicts: ['none_reached'], slots: null, ceilingN: 'not-reached' },
    ...(slots === 16 ? { short: true as const } : {}),
  }),
)

const INVALID: Configuration[] = [
  {
    name: 'drift',
    fault: 'everything takes longer by the minute, half as long again within the sweep',
    request: simulated(4, { driftPerMinRatio: 3, driftMaxRatio: 4 }, { levels: [1, 2, 4], waves: 6 }),
    truth: { verdicts: ['invalid_measurement', 'inconclusive'], slots: null, ceilingN: null },
  },
  {
    name: 'proxy-buffers',
    fault: 'the whole answer comes in one piece at its end, as behind a proxy that buffers',
    request: simulated(16, { chunksPerWrite: 64 }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['invalid_measurement'], slots: null, ceilingN: null },
  },
  {
    name: 'proxy-buffers-queue',
    fault: 'the same in front of one slot',
    request: simulated(1, { chunksPerWrite: 64 }, { levels: [1, 2, 4] }),
    truth: { verdicts: ['invalid_measurement', 'inconclusive'], slots: null, ceilingN: null },
  },
]

const OPEN: Configuration[] = [
  {
    name: 'one-level',
    fault: 'only eight sessions at once, nothing to compare with',
    request: simulated(2, {}, { levels: [8] }),
    truth: { verdicts: ['inconclusive'], slots: null, ceilingN: null },
  },
  {
    name: 'all-fail',
    fault: 'every answer breaks off with an error',
    request: simulated(2, { errorAtToken: 0 }, { levels: [1, 2] }),
    truth: { verdicts: ['inconclusive'], slots: null, ceilingN: null },
  },
  {
    name: 'two-causes-even',
    fault: '4 slots, and decode in proportion to the streams: queue and engine share the blame',
    request: simulated(4, { decodeShape: 'proportional' }, { levels: [1, 2, 4, 8] }),
    truth: { verdicts: ['inconclusive', 'model_server_engine', 'model_server_queue', 'hardware'], slots: 4, ceilingN: null },
  },
  {
    name: 'two-causes-queue-leads',
    fault: '4 slots, decode 1.5 times as long with all of them, four waves deep',
    request: simulated(4, { decodeShape: 'table', decodeTableMs: [5, 5.6, 6.3, 7] }, { levels: [1, 2, 4, 8, 16] }),
    truth: { verdicts: ['model_server_queue'], slots: 4, ceilingN: 4 },
  },
]

export const CONFIGURATIONS: readonly Configuration[] = [
  ...QUEUES,
  ...ENGINES,
  ...RELOADS,
  ...HARDWARE,
  ...RUNNERS,
  ...DRIVERS,
  ...PROVIDERS,
  ...NOTHING,
  ...INVALID,
  ...OPEN,
]

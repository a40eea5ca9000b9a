/** Providers that refuse, nothing that gives way, measurements that can't be believed, and those that don't tell. */
import { type Configuration, simulated, swept, truth } from '../configuration.ts'

/** Shorter answers may well come in one read. */
const TWENTY_TOKENS = { outputTokens: 20, memoryNote: false }
const UP_TO_10 = { levels: [1, 2, 4, 10] }
const provider = (name: string, fault: string, settings: Record<string, unknown>, rest = UP_TO_10, extra: { short?: true } = {}) =>
  swept(name, `a provider: ${fault}`, simulated(32, settings, rest), truth('provider_limit'), extra)

export const PROVIDERS: readonly Configuration[] = [
  provider('provider-429', '429 with retry-after above six requests at once', { maxInFlight: 6, refusal: 'rate-limit' }, UP_TO_10, { short: true }),
  provider('provider-429-rate', '429 with retry-after beyond 20 requests a second', { rateLimitPerSec: 20, rateLimitBurst: 4 }),
  provider('provider-429-proxy', '429 above five at once, as a proxy before the model says it', { maxInFlight: 5 }),
  provider('provider-usage-limit', 'after thirty requests 429 until its quota is reset', { usageLimitRequests: 30 }),
  provider('provider-529', '529, overloaded, for one request in three', { overloadedShare: 0.33 }),
  provider('provider-529-load', '529, overloaded, above four at once', { maxInFlight: 4, refusal: 'overloaded' }),
  provider('provider-burst', '529 beyond four starts within 400 ms', { burstLimit: 4, burstWindowMs: 400 }),
]

export const NOTHING: readonly Configuration[] = [
  swept(
    'none-reached-4',
    '4 slots, swept to no more sessions than that',
    simulated(4, {}, { levels: [1, 2, 4] }),
    truth('none_reached', 'not-reached'),
  ),
  swept('none-reached-16', '16 slots, swept to 8 sessions', simulated(16, {}, { levels: [1, 2, 4, 8] }), truth('none_reached', 'not-reached'), {
    short: true,
  }),
  swept(
    'none-reached-64',
    '64 slots, swept to 32 sessions, with the null leg',
    simulated(64, { decodeMs: 12 }, { levels: [1, 4, 16, 32], legs: ['runner', 'null'] }),
    truth('none_reached', 'not-reached'),
  ),
  swept(
    'none-reached-slightly-slower',
    'near miss: 16 slots, an answer takes 12 % longer beside seven others',
    simulated(16, { decodeShape: 'table', decodeTableMs: [8, 8.1, 8.3, 8.5, 8.6, 8.8, 8.9, 9] }, { levels: [1, 2, 4, 8] }),
    truth('none_reached', 'not-reached'),
  ),
  swept(
    'none-reached-uneven',
    'near miss: 16 slots, answers of 6 to 26 tokens',
    simulated(16, { answerTokens: [6, 26] }, { levels: [1, 2, 4, 8], waves: 5, workload: { outputTokens: 26, memoryNote: false } }),
    truth(['none_reached', 'inconclusive']),
  ),
]

export const INVALID: readonly Configuration[] = [
  swept(
    'proxy-buffers',
    'the whole answer comes in one piece at its end, as behind a proxy that buffers',
    simulated(16, { chunksPerWrite: 64 }, { levels: [1, 2, 4, 8], workload: TWENTY_TOKENS }),
    truth('invalid_measurement'),
    { short: true },
  ),
  swept(
    'proxy-buffers-queue',
    'the same in front of one slot',
    simulated(1, { chunksPerWrite: 64 }, { levels: [1, 2, 4], workload: TWENTY_TOKENS }),
    truth('invalid_measurement'),
  ),
  swept(
    'proxy-clumps',
    'a proxy sends what it has every 100 ms, some twenty tokens at a time',
    simulated(16, { bufferMs: 100, answerTokens: 60 }, { levels: [1, 2, 4, 8], workload: { outputTokens: 60, memoryNote: false } }),
    truth('invalid_measurement'),
  ),
  swept(
    'proxy-buffers-openai',
    'the whole answer in one piece, on OpenAI’s wire',
    simulated(8, { chunksPerWrite: 64 }, { levels: [1, 2, 4], workload: TWENTY_TOKENS }),
    truth('invalid_measurement'),
    { wire: 'openai' },
  ),
  swept(
    'cached-prompts',
    'eight prompts again and again; what was read once costs a twentieth',
    simulated(
      16,
      { prefillMs: undefined, prefillTokensPerSec: 4_000, prefixCachedRatio: 0.95 },
      { levels: [1, 2, 4, 8], workload: { outputTokens: 16, memoryNote: false, promptTokens: 600 }, faults: { promptPool: 8 } },
    ),
    truth('invalid_measurement'),
  ),
]

export const OPEN: readonly Configuration[] = [
  swept(
    'drift',
    'everything takes longer by the minute, twice as long within the sweep',
    simulated(4, { driftPerMinRatio: 8, driftMaxRatio: 4 }, { levels: [1, 2, 4], waves: 6 }),
    truth(['inconclusive', 'invalid_measurement']),
  ),
  swept('one-level', 'only eight sessions at once, nothing to compare with', simulated(2, {}, { levels: [8] }), truth('inconclusive')),
  swept('all-fail', 'every answer breaks off with an error', simulated(2, { errorAtToken: 0 }, { levels: [1, 2] }), truth('inconclusive')),
  swept(
    'stuck-loader',
    'every request gets Ollama’s 503, with the model loaded and idle',
    simulated(2, { busyShare: 0.7 }, { levels: [1, 2, 4] }),
    truth('inconclusive'),
  ),
  swept(
    'two-causes-even',
    '4 slots, and decode in proportion to the streams: more slots would move nothing, and beyond four requests wait',
    simulated(4, { decodeShape: 'proportional' }, { levels: [1, 2, 4, 8] }),
    truth(['inconclusive', 'model_server_engine', 'model_server_queue'], null, 4),
  ),
  swept(
    'two-causes-runner-engine',
    'decode in proportion to the streams, and the runner’s loop held for 25 ms at each start',
    simulated(16, { decodeShape: 'proportional', decodeMs: 2 }, { levels: [1, 2, 4, 8], faults: { runnerBlockMs: 25 } }),
    truth(['inconclusive', 'runner_process', 'model_server_engine']),
  ),
]

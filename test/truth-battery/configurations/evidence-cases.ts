/** Findings that others published (research/field-reports.md C), played live with their figures scaled down in time, so that a sweep has to come to the same verdict. */
import { type Configuration, simulated, swept, truth } from '../configuration.ts'

const LONG_PROMPTS = { outputTokens: 16, memoryNote: false, promptTokens: 600 }
/** 600 tokens take 150 ms anew and 8 ms out of the cache. */
const PREFIX_CACHE = { prefillMs: undefined, prefillTokensPerSec: 4_000, prefixCachedRatio: 0.95 }

export const EVIDENCE_CASES: readonly Configuration[] = [
  swept(
    'evidence-prompt-cache',
    'one session, one prompt repeated: a cold start, then a prompt that is read in 59 ms instead of 106',
    simulated(1, { ...PREFIX_CACHE, loadMs: 900 }, { levels: [1], waves: 8, workload: LONG_PROMPTS, faults: { promptPool: 1 } }),
    truth('invalid_measurement'),
  ),
  swept(
    'evidence-identical-prompts',
    'many sessions with one and the same prompt; a server that caches prefixes',
    simulated(16, PREFIX_CACHE, { levels: [1, 4, 16], workload: LONG_PROMPTS, faults: { promptPool: 1 } }),
    truth('invalid_measurement'),
  ),
  swept(
    'evidence-flat-server',
    'up to 32 sessions on a server whose total stays flat, where another on the same machine gives nineteen times as much',
    simulated(1, { prefillMs: 20, decodeMs: 4 }, { levels: [1, 2, 4, 16, 32], waves: 3, turnDeadlineMs: 20_000 }),
    truth('model_server_queue', 1, 1),
  ),
  swept(
    'evidence-proxy',
    '32 sessions through a proxy that buffers: the first token late, the gaps between tokens shorter than the server can make them',
    simulated(
      64,
      { prefillMs: 22, bufferMs: 260, answerTokens: 60 },
      { levels: [1, 8, 32], waves: 2, workload: { outputTokens: 60, memoryNote: false } },
    ),
    truth('invalid_measurement'),
  ),
  swept(
    'evidence-client-semaphore',
    'a load tool that holds four requests at a time and starts its clock when it sends',
    simulated(64, { prefillMs: 100 }, { levels: [1, 4, 20], waves: 2, faults: { driverCap: 4 } }),
    truth('load_generator'),
  ),
  swept(
    'evidence-loop-at-start',
    'four sessions start, and counting the tokens of each holds the event loop for half a second',
    simulated(8, {}, { levels: [1, 4], faults: { runnerBlockMs: 500 } }),
    truth('runner_process'),
  ),
  swept(
    'evidence-loop-per-token',
    'work at each piece of text holds the event loop for 3 ms: rendering all of it again',
    simulated(
      64,
      { answerTokens: 40 },
      { levels: [1, 4, 8, 16], waves: 2, workload: { outputTokens: 40, memoryNote: false }, faults: { runnerDeltaMs: 3 } },
    ),
    truth('runner_process'),
  ),
  swept(
    'evidence-client-deadline',
    'one slot, and clients that give up after a second and a half while others are served',
    simulated(1, { prefillMs: 50, decodeMs: 8 }, { levels: [1, 4, 16], waves: 2, turnDeadlineMs: 1_500 }),
    truth('model_server_queue', null, 1),
  ),
  swept(
    'evidence-context-pool',
    'four slots that each promise the whole context, with one pool behind them',
    simulated(4, { contextPoolTokens: 900 }, { levels: [1, 2, 4], workload: { outputTokens: 16, memoryNote: false, promptTokens: 300 } }),
    truth('hardware'),
  ),
  swept(
    'evidence-slots-by-context',
    'seven slots of a long context: with the model they are more than the GPU holds, and all slow down',
    simulated(
      7,
      {
        startLoaded: true,
        modelBytes: 14e9,
        contextBytesPerToken: 80_000,
        contextTokens: 32_768,
        vramBytes: 24e9,
        spillFactor: 3,
        decodeMs: 2,
        decodeShape: 'proportional',
      },
      { levels: [1, 2, 4, 7] },
    ),
    truth('hardware'),
  ),
  swept(
    'evidence-burst-limiter',
    'ten sessions start at once at a provider: four live, six are told that it limits requests for the moment',
    simulated(32, { burstLimit: 4, burstWindowMs: 300 }, { levels: [1, 4, 10], waves: 2 }),
    truth('provider_limit'),
  ),
]

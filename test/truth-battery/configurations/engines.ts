/** Engines and machines that carry all requests at once and slow down, run out of memory, or fall over a cliff. */
import { type Configuration, simulated, swept, truth } from '../configuration.ts'

const UP_TO_8 = { levels: [1, 2, 4, 8] }
/** Where a level just misses 90 % of the best rate, it takes repeats to tell. */
const CLOSE = { ...UP_TO_8, waves: 3, repeats: 3 }
const memory = { levels: [1, 2, 4, 8], workload: { outputTokens: 16, memoryNote: false, promptTokens: 60 } }

export const ENGINES: readonly Configuration[] = [
  swept(
    'decode-bound',
    '16 slots, each token takes as many times as long as there are streams',
    simulated(16, { decodeShape: 'proportional' }, CLOSE),
    truth('model_server_engine', 3),
    { short: true },
  ),
  swept(
    'decode-bound-openai',
    'the same on OpenAI’s wire, which tells no durations',
    simulated(16, { decodeShape: 'proportional' }, CLOSE),
    truth('model_server_engine', 3),
    { wire: 'openai' },
  ),
  swept(
    'decode-table',
    '8 slots, a batch of two costs as much as one of four, then in proportion',
    simulated(8, { decodeShape: 'table', decodeTableMs: [8, 18, 18, 18, 24, 30, 36, 42] }, { ...CLOSE, levels: [1, 2, 3, 4, 6, 8] }),
    truth('model_server_engine', 4),
  ),
  swept(
    'prefill-bound',
    '16 slots, prompts share one rate',
    simulated(16, { prefillMs: 120, neighbourPrefill: 'shared', decodeMs: 2 }, CLOSE),
    truth('model_server_engine', 2),
  ),
  swept(
    'prefill-by-neighbours',
    '16 slots, prompts are read one after the other',
    simulated(16, { prefillMs: 100, neighbourPrefill: 'serial', decodeMs: 2 }, CLOSE),
    truth('model_server_engine', 2),
  ),
  swept(
    'prefill-stalls-decode',
    '16 slots, prompts one after the other, and every answer stands still while one is read',
    simulated(16, { prefillMs: 60, neighbourPrefill: 'serial', prefillStallsDecode: true }, UP_TO_8),
    truth('model_server_engine'),
  ),
  swept(
    'memory-bound-4',
    '16 slots; beyond four streams the total stands still',
    simulated(16, { prefillMs: 4, decodeMs: 10, memoryBoundAbove: 4 }, { levels: [1, 2, 4, 8, 16] }),
    truth(['model_server_engine', 'hardware'], 4),
  ),
  swept(
    'memory-bound-8',
    '32 slots; beyond eight streams the total stands still',
    simulated(32, { prefillMs: 5, decodeMs: 15, memoryBoundAbove: 8 }, { levels: [1, 2, 4, 8, 16, 32] }),
    truth(['model_server_engine', 'hardware'], 8),
  ),
  swept(
    'engine-cliff',
    '32 slots, above 8 streams a token takes four times as long',
    simulated(32, { decodeMs: 10, cliffAbove: 8, cliffFactor: 4 }, { levels: [1, 2, 4, 8, 16, 24] }),
    truth('model_server_engine', 8),
  ),
  swept(
    'engine-cliff-low',
    '16 slots, above 2 streams a token takes five times as long',
    simulated(16, { cliffAbove: 2, cliffFactor: 5 }, UP_TO_8),
    truth('model_server_engine'),
  ),
  swept(
    'engine-cliff-recovers',
    '64 slots; from 9 to 16 streams a token takes five times as long, beyond that twice',
    simulated(64, { decodeMs: 12, cliffAbove: 8, cliffUpTo: 16, cliffFactor: 5, memoryBoundAbove: 16 }, { levels: [1, 4, 8, 16, 32] }),
    truth('model_server_engine'),
  ),
]

export const HARDWARE: readonly Configuration[] = [
  swept(
    'memory-pool',
    '8 slots share a context of 400 tokens; from five sessions on some fail with "Context size has been exceeded"',
    simulated(8, { contextPoolTokens: 400 }, memory),
    truth('hardware'),
    { short: true },
  ),
  swept(
    'memory-pool-late',
    '16 slots share a context of 900 tokens',
    simulated(16, { contextPoolTokens: 900 }, { ...memory, levels: [1, 4, 8, 16] }),
    truth('hardware'),
  ),
  swept(
    'memory-pool-mid-answer',
    '4 slots share a context that holds four prompts, but not their answers',
    simulated(4, { contextPoolTokens: 360 }, { ...memory, levels: [1, 2, 4], workload: { ...memory.workload, outputTokens: 32 } }),
    truth('hardware'),
  ),
  swept(
    'memory-spill',
    'a third of the model lies outside the GPU’s memory, and decode is shared',
    simulated(8, { startLoaded: true, modelBytes: 3e9, vramBytes: 2e9, spillFactor: 3, decodeMs: 2, decodeShape: 'proportional' }, UP_TO_8),
    truth(['hardware', 'model_server_engine']),
  ),
]

/** Servers that answer so many requests at once and let the others wait. */
import { type Configuration, simulated, swept, type Truth, truth, WORKLOAD } from '../configuration.ts'

const queue = (slots: number): Truth => truth('model_server_queue', slots, slots)

export const QUEUES: readonly Configuration[] = [
  ...[1, 2, 4, 8, 16].map((slots) =>
    swept(
      `queue-${slots}`,
      `${slots} slots, first come first served, decode as fast beside others`,
      // The shortest waves vary most.
      simulated(slots, {}, slots === 1 ? { waves: 8 } : {}),
      queue(slots),
      slots === 4 ? { short: true } : {},
    ),
  ),
  swept('queue-12', '12 slots, swept in powers of two', simulated(12, {}, { levels: [1, 2, 4, 8, 16, 32] }), queue(12)),
  swept(
    'queue-3',
    '3 slots, answers of 12 to 20 tokens',
    simulated(3, { answerTokens: [12, 20] }, { workload: { ...WORKLOAD, outputTokens: 20 } }),
    queue(3),
  ),
  swept('queue-long-prompts', '4 slots, most of a turn is reading the prompt', simulated(4, { prefillMs: 120, decodeMs: 3 }), queue(4)),
  swept(
    'queue-background',
    '2 slots, a memory note after each answer takes a slot too',
    simulated(2, {}, { workload: { ...WORKLOAD, memoryNote: true } }),
    truth('model_server_queue', null, 2),
  ),
  swept(
    'queue-all-legs',
    '2 slots, with the direct and the null leg',
    simulated(2, {}, { levels: [1, 2, 4, 8], legs: ['runner', 'direct', 'null'] }),
    queue(2),
  ),
  swept('queue-openai', '4 slots on OpenAI’s wire, which tells no durations', simulated(4, {}, { levels: [1, 2, 4, 8, 16] }), queue(4), {
    wire: 'openai',
  }),
  swept(
    'queue-runaway',
    '1 slot, one answer in twenty does not stop until its limit, thirty times the others',
    simulated(
      1,
      { answerTokens: 8, runawayShare: 0.05, runawayTokens: 240 },
      { workload: { memoryNote: false, outputTokens: 240 }, levels: [1, 2, 4, 8] },
    ),
    truth('model_server_queue', null, 1),
  ),
  swept(
    'queue-runaway-4',
    '4 slots, one answer in thirty runs away',
    simulated(
      4,
      { answerTokens: 8, runawayShare: 0.03, runawayTokens: 240 },
      { workload: { memoryNote: false, outputTokens: 240 }, levels: [1, 4, 8, 16] },
    ),
    truth('model_server_queue', null, 4),
  ),
  swept(
    'queue-thinking-requeues',
    '2 slots, an answer gives its slot back in the middle and queues again',
    simulated(2, { thinkingTokens: 6, gapAtToken: 6, gapMs: 5, gapRequeues: true }, { workload: { ...WORKLOAD, outputTokens: 24 } }),
    truth(['model_server_queue', 'inconclusive']),
  ),
  swept(
    'queue-slow-tool',
    '1 slot; each turn looks into a folder with a tool that takes 100 ms at any number of sessions',
    simulated(
      1,
      { toolCallsPerTurn: 1, toolCallTokens: 4, toolScript: [{ name: 'list_files' }] },
      { levels: [1, 2, 4, 8], faults: { runnerToolMs: 100 } },
    ),
    truth('model_server_queue', null, 1),
  ),
  swept(
    'queue-failures',
    '2 slots, one answer in fifteen breaks off with an error',
    simulated(2, { errorAtToken: 8, errorShare: 0.067 }, { levels: [1, 2, 4, 8] }),
    truth('model_server_queue', null, 2),
  ),
  swept(
    'queue-slow-engine-full',
    '4 slots; an answer takes 1.4 times as long with all of them, four rounds deep',
    simulated(4, { decodeShape: 'table', decodeTableMs: [8, 9, 10, 11.2] }, { levels: [1, 2, 4, 8, 16] }),
    queue(4),
  ),
]

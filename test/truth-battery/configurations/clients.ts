/** Faults on this side of the wire: the runner, its tools, the load driver. */
import { type Configuration, simulated, swept, truth } from '../configuration.ts'

const TOOL = { toolCallsPerTurn: 1, toolCallTokens: 4, toolScript: [{ name: 'list_files' }] }

export const RUNNERS: readonly Configuration[] = [
  swept(
    'runner-block',
    'the runner holds its event loop for 400 ms at each start',
    simulated(8, {}, { levels: [1, 2, 4], waves: 2, faults: { runnerBlockMs: 400 } }),
    truth('runner_process'),
    { short: true },
  ),
  swept(
    'runner-block-short',
    'the runner holds its event loop for 120 ms at each start; with the null leg',
    simulated(16, {}, { levels: [1, 2, 4, 8], legs: ['runner', 'null'], faults: { runnerBlockMs: 120 } }),
    truth('runner_process'),
  ),
  swept(
    'runner-block-one-slot',
    'two causes: the loop is held for 300 ms at each start, before a server with one slot that takes 105 ms',
    simulated(1, {}, { levels: [1, 2, 4, 8], waves: 2, faults: { runnerBlockMs: 300 } }),
    truth('runner_process'),
  ),
  swept(
    'client-pool-10',
    'the runner has 10 connections to the server, which could take 32 at once',
    simulated(32, { decodeMs: 8 }, { levels: [1, 5, 10, 20, 40], faults: { runnerPoolLimit: 10 } }),
    truth('runner_process', 10),
  ),
  swept(
    'client-pool-4',
    'the runner has 4 connections, the server 16 slots; with the null leg',
    simulated(16, { decodeMs: 8 }, { levels: [1, 2, 4, 8, 16], legs: ['runner', 'null'], faults: { runnerPoolLimit: 4 } }),
    truth('runner_process', 4),
  ),
  swept(
    'tool-lock',
    'each turn uses a tool of 150 ms that only one session may use at a time',
    simulated(16, TOOL, { levels: [1, 2, 4, 8], waves: 2, faults: { runnerToolMs: 150, runnerToolsAtOnce: 1 } }),
    truth('runner_process'),
  ),
  swept(
    'slow-tool',
    'near miss: each turn uses a tool of 300 ms, at any number of sessions alike',
    simulated(16, TOOL, { levels: [1, 2, 4, 8], waves: 2, faults: { runnerToolMs: 300 } }),
    truth('none_reached', 'not-reached'),
  ),
]

export const DRIVERS: readonly Configuration[] = [2, 4, 6].map((cap) =>
  swept(
    `driver-cap-${cap}`,
    `the load driver holds ${cap} turns in flight and submits the others late`,
    simulated(32, { prefillMs: 60 }, { levels: [1, 2, 16], waves: 2, faults: { driverCap: cap } }),
    truth('load_generator'),
    cap === 4 ? { short: true } : {},
  ),
)

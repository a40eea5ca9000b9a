/** Sweeps and lists for tests of the page. */
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import type { Found } from '../../contract/endpoints/app.ts'
import type { SweepListItem } from '../../contract/endpoints/sweeps.ts'
import type { SweepEvent } from '../../core/sweep/sweep-event.ts'
import { fakeSweepId } from './fake-main.ts'

/** One slot: a queue that everybody can see. */
export const queueSweep = (change: Partial<SyntheticSettings> = {}): SweepEvent[] =>
  syntheticSweep({
    slots: 1,
    levels: [1, 2, 4, 8],
    repeats: 3,
    waves: 6,
    prefillMs: 100,
    tokenMs: 5,
    outputTokens: 40,
    runnerMs: 2,
    seed: 7,
    closing: true,
    samplesPerSec: 1,
    ...change,
  })

export const listItem = (number: number, change: Partial<SweepListItem> = {}): SweepListItem => ({
  sweepId: fakeSweepId(number),
  number,
  startedEpochMs: Date.UTC(2026, 10, 30, 12, number),
  durationMs: 238_000,
  status: 'completed',
  targetLabel: 'smollm2:135m on Ollama 0.11.4',
  simulated: false,
  levels: [1, 2, 4, 8],
  sessions: 312,
  verdict: { primary: 'model_server_queue', confidence: 'likely', sentence: 'The model server’s queue gives way first.' },
  ceiling: '4',
  cellsDone: 13,
  cellsPlanned: 13,
  ...change,
})

export const FOUND: readonly Found[] = [
  {
    kind: 'model-server',
    name: 'Ollama 0.11.4',
    found: true,
    where: '127.0.0.1:11434',
    fact: '1 slot',
    targets: [{ label: 'smollm2:135m on Ollama 0.11.4', target: { kind: 'server', url: 'http://127.0.0.1:11434', model: 'smollm2:135m' } }],
  },
  { kind: 'model-server', name: 'LM Studio', found: false, where: '127.0.0.1:1234', fact: 'nothing listens', targets: [] },
  {
    kind: 'engine',
    name: 'Built in',
    found: true,
    where: 'on demand',
    fact: 'llama.cpp',
    targets: [{ label: 'tiny, built in', target: { kind: 'built-in', engine: 'llama', model: 'tiny', slots: 1, settings: {} } }],
  },
  { kind: 'agent-cli', name: 'claude', found: true, where: '~/.local/bin/claude', fact: 'signs in by itself', targets: [] },
]

import { expect, test } from 'vitest'
import { type SyntheticSettings, syntheticSweep } from '../../../test/synthetic-sweep.ts'
import { sweepStateOf } from '../sweep/fold-sweep.ts'
import { createSeededRandom } from '../sweep/seeded-random.ts'
import type { SweepEvent } from '../sweep/sweep-event.ts'
import { analyse } from './analyse.ts'

const settings: SyntheticSettings = {
  slots: 3,
  levels: [1, 2, 4, 8],
  prefillMs: 50,
  tokenMs: 10,
  outputTokens: 20,
  waves: 5,
  legs: ['runner', 'direct', 'null'],
  noiseRatio: 0.1,
  samplesPerSec: 4,
  background: { calls: 1, tokens: 6 },
  faults: { failEvery: 11 },
  seed: 12,
}

function bytesOf(events: readonly SweepEvent[]): string {
  const state = sweepStateOf(events)
  if (state === undefined) throw new Error('a started sweep has a state')
  return JSON.stringify(analyse(state))
}

/** Turns that end in the same 5 ms are stamped alike, so that there is an order to be shuffled. */
function coarse(event: SweepEvent): SweepEvent {
  return event.type === 'turn-ended' ? { ...event, atMs: 5 * Math.round(event.atMs / 5) } : event
}

/** Turns ended at one moment come in another order; all else stays where it is. */
function shuffledEnds(events: readonly SweepEvent[], seed: number): SweepEvent[] {
  const { shuffle } = createSeededRandom(`shuffle/${seed}`)
  const mixed: SweepEvent[] = []
  let together: SweepEvent[] = []
  const flush = () => {
    mixed.push(...shuffle(together))
    together = []
  }
  for (const event of events) {
    if (event.type !== 'turn-ended' || event.atMs !== together[0]?.atMs) flush()
    if (event.type === 'turn-ended') together.push(event)
    else mixed.push(event)
  }
  flush()
  return mixed
}

function firstDifference(text: string, other: string): string | null {
  const at = [...text].findIndex((letter, index) => letter !== other[index])
  return at === -1 && text.length === other.length ? null : `${text.slice(Math.max(0, at - 200), at + 40)} | ${other.slice(at, at + 40)}`
}

test('M12: the same sweep analysed twice gives the same bytes, and so does one stored and read again', () => {
  const events = syntheticSweep(settings)
  const bytes = bytesOf(events)
  expect(firstDifference(bytesOf(events), bytes)).toBeNull()
  expect(firstDifference(bytesOf(JSON.parse(JSON.stringify(events)) as SweepEvent[]), bytes)).toBeNull()
})

test('M12: turns that ended at the same moment may come in any order', () => {
  const events = syntheticSweep(settings).map(coarse)
  const bytes = bytesOf(events)
  for (let seed = 0; seed < 5; seed += 1) {
    const other = shuffledEnds(events, seed)
    expect(other).not.toEqual(events)
    // Not `toBe`: two texts of this length side by side tell nobody anything.
    expect(firstDifference(bytesOf(other), bytes)).toBeNull()
  }
})

/** Recorded requests to real Ollamas must come out as they were: slots, queue, swaps, aborts. */
import { expect, test } from 'vitest'
import { readTraces, traceState } from '../../../test/ollama-traces.ts'
import { analyse } from './analyse.ts'
import { sweepFacts } from './levels/level-facts.ts'

const traces = readTraces()
const stateOf = (version: string, parallel: number, family: string) => traceState(traces, version, parallel, family)

const families = [...new Set(traces.map((trace) => `${trace.version}|${trace.parallel}|${trace.cell.split('-n')[0]}`))].map((key) => {
  const [version = '', parallel = '', family = ''] = key.split('|')
  return { version, parallel: Number(parallel), family }
})

test('all families are there', () => {
  expect(traces).toHaveLength(891)
  expect(families).toHaveLength(22)
})

test.each(families.filter(({ family }) => family !== 'abort-queued' && family !== 'abort-running'))(
  'Ollama $version with $parallel slots, $family: effective slots are the setting',
  ({ version, parallel, family }) => {
    const { effectiveSlots, verdict, levels } = analyse(stateOf(version, parallel, family))
    expect(effectiveSlots).toMatchObject({ n: parallel, plateau: true })
    expect(verdict.effectiveSlots).toBe(parallel)
    for (const level of levels) expect(level.slotsInUse).toBe(Math.min(level.n, parallel))
  },
)

test.each(families.filter(({ parallel, family }) => parallel === 1 && ['burst', 'long', 'closed'].includes(family)))(
  'Ollama $version with 1 slot, $family: the queue is the largest share of the growth, and is named',
  ({ version, parallel, family }) => {
    const { growth, verdict } = analyse(stateOf(version, parallel, family))
    const [largest] = growth?.parts.toSorted((a, b) => b.share.value - a.share.value) ?? []
    expect(largest?.part).toBe('queue')
    expect(largest?.share.low).toBeGreaterThan(0.9)
    expect(verdict).toMatchObject({ primary: 'model_server_queue', confidence: 'likely' })
    expect(verdict.evidence.filter((line) => line.stance === 'against')).toEqual([])
  },
)

test.each(families.filter(({ family }) => family === 'ctx-mix' || family === 'two-models'))(
  'Ollama $version, $family: the swap is named, never the queue',
  ({ version, parallel, family }) => {
    const { verdict, levels } = analyse(stateOf(version, parallel, family))
    expect(verdict.primary).toBe('model_server_reload')
    expect(verdict.sentence).toContain(family === 'ctx-mix' ? 'num_ctx 1024 and 2048' : 'models mid and tiny')
    expect(levels[0]?.shares.swap).toBeGreaterThan(levels[0]?.shares.queue ?? 1)
  },
)

test.each(families.filter(({ family }) => family === 'burst'))(
  'Ollama $version with $parallel slots: the first requests of a burst have no queue share, and the others wait their turn',
  ({ version, parallel }) => {
    for (const { level, turns } of sweepFacts(stateOf(version, parallel, 'burst')).levels) {
      const byCell = level.cells.map(({ cell }) => turns.filter(({ row }) => row.cell === cell.index))
      for (const cell of byCell) {
        const order = cell.toSorted((a, b) => (a.row.firstActivityAtMs ?? 0) - (b.row.firstActivityAtMs ?? 0))
        for (const turn of order.slice(0, parallel)) expect(turn.queueMs).toBe(0)
        for (const turn of order.slice(parallel)) expect(turn.queueMs).toBeGreaterThan(200)
      }
    }
  },
)

test.each(families.filter(({ family }) => ['burst', 'closed', 'long'].includes(family)))(
  'Ollama $version with $parallel slots, $family: the server’s own durations agree with the queue seen from outside',
  ({ version, parallel, family }) => {
    const calls = sweepFacts(stateOf(version, parallel, family)).levels.flatMap((level) => level.turns.flatMap((turn) => turn.calls))
    expect(calls.filter((call) => call.isUnresolved).length).toBeLessThanOrEqual(0.02 * calls.length)
  },
)

test.each(families.filter(({ family }) => family.startsWith('abort')))(
  'Ollama $version, $family: an aborted request counts as cut, never as failed by the server',
  ({ version, parallel, family }) => {
    const { levels, verdict } = analyse(stateOf(version, parallel, family))
    expect(levels).toMatchObject([{ cut: 1, failures: 0 }])
    expect(verdict.primary).toBe('inconclusive')
  },
)

test.each(families)(
  'Ollama $version with $parallel slots, $family: no doubt, no cause that was not there, and never sure of a wrong one',
  ({ version, parallel, family }) => {
    const { verdict, candidates, interventions } = analyse(stateOf(version, parallel, family))
    expect(interventions).toEqual([])
    if (family.startsWith('abort')) return
    if (family === 'ctx-mix' || family === 'two-models') {
      expect(verdict.mechanism).toContain('swapped')
      return
    }
    expect(verdict.primary).toBe('model_server_queue')
    expect(verdict.mechanism).toBe(`${parallel === 1 ? 'one slot' : `${parallel} slots`}, first come first served`)
    expect(candidates[0]?.code).toBe('model_server_queue')
    if (parallel > 1 && family === 'burst') {
      // One CPU thread: with all slots in use the total is that of one request.
      expect(verdict.secondary).toBe('model_server_engine')
      expect(verdict.sentence).toContain('The queue is where the waiting happens, but the engine is the limit')
      expect(verdict.wouldNotMove).toContain('More slots')
    }
  },
)

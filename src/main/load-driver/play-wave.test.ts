import { expect, test } from 'vitest'
import { burstOffsetsMs } from '../../core/sweep/plan-sweep.ts'
import { ManualClock } from '../platform/clock.ts'
import { playWave, type Wave } from './play-wave.ts'
import { newRecord, type Turn } from './turn.ts'

/** A turn that ends so long after its submit, or never. */
function scriptedTurn(session: number, clock: ManualClock, ended: Wave['ended'], takesMs: number | null): Turn {
  const record = newRecord(session)
  const finish = (outcome: 'completed' | 'failed' | 'cut') => {
    if (record.endAtMs !== null) return
    record.endAtMs = clock.nowMs()
    record.outcome = outcome
    ended.count += 1
    ended.listener()
  }
  return {
    record,
    prepare: async () => {},
    fire() {
      record.submitAtMs = clock.nowMs()
      if (takesMs !== null) clock.after(takesMs, () => finish('completed'))
    },
    stop: async (outcome, problem) => {
      if (record.endAtMs === null) record.problem = problem
      finish(outcome)
    },
    release: async () => {},
  }
}

async function play(
  takesMs: readonly (number | null)[],
  { abortAfterMs = Number.POSITIVE_INFINITY, stepMs = 0.05, forMs = 400, cap = undefined as number | undefined } = {},
) {
  const clock = new ManualClock(1_000)
  const abort = new AbortController()
  clock.after(abortAfterMs, () => abort.abort())
  const ended: Wave['ended'] = { count: 0, listener: () => {} }
  const turns = takesMs.map((ms, i) => scriptedTurn(i, clock, ended, ms))
  const submits: { lagMs: number; inFlight: number }[] = []
  let over = false
  const done = playWave(
    { turns, offsetsMs: burstOffsetsMs(turns.length), deadlineMs: 100, ended, cap },
    {
      clock,
      nextTurnOfLoop: (callback) => void setImmediate(callback),
      onStart: () => {},
      onSubmit: (lagMs, inFlight) => submits.push({ lagMs, inFlight }),
    },
    abort.signal,
  ).then(() => {
    over = true
  })
  for (let passed = 0; passed < forMs && !over; passed += stepMs) {
    clock.advance(stepMs)
    await new Promise((resolve) => setImmediate(resolve))
  }
  await done
  return { records: turns.map((turn) => turn.record), submits }
}

test('the fault switch holds turns back although their moment has come; their lag is told', async () => {
  const { records, submits } = await play([20, 20, 20, 20], { cap: 2 })
  expect(Math.max(...submits.map(({ inFlight }) => inFlight))).toBe(2)
  expect(records.map((record) => Math.round((record.submitAtMs - record.plannedAtMs) / 20))).toEqual([0, 0, 1, 1])
})

test('M1b: every turn is submitted at its planned moment, 0.1 ms after the one before', async () => {
  const { records, submits } = await play(new Array(20).fill(10))
  const offsets = records.map((record) => record.plannedAtMs - (records[0]?.plannedAtMs ?? 0))
  expect(offsets.map((ms) => ms.toFixed(3))).toEqual(burstOffsetsMs(20).map((ms) => ms.toFixed(3)))
  for (const { lagMs } of submits) {
    expect(lagMs).toBeGreaterThanOrEqual(0)
    expect(lagMs).toBeLessThan(0.15)
  }
  expect(Math.max(...submits.map((submit) => submit.inFlight))).toBe(20)
})

test('M2: a turn that does not end is stopped as failed at its deadline, the others stay as they are', async () => {
  const { records } = await play([10, null, 20], { stepMs: 1 })
  expect(records.map((record) => record.outcome)).toEqual(['completed', 'failed', 'completed'])
  const hung = records[1]
  expect(hung?.problem?.code).toBe('turn-deadline')
  expect((hung?.endAtMs ?? 0) - (hung?.plannedAtMs ?? 0)).toBeLessThan(110)
})

test('M2: an abort ends the wave at once; turns under way and turns not yet submitted become cut', async () => {
  // The clock starts 12 ms before the first submit.
  const underWay = await play([5, null, null], { abortAfterMs: 30, stepMs: 1 })
  expect(underWay.records.map((record) => record.outcome)).toEqual(['completed', 'cut', 'cut'])
  const before = await play([5, null, null], { abortAfterMs: 6, stepMs: 1 })
  expect(before.records.map((record) => record.outcome)).toEqual(['cut', 'cut', 'cut'])
  expect(before.submits).toEqual([])
})

import { expect, test } from 'vitest'
import { ManualClock } from '../platform/clock.ts'
import { playSessions, type SessionsLoad } from './play-sessions.ts'
import { newRecord, type Turn } from './turn.ts'

type Scripted = Turn & { readonly previous: Turn | null; prepared: boolean; released: boolean }
type Asked = Partial<Pick<SessionsLoad, 'hasTurn' | 'continues' | 'cap'>> & {
  readonly offsetsMs: readonly number[]
  readonly takesMs: (session: number, turn: number) => number | null
  readonly fails?: (session: number, turn: number) => boolean
  readonly abortAfterMs?: number
  readonly forMs?: number
}

/** Turns that end so long after their submit, or never; the clock is turned by a millisecond at a time. */
async function play({ offsetsMs, takesMs, fails, abortAfterMs = Number.POSITIVE_INFINITY, forMs = 2_000, ...rules }: Asked) {
  const clock = new ManualClock(1_000)
  const abort = new AbortController()
  clock.after(abortAfterMs, () => abort.abort())
  const made: Scripted[] = []
  const ended: Turn[] = []
  let startMs = 0
  let mostInFlight = 0
  const makeTurn: SessionsLoad['makeTurn'] = (session, number, previous, onEnded) => {
    const record = newRecord(session, number)
    const finish = (outcome: 'completed' | 'failed' | 'cut') => {
      if (record.endAtMs !== null) return
      record.endAtMs = clock.nowMs()
      record.outcome = outcome
      onEnded()
    }
    const turn: Scripted = {
      ...{ record, previous, prepared: false, released: false },
      prepare: async () => {
        turn.prepared = true
      },
      fire() {
        record.submitAtMs = clock.nowMs()
        const ms = takesMs(session, number)
        if (ms !== null) clock.after(ms, () => finish(fails?.(session, number) ? 'failed' : 'completed'))
      },
      stop: async (outcome, problem) => {
        if (record.endAtMs === null) record.problem = problem
        finish(outcome)
      },
      release: async () => {
        turn.released = true
      },
    }
    made.push(turn)
    return turn
  }
  let over = false
  const done = playSessions(
    { offsetsMs, deadlineMs: 300, makeTurn, hasTurn: (_session, turn) => turn === 0, continues: () => false, ...rules },
    {
      clock,
      nextTurnOfLoop: (callback) => void setImmediate(callback),
      onStart: (atMs) => {
        startMs = atMs
      },
      onSubmit: (_lagMs, inFlight) => {
        mostInFlight = Math.max(mostInFlight, inFlight)
      },
      onTurnStarted: () => {},
      onTurnEnded: (turn) => ended.push(turn),
    },
    abort.signal,
  ).then(() => {
    over = true
  })
  for (let passed = 0; passed < forMs && !over; passed += 1) {
    clock.advance(1)
    await new Promise((resolve) => setImmediate(resolve))
  }
  expect(over).toBe(true)
  await done
  expect(made.filter((turn) => turn.prepared && !turn.released)).toEqual([])
  const rows = ended.map(({ record }) => ({ ...record, sinceMs: record.plannedAtMs - startMs }))
  return { rows, made, mostInFlight, endedAtMs: clock.nowMs() - startMs }
}

test('a sustained load keeps N in flight: the next turn is planned for the end of the one before, and those in flight at the end are let finish', async () => {
  const { rows, mostInFlight, endedAtMs } = await play({
    offsetsMs: [0, 0.1, 0.2],
    takesMs: (session) => 40 + 10 * session,
    hasTurn: (_session, _turn, sinceMs) => sinceMs < 500,
  })
  expect(mostInFlight).toBe(3)
  for (const session of [0, 1, 2]) {
    const own = rows.filter((row) => row.session === session)
    expect(own.map((row) => row.turn)).toEqual(own.map((_, i) => i))
    for (const [i, row] of own.entries()) if (i > 0) expect(row.plannedAtMs).toBe(own[i - 1]?.endAtMs)
    expect(own.length).toBeGreaterThanOrEqual(Math.floor(500 / (42 + 10 * session)))
    expect(own.at(-1)?.outcome).toBe('completed')
    expect((own.at(-1)?.endAtMs ?? 0) - (own.at(-1)?.plannedAtMs ?? 0)).toBeGreaterThanOrEqual(40)
  }
  expect(endedAtMs).toBeGreaterThanOrEqual(500)
  expect(endedAtMs).toBeLessThan(570)
})

test('an open load submits at its moments whatever is in flight, and latency counts from there', async () => {
  const offsetsMs = [5, 60, 61, 200, 1_400]
  const { rows, mostInFlight } = await play({ offsetsMs, takesMs: () => 250 })
  expect(rows.map((row) => Math.round(row.sinceMs))).toEqual(offsetsMs)
  expect(mostInFlight).toBe(4)
  for (const row of rows) expect(row.submitAtMs - row.plannedAtMs).toBeLessThanOrEqual(1.001)
})

test('M2: each turn of a load without waves has its own deadline, and its session goes on', async () => {
  const { rows } = await play({
    offsetsMs: [0],
    takesMs: (_session, turn) => (turn === 0 ? null : 50),
    hasTurn: (_session, _turn, sinceMs) => sinceMs < 700,
  })
  expect(rows.map((row) => row.outcome)).toEqual(['failed', 'completed', 'completed', 'completed'])
  expect(rows[0]?.problem?.code).toBe('turn-deadline')
  expect((rows[0]?.endAtMs ?? 0) - (rows[0]?.plannedAtMs ?? 0)).toBeLessThan(310)
})

test('a server that refuses at once is asked again after a pause, which is no lag of the driver', async () => {
  const { rows } = await play({ offsetsMs: [0], takesMs: () => 1, fails: () => true, hasTurn: (_session, _turn, sinceMs) => sinceMs < 1_000 })
  expect(rows.length).toBeGreaterThan(2)
  expect(rows.length).toBeLessThanOrEqual(5)
  for (const row of rows) expect(row.submitAtMs - row.plannedAtMs).toBeLessThanOrEqual(1.001)
})

test('M2: an abort cuts what is in flight, keeps what has ended, and nothing is left open', async () => {
  const { rows } = await play({ offsetsMs: [0, 50, 900], takesMs: (session) => (session === 0 ? 30 : null), abortAfterMs: 130 })
  expect(rows.map(({ session, outcome }) => [session, outcome])).toEqual([
    [0, 'completed'],
    [1, 'cut'],
  ])
  const failing = await play({ offsetsMs: [0], takesMs: () => 1, fails: () => true, hasTurn: () => true, abortAfterMs: 80 })
  expect(failing.rows).toHaveLength(1)
})

test('a conversation’s next turn is made of the one before, after its end; one that failed ends it', async () => {
  const { rows, made } = await play({
    offsetsMs: [0, 0.1],
    takesMs: () => 20,
    fails: (session, turn) => session === 1 && turn === 1,
    hasTurn: (_session, turn, _sinceMs, last) => turn < 3 && (last === null || last.record.outcome === 'completed'),
    continues: (_session, turn) => turn > 0,
  })
  expect(rows.filter((row) => row.session === 0).map((row) => row.turn)).toEqual([0, 1, 2])
  expect(rows.filter((row) => row.session === 1).map((row) => row.turn)).toEqual([0, 1])
  for (const turn of made) expect(turn.previous?.record.turn).toBe(turn.record.turn === 0 ? undefined : turn.record.turn - 1)
})

test('the fault switch holds turns back in a sustained load too', async () => {
  const { mostInFlight } = await play({
    offsetsMs: [0, 0.1, 0.2, 0.3],
    takesMs: () => 20,
    cap: 2,
    hasTurn: (_session, _turn, sinceMs) => sinceMs < 200,
  })
  expect(mostInFlight).toBe(2)
})

/**
 * Sessions that arrive at their planned moments and play their turns one after the other: the sustained load (closed loop), the open load (Poisson), and
 * sessions of several turns in a burst. Ends in any case: by the turns, each of which has a deadline (M2), or by the signal.
 */
import { deadlineProblem, inPortions, leadMs, SPIN_MS, type WavePorts } from './play-wave.ts'
import type { Turn } from './turn.ts'

export type SessionsLoad = {
  /** Moment of each session's first submit, ascending, from the beginning. */
  readonly offsetsMs: readonly number[]
  /** Of each turn, from its planned moment. */
  readonly deadlineMs: number
  /** Fault switch: so many in flight at most. Absent = all at their moments. */
  readonly cap?: number | undefined
  /** @param previous the turn of whose conversation it is the next one; null = a conversation of its own */
  readonly makeTurn: (session: number, turn: number, previous: Turn | null, onEnded: () => void) => Turn
  /** Whether the session begins a turn of this number, so long after the beginning; `last` is the one before it. */
  readonly hasTurn: (session: number, turn: number, sinceStartMs: number, last: Turn | null) => boolean
  /** Whether that turn goes on in the conversation of the one before. */
  readonly continues: (session: number, turn: number, last: Turn | null) => boolean
}

export type SessionsPorts = WavePorts & {
  readonly onTurnStarted: (turn: Turn) => void
  readonly onTurnEnded: (turn: Turn) => void
}

/** Sessions are connected this long before their moment. */
const PREPARE_AHEAD_MS = 1_000
/** A connection made ahead that has waited for longer than this is made anew: servers close those that say nothing. */
const STALE_MS = 20_000
/** Between a turn that failed and the session's next one: a server that refuses at once is not to be flooded. */
const FAILED_PAUSE_MS = 250

type Ahead = { readonly turn: Turn; readonly ready: Promise<void>; readonly madeAtMs: number }
type SessionState = { readonly session: number; number: number; current: Turn | null; ahead: Ahead | null }

export async function playSessions(load: SessionsLoad, ports: SessionsPorts, signal: AbortSignal): Promise<void> {
  const { clock } = ports
  const sessions = load.offsetsMs.map((_, session): SessionState => ({ session, number: 0, current: null, ahead: null }))
  const inFlight = new Map<Turn, () => void>()
  const due: { readonly state: SessionState; readonly turn: Turn }[] = []
  const waiting = new Map<Turn, () => void>()
  /** Under way off the clock: awaited before the end. */
  const submits = new Set<Promise<void>>()
  const releases = new Set<Promise<void>>()
  let startMs = clock.nowMs()
  let over = 0
  let whenOver: () => void = () => {}

  const release = (turn: Turn) => {
    const released = turn.release().finally(() => releases.delete(released))
    releases.add(released)
  }
  const make = (state: SessionState, number: number, previous: Turn | null): Ahead => {
    const turn: Turn = load.makeTurn(state.session, number, previous, () => ended(state, turn))
    return { turn, ready: turn.prepare(), madeAtMs: clock.nowMs() }
  }
  const fire = (state: SessionState, turn: Turn) => {
    state.current = turn
    const { plannedAtMs } = turn.record
    inFlight.set(
      turn,
      clock.after(Math.max(0, plannedAtMs + load.deadlineMs - clock.nowMs()), () => void turn.stop('failed', deadlineProblem(load.deadlineMs))),
    )
    turn.fire()
    ports.onTurnStarted(turn)
    ports.onSubmit(turn.record.submitAtMs - plannedAtMs, inFlight.size)
    const next = state.number + 1
    const isOver = turn.record.endAtMs !== null
    // Connected while this one runs, so that the next begins when it ends (M1b).
    if (!isOver && !load.continues(state.session, next, null) && load.hasTurn(state.session, next, clock.nowMs() - startMs, null))
      state.ahead = make(state, next, null)
  }
  const pump = () => {
    while (due.length > 0 && !signal.aborted && (load.cap === undefined || inFlight.size < load.cap)) {
      const next = due.shift()
      if (next !== undefined) fire(next.state, next.turn)
    }
  }
  const submitAt = (state: SessionState, ahead: Ahead, plannedAtMs: number) => {
    const submitted = submitWhenReady(state, ahead, plannedAtMs).finally(() => submits.delete(submitted))
    submits.add(submitted)
  }
  const submitWhenReady = async (state: SessionState, { turn, ready }: Ahead, plannedAtMs: number) => {
    await ready
    turn.record.plannedAtMs = plannedAtMs
    if (signal.aborted) return release(turn)
    const waitMs = plannedAtMs - clock.nowMs()
    const enqueue = () => {
      waiting.delete(turn)
      due.push({ state, turn })
      pump()
    }
    if (waitMs <= 0) enqueue()
    else waiting.set(turn, clock.after(waitMs, enqueue))
  }
  const ended = (state: SessionState, turn: Turn) => {
    inFlight.get(turn)?.()
    inFlight.delete(turn)
    ports.onTurnEnded(turn)
    const { endAtMs, outcome } = turn.record
    const number = state.number + 1
    const goesOn = !signal.aborted && load.hasTurn(state.session, number, clock.nowMs() - startMs, turn)
    const ahead = state.ahead
    state.ahead = null
    if (goesOn) {
      state.number = number
      const isFresh = ahead !== null && clock.nowMs() - ahead.madeAtMs <= STALE_MS
      const next = isFresh ? ahead : make(state, number, load.continues(state.session, number, turn) ? turn : null)
      if (ahead !== null && !isFresh) release(ahead.turn)
      submitAt(state, next, (endAtMs ?? clock.nowMs()) + (outcome === 'completed' ? 0 : FAILED_PAUSE_MS))
    } else {
      if (ahead !== null) release(ahead.turn)
      over += 1
    }
    release(turn)
    pump()
    if (over === sessions.length) whenOver()
  }

  const firstOnes = sessions.filter(({ session }) => (load.offsetsMs[session] ?? 0) <= PREPARE_AHEAD_MS)
  await inPortions(firstOnes, async (state) => {
    if (signal.aborted) return
    state.ahead = make(state, 0, null)
    await state.ahead.ready
  })
  if (!signal.aborted) {
    startMs = clock.nowMs() + leadMs(firstOnes.length)
    ports.onStart(startMs)
    const allOver = new Promise<void>((resolve) => {
      whenOver = resolve
      signal.addEventListener('abort', () => resolve(), { once: true })
    })
    arrive(sessions, startMs, load.offsetsMs, {
      ports,
      signal,
      prepare: (state) => {
        state.ahead ??= make(state, 0, null)
      },
      submit: (state, atMs) => {
        const ahead = state.ahead ?? make(state, 0, null)
        state.ahead = null
        submitAt(state, ahead, atMs)
      },
    })
    await allOver
  }
  await Promise.all([...inFlight.keys()].map((turn) => turn.stop('cut', null)))
  for (const { ahead } of sessions) if (ahead !== null) release(ahead.turn)
  await Promise.all(submits)
  for (const [turn, cancel] of waiting) {
    cancel()
    release(turn)
  }
  for (const { turn } of due) release(turn)
  await Promise.all(releases)
}

type Arrivals = {
  readonly ports: WavePorts
  readonly signal: AbortSignal
  readonly prepare: (state: SessionState) => void
  readonly submit: (state: SessionState, atMs: number) => void
}

/** Coarse waits by timer, the last milliseconds by turning the loop: as in a burst (play-wave.ts). */
function arrive(
  sessions: readonly SessionState[],
  startMs: number,
  offsetsMs: readonly number[],
  { ports, signal, prepare, submit }: Arrivals,
): void {
  const { clock, nextTurnOfLoop } = ports
  const momentOf = (at: number) => startMs + (offsetsMs[at] ?? 0)
  let [prepared, submitted] = [0, 0]
  const step = () => {
    if (signal.aborted) return
    for (; prepared < sessions.length && momentOf(prepared) - PREPARE_AHEAD_MS <= clock.nowMs(); prepared++) {
      const state = sessions[prepared]
      if (state !== undefined && prepared >= submitted) prepare(state)
    }
    for (; submitted < sessions.length && momentOf(submitted) <= clock.nowMs(); submitted++) {
      const state = sessions[submitted]
      if (state !== undefined) submit(state, momentOf(submitted))
    }
    if (submitted === sessions.length) return
    const nextPreparation = prepared < sessions.length ? momentOf(prepared) - PREPARE_AHEAD_MS : Number.POSITIVE_INFINITY
    const waitMs = Math.min(nextPreparation, momentOf(submitted) - SPIN_MS) - clock.nowMs()
    if (waitMs > 0) clock.after(waitMs, step)
    else nextTurnOfLoop(step, momentOf(submitted) - clock.nowMs())
  }
  step()
}

/**
 * Chat sessions against model servers, many in flight: who may run (core/session/admission), who waits at which place, who is stopped.
 * What a turn does stands in run-turn.ts, the HTTP API in runner-server.ts. Stores nothing: others listen to `onEvent`.
 */
import { randomUUID } from 'node:crypto'
import { type SessionId, sessionIdSchema, type TurnId, turnIdSchema } from '../../../core/result/ids.ts'
import type { Problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { type Admission, askAdmission, leaveAdmission, limitAdmission, openAdmission, releaseAdmission } from '../../../core/session/admission.ts'
import { builtInEngine } from '../../../core/session/built-in-address.ts'
import { interruptedEnds } from '../../../core/session/conversation.ts'
import { countTurn, openRunnerCounts } from '../../../core/session/runner-counts.ts'
import type { SessionEvent, SessionSettings } from '../../../core/session/session-event.ts'
import type { Engine } from '../../../core/sweep/target.ts'
import type { Clock } from '../../platform/clock.ts'
import { createHttpClient, parseOrigin } from '../../platform/http-client.ts'
import type { Log } from '../../platform/log.ts'
import { createModelAbilities } from './model-abilities.ts'
import { runTurn } from './run-turn.ts'
import { createRunnerFaults, type RunnerFaultRequest } from './runner-faults.ts'
import { brokenTurn, deadlinePassed, noSession, sessionBusy } from './runner-problems.ts'
import { listenRunner, type RunnerAddress, type RunnerServer } from './runner-server.ts'
import { Session, type SessionListener } from './session.ts'
import { type Ending, Turn } from './turn.ts'

export interface RunnerDeps {
  readonly clock: Clock
  readonly log: Log
  /** Chat turns that may run at once. */
  readonly limit: number
  readonly version: string
  /** Starts, or finds, the built-in server that a session names by its engine. Absent: such sessions' turns fail with a sentence. */
  builtInServer?(engine: Engine, model: string): Promise<Result<string, Problem>>
  /** The key that a session names; absent: sessions that name one fail with a sentence. */
  readKey?(name: string): Result<string, Problem>
}

export type SessionOrigin = SessionSettings['origin']
export type AnyEventListener = (sessionId: SessionId, event: SessionEvent, origin: SessionOrigin) => void

export interface RunnerGauges {
  /** Turns of chats and sweeps that run. */
  readonly inFlight: number
  readonly queued: number
  /** Holds chats only. */
  readonly limit: number
}

/** A session takes so many turns ahead; more is a caller that does not wait for answers. */
const MAX_TURNS_PER_SESSION = 16

export type Runner = ReturnType<typeof createRunner>

export function createRunner(deps: RunnerDeps) {
  const { clock, log } = deps
  const http = createHttpClient()
  const faults = createRunnerFaults(clock)
  const turnDeps = { clock, http, faults, abilities: createModelAbilities(http), builtInServer: deps.builtInServer, readKey: deps.readKey }
  const sessions = new Map<SessionId, Session>()
  const turns = new Map<TurnId, Turn>()
  const counts = openRunnerCounts()
  const servers = new Set<RunnerServer>()
  let listeners: readonly AnyEventListener[] = []
  let admission = openAdmission(deps.limit)
  let running = 0
  let starting: Turn[] = []
  let onIdle: (() => void) | undefined

  const announce = (session: Session, event: SessionEvent) => {
    for (const listener of listeners) listener(session.id, event, session.settings.origin)
  }

  function openSession(id: SessionId, settings: SessionSettings, history: readonly SessionEvent[]): Result<Session, Problem> {
    const server = builtInEngine(settings.serverUrl) === undefined ? parseOrigin(settings.serverUrl) : ok(null)
    if (!server.ok) return server
    const session = new Session({ clock, announce }, id, settings, server.value, history)
    sessions.set(id, session)
    return ok(session)
  }

  /** A built-in server takes seconds to start: begun with its session, that time is in no turn. What goes wrong, the first turn says. */
  function warmBuiltIn({ serverUrl, model }: SessionSettings): void {
    const engine = builtInEngine(serverUrl)
    if (engine !== undefined) deps.builtInServer?.(engine, model).catch(() => {})
  }

  /** The first turn of its session goes on to admission; the others wait for it. */
  function admitNext(session: Session): void {
    const [first] = session.turns
    const turn = first === undefined ? undefined : turns.get(first)
    if (turn === undefined || turn.phase !== 'waiting') return
    // The sweep decides how many run; the limit is for chats.
    if (session.settings.origin === 'sweep') start(turn)
    else apply(askAdmission(admission, turn.id), turn)
  }

  function apply(step: { admission: Admission; admitted: readonly TurnId[] }, asking?: Turn): void {
    admission = step.admission
    for (const id of step.admitted) {
      const turn = turns.get(id)
      if (turn !== undefined) start(turn)
    }
    if (asking?.phase === 'waiting') asking.step('enqueue')
    tellPlaces()
  }

  function tellPlaces(): void {
    admission.waiting.forEach((id, i) => {
      const turn = turns.get(id)
      if (turn === undefined || turn.place === i + 1) return
      turn.place = i + 1
      turn.session.emit(id, { type: 'turn-queued', place: turn.place, inFlight: admission.running, limit: admission.limit })
    })
  }

  /** Begins when the caller is done, so that whoever posts has its answer first. */
  function start(turn: Turn): void {
    turn.step('admit')
    turn.runnerStartAtMs = clock.nowMs()
    running += 1
    starting.push(turn)
    if (starting.length === 1) process.nextTick(startAll)
  }

  function startAll(): void {
    const batch = starting
    starting = []
    for (const turn of batch) {
      faults.atStart()
      void runToEnd(turn)
    }
  }

  async function runToEnd(turn: Turn): Promise<void> {
    let ending: Ending
    try {
      ending = turn.stopped ?? (await runTurn(turnDeps, turn))
    } catch (error) {
      log.error(`Turn ${turn.id} broke`, error)
      ending = { outcome: 'failed', problem: brokenTurn(turn.id) }
    }
    end(turn, ending)
  }

  function end(turn: Turn, ending: Ending): void {
    const { session } = turn
    const ran = turn.running
    const phase = turn.phase
    turn.step('end')
    turn.clearDeadline()
    turns.delete(turn.id)
    session.turns.splice(session.turns.indexOf(turn.id), 1)
    // Without background work wall ends with the answer, not with our own bookkeeping.
    const quiet = ending.outcome === 'completed' && turn.calls.at(-1)?.purpose === 'answer'
    const timeline = turn.timeline(ending, quiet && turn.doneAtMs !== null ? turn.doneAtMs : clock.nowMs())
    countTurn(counts, timeline)
    session.emit(turn.id, { type: 'turn-ended', timeline })
    if (ran) running -= 1
    if (session.settings.origin === 'chat' && ran) apply(releaseAdmission(admission))
    if (phase === 'queued') {
      admission = leaveAdmission(admission, turn.id)
      tellPlaces()
    }
    admitNext(session)
    if (session.closing && session.turns.length === 0) session.close()
    if (running === 0) onIdle?.()
  }

  /** What runs ends as soon as its work has noticed; what waits ends now. */
  function stop(turn: Turn, ending: Ending): void {
    turn.stop(ending)
    if (!turn.running && turn.phase !== 'ended') end(turn, ending)
  }

  function stopAll(session: Session): boolean {
    // The last one first: else the end of one would let in the next.
    const open = [...session.turns].reverse()
    for (const id of open) {
      const turn = turns.get(id)
      if (turn !== undefined) stop(turn, { outcome: 'cut', problem: null })
    }
    return open.length > 0
  }

  const runner = {
    createSession(settings: SessionSettings): Result<{ sessionId: SessionId }, Problem> {
      const opened = openSession(sessionIdSchema.parse(randomUUID()), settings, [])
      if (opened.ok) warmBuiltIn(settings)
      return opened.ok ? ok({ sessionId: opened.value.id }) : opened
    },

    /** A session of an earlier run. Turns that were under way then are ended as cut: those events are told to `onEvent` like new ones. */
    restoreSession(id: SessionId, settings: SessionSettings, events: readonly SessionEvent[]): Result<{ sessionId: SessionId }, Problem> {
      const opened = openSession(id, settings, events)
      if (!opened.ok) return opened
      for (const event of interruptedEnds(events)) opened.value.add(event)
      return ok({ sessionId: id })
    },

    /** Accepted at once; `seq` is that of the turn's first event. */
    postTurn(sessionId: SessionId, text: string): Result<{ turnId: TurnId; seq: number }, Problem> {
      const session = sessions.get(sessionId)
      if (session === undefined) return err(noSession(sessionId))
      if (session.turns.length >= MAX_TURNS_PER_SESSION) return err(sessionBusy(MAX_TURNS_PER_SESSION))
      const turn = new Turn(turnIdSchema.parse(randomUUID()), session, clock.nowMs())
      turns.set(turn.id, turn)
      session.turns.push(turn.id)
      const { turnDeadlineMs } = session.settings
      turn.clearDeadline = clock.after(turnDeadlineMs, () => stop(turn, { outcome: 'failed', problem: deadlinePassed(turnDeadlineMs) }))
      session.emit(turn.id, { type: 'turn-accepted', text }, turn.acceptedAtMs)
      const seq = session.lastSeq
      admitNext(session)
      return ok({ turnId: turn.id, seq })
    },

    /** @returns false when there is no such session, or nothing ran or waited */
    cancel(sessionId: SessionId): boolean {
      const session = sessions.get(sessionId)
      return session !== undefined && stopAll(session)
    },

    hasSession: (sessionId: SessionId): boolean => sessions.has(sessionId),

    /** Its turns are cut and its events forgotten. @returns false when there is no such session */
    closeSession(sessionId: SessionId): boolean {
      const session = sessions.get(sessionId)
      if (session === undefined) return false
      sessions.delete(sessionId)
      session.closing = true
      if (!stopAll(session)) session.close()
      return true
    },

    /** The events after `afterSeq` at once, in order, then each new one. Undefined: no such session. */
    events(sessionId: SessionId, afterSeq: number, listener: ((event: SessionEvent) => void) | SessionListener): (() => void) | undefined {
      const whole = typeof listener === 'function' ? { onEvent: listener, onClosed: () => {} } : listener
      return sessions.get(sessionId)?.listen(afterSeq, whole)
    },

    /** Events of all sessions; those of origin `sweep` are many and not for keeping. */
    onEvent(listener: AnyEventListener): () => void {
      listeners = [...listeners, listener]
      return () => {
        listeners = listeners.filter((other) => other !== listener)
      }
    },

    gauges: (): RunnerGauges => ({ inFlight: running, queued: admission.waiting.length, limit: admission.limit }),
    counts: () => counts,
    sessionCount: () => sessions.size,

    setLimit(limit: number): void {
      apply(limitAdmission(admission, limit))
    },

    /** Fault switches (runner-faults.ts); what is not named is off. */
    setFault(fault: RunnerFaultRequest): void {
      faults.set(fault)
      http.limitPool(fault.poolLimit ?? null)
    },

    async listen(address: { host: string; port: number }): Promise<Result<RunnerAddress, Problem>> {
      const listening = await listenRunner({ runner, log, version: deps.version }, address)
      if (!listening.ok) return listening
      servers.add(listening.value)
      return ok({ url: listening.value.url, token: listening.value.token })
    },

    /** Cuts what runs, waits for it to end, closes the API. */
    async close(): Promise<void> {
      for (const id of [...sessions.keys()]) runner.closeSession(id)
      if (running > 0) {
        await new Promise<void>((resolve) => {
          onIdle = resolve
        })
      }
      await Promise.all([...servers].map((server) => server.close()))
      http.close()
    },
  }
  return runner
}

/** Plays the waves of a cell as they are asked for, and tells of turns, lanes and itself. Makes the turns; knows no message wire. */

import { isOpen, isSustained, spanMsOf } from '../../core/sweep/load-cells.ts'
import type { Cell, SweepPlan, Workload } from '../../core/sweep/plan.ts'
import { promptFor, variantFor } from '../../core/sweep/prompts.ts'
import { mostTurnsOf, playOf } from '../../core/sweep/workloads.ts'
import type { Clock } from '../platform/clock.ts'
import { DirectTurn } from './direct-turn.ts'
import type { DriverMessage, LoadPath } from './messages.ts'
import { napThenTurn } from './nap-then-turn.ts'
import { playSessions, type SessionsLoad } from './play-sessions.ts'
import { playWave, type Wave } from './play-wave.ts'
import type { Connections } from './prepared-request.ts'
import { RunnerTurn } from './runner-turn.ts'
import { createSelfMeasure } from './self-measure.ts'
import { laneOf, rowOf, type Turn } from './turn.ts'

export type CellPlayer = {
  /** Resolves when the wave is over and all its rows were told; never rejects. */
  playWave(wave: number): Promise<void>
  abort(): void
  report(): DriverMessage
}

export type CellPlayerDeps = {
  readonly clock: Clock
  readonly connections: Connections
  readonly tell: (message: DriverMessage) => void
  /** Folder that sessions with tools look into; made when it is first asked for. */
  readonly workspace: () => string | null
}

/** Ended turns and lanes are told this often while a wave plays. */
const TELL_EVERY_MS = 250
/** The memory note is short: it is load, not use. */
const BACKGROUND_TOKENS = 16
/** Turns of one sustained cell at most: a hundred thousand rows are what an analysis is made for. */
const MOST_TURNS = 20_000
const MOST_LANES = 64
/** The runner ends a turn at its deadline and tells its time line; the driver waits a little longer for it. */
const DEADLINE_GRACE_MS = 2_000

export function createCellPlayer(plan: SweepPlan, cell: Cell, path: LoadPath, { clock, connections, tell, workspace }: CellPlayerDeps): CellPlayer {
  const measure = createSelfMeasure(clock)
  let maxInFlight = 0
  let abort = new AbortController()

  const workload = workloadOf(plan, cell)
  const notices = new Set<string>()
  const onNotice = (text: string) => {
    if (notices.has(text)) return
    notices.add(text)
    tell({ type: 'notice', text })
  }
  const deadlineMs = plan.request.turnDeadlineMs + (path.runner === null ? 0 : DEADLINE_GRACE_MS)
  const cap = plan.request.faults.driverCap

  const makeTurn = ({ wave, session, turn, previous = null }: Place, onEnded: () => void): Turn => {
    const play = playOf(plan, cell, isSustained(cell) ? turn : wave, session)
    const prompt = promptFor(plan, cell, wave, session, turn)
    const outputTokens = cell.leg === 'null' ? workload.outputTokens : play.outputTokens
    const { model, options } = cell.leg === 'null' ? { model: path.model, options: workload.options } : variantFor(plan, path.model, session)
    // Slow tools are played with any workload, where the model asks for some.
    const hasTools = play.tools || plan.request.faults.runnerToolMs !== undefined
    if (path.runner === null) {
      const capped = { ...options, num_predict: outputTokens }
      const callId = `${cell.index}-${wave}-${session}${turn === 0 ? '' : `-${turn}`}`
      const deps = { connections, clock, serverUrl: path.serverUrl, model, options: capped, prompt, callId, onEnded, ...path.wire }
      return new DirectTurn(session, deps, turn)
    }
    const settings = {
      serverUrl: path.serverUrl,
      ...(path.wire === undefined ? {} : { api: path.wire.api }),
      ...(path.wire?.keyName === undefined ? {} : { keyName: path.wire.keyName }),
      model,
      options,
      workspace: hasTools && cell.leg !== 'null' ? workspace() : null,
      background: { title: false, memory: workload.memoryNote },
      maxOutputTokens: outputTokens,
      maxBackgroundTokens: BACKGROUND_TOKENS,
      turnDeadlineMs: plan.request.turnDeadlineMs,
      origin: 'sweep',
    }
    const onOpened = (sessionId: string) => tell({ type: 'session-opened', sessionId })
    const deps = { connections, clock, runner: path.runner, settings, prompt, turn, onOpened, onEnded, onReceiveLag: measure.received, onNotice }
    return new RunnerTurn(session, { ...deps, previous: previous instanceof RunnerTurn ? previous : null })
  }

  const portsOf = (wave: number, tellProgress: () => void) => {
    let ticker: NodeJS.Timeout | undefined
    return {
      ports: {
        clock,
        nextTurnOfLoop: napThenTurn,
        onStart(atMs: number) {
          tell({ type: 'wave-started', wave, atMs })
          ticker = setInterval(tellProgress, TELL_EVERY_MS)
          measure.start()
        },
        onSubmit(lagMs: number, inFlight: number) {
          measure.submitted(lagMs)
          if (inFlight > maxInFlight) maxInFlight = inFlight
        },
      },
      end() {
        measure.stop()
        clearInterval(ticker)
        tellProgress()
        tell({ type: 'wave-ended', wave })
      },
    }
  }

  const playBurst = async (wave: number, signal: AbortSignal) => {
    const ended: Wave['ended'] = { count: 0, listener: () => {} }
    const onEnded = () => {
      ended.count += 1
      ended.listener()
    }
    const turns = Array.from({ length: cell.n }, (_, session) => makeTurn({ wave, session, turn: 0 }, onEnded))
    const told = new Set<Turn>()
    const { ports, end } = portsOf(wave, () => {
      const over = turns.filter((turn) => turn.record.endAtMs !== null && !told.has(turn))
      for (const turn of over) told.add(turn)
      if (over.length > 0) tell({ type: 'turns-ended', rows: over.map((turn) => rowOf(turn.record, cell.index, wave)) })
      tell({ type: 'lanes', wave, lanes: turns.map((turn) => laneOf(turn.record)) })
    })
    await playWave({ turns, offsetsMs: cell.plannedOffsetsMs, deadlineMs, ended, cap }, ports, signal)
    end()
  }

  const playChains = async (wave: number, signal: AbortSignal) => {
    const over: Turn[] = []
    /** By session; of an open load those that came last. */
    const lanes = new Map<number, Turn>()
    const { ports, end } = portsOf(wave, () => {
      const rows = over.splice(0).map((turn) => rowOf(turn.record, cell.index, wave))
      if (rows.length > 0) tell({ type: 'turns-ended', rows })
      tell({ type: 'lanes', wave, lanes: [...lanes.values()].map((turn) => laneOf(turn.record)) })
    })
    const rules = chainRules(plan, cell, wave)
    const load: SessionsLoad = {
      ...{ offsetsMs: cell.plannedOffsetsMs, deadlineMs, cap, ...rules },
      makeTurn: (session, turn, previous, onEnded) => makeTurn({ wave, session, turn, previous }, onEnded),
    }
    const onTurnStarted = (turn: Turn) => {
      lanes.delete(turn.record.session)
      lanes.set(turn.record.session, turn)
      const [oldest] = lanes.keys()
      if (lanes.size > (isOpen(cell) ? MOST_LANES : cell.n) && oldest !== undefined) lanes.delete(oldest)
    }
    await playSessions(load, { ...ports, onTurnStarted, onTurnEnded: (turn) => over.push(turn) }, signal)
    end()
  }

  return {
    async playWave(wave) {
      abort = new AbortController()
      const isPlainBurst = spanMsOf(cell) === null && (cell.leg === 'null' || mostTurnsOf(plan.workload) === 1)
      await (isPlainBurst ? playBurst(wave, abort.signal) : playChains(wave, abort.signal))
    },
    abort: () => abort.abort(),
    report: () => ({ type: 'cell-ended', report: measure.report(maxInFlight) }),
  }
}

type Place = { readonly wave: number; readonly session: number; readonly turn: number; readonly previous?: Turn | null }

/** Which turns follow: a session plays all of its own; in a sustained load one conversation follows the other as long as the span lasts. */
function chainRules(plan: SweepPlan, cell: Cell, wave: number): Pick<SessionsLoad, 'hasTurn' | 'continues'> {
  const turnsOf = (session: number) => (cell.leg === 'null' ? 1 : playOf(plan, cell, wave, session).turns)
  const isContinued = (session: number, turn: number, last: Turn | null) =>
    turn % turnsOf(session) !== 0 && (last === null || last.record.outcome === 'completed')
  const spanMs = spanMsOf(cell)
  if (!isSustained(cell) || spanMs === null) {
    return {
      // A conversation ends with the turn that failed.
      hasTurn: (session, turn, _sinceMs, last) => turn < turnsOf(session) && (last === null || last.record.outcome === 'completed'),
      continues: isContinued,
    }
  }
  const mostTurns = cell.load?.mostTurns ?? MOST_TURNS
  const mostOfSession = Math.ceil(mostTurns / cell.n)
  return { hasTurn: (_session, turn, sinceMs) => sinceMs < spanMs && turn < mostOfSession, continues: isContinued }
}

/** The null leg asks what a turn costs without a model: one token, nothing after it. With a real model tokens come later and apart, not all at once. */
function workloadOf({ workload }: SweepPlan, cell: Cell): Workload {
  return cell.leg === 'null' ? { ...workload, outputTokens: 1, memoryNote: false } : workload
}

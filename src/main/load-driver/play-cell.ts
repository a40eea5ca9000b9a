/** Plays the waves of a cell as they are asked for, and tells of turns, lanes and itself. Makes the turns; knows no message wire. */

import type { Cell, SweepPlan, Workload } from '../../core/sweep/plan.ts'
import { promptFor, variantFor } from '../../core/sweep/prompts.ts'
import type { Clock } from '../platform/clock.ts'
import { DirectTurn } from './direct-turn.ts'
import type { DriverMessage, LoadPath } from './messages.ts'
import { napThenTurn } from './nap-then-turn.ts'
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
}

/** Ended turns and lanes are told this often while a wave plays. */
const TELL_EVERY_MS = 250
/** The memory note is short: it is load, not use. */
const BACKGROUND_TOKENS = 16
/** The runner ends a turn at its deadline and tells its time line; the driver waits a little longer for it. */
const DEADLINE_GRACE_MS = 2_000

export function createCellPlayer(plan: SweepPlan, cell: Cell, path: LoadPath, { clock, connections, tell }: CellPlayerDeps): CellPlayer {
  const measure = createSelfMeasure(clock)
  let maxInFlight = 0
  let abort = new AbortController()

  const workload = workloadOf(plan, cell)
  const makeTurn = (wave: number, session: number, ended: Wave['ended']): Turn => {
    const prompt = promptFor(plan, cell, wave, session)
    const { model, options } = cell.leg === 'null' ? { model: path.model, options: workload.options } : variantFor(plan, path.model, session)
    const onEnded = () => {
      ended.count += 1
      ended.listener()
    }
    if (path.runner === null) {
      const capped = { ...options, num_predict: workload.outputTokens }
      const callId = `${cell.index}-${wave}-${session}`
      return new DirectTurn(session, { connections, clock, serverUrl: path.serverUrl, model, options: capped, prompt, callId, onEnded, ...path.wire })
    }
    const settings = {
      serverUrl: path.serverUrl,
      ...(path.wire === undefined ? {} : { api: path.wire.api }),
      ...(path.wire?.keyName === undefined ? {} : { keyName: path.wire.keyName }),
      model,
      options,
      background: { title: false, memory: workload.memoryNote },
      maxOutputTokens: workload.outputTokens,
      maxBackgroundTokens: BACKGROUND_TOKENS,
      turnDeadlineMs: plan.request.turnDeadlineMs,
      // Slow tools are played where the model asks for some; they see nothing but our own program.
      ...(plan.request.faults.runnerToolMs === undefined ? {} : { workspace: import.meta.dirname }),
      origin: 'sweep',
    }
    const onOpened = (sessionId: string) => tell({ type: 'session-opened', sessionId })
    return new RunnerTurn(session, { connections, clock, runner: path.runner, settings, prompt, onOpened, onEnded, onReceiveLag: measure.received })
  }

  return {
    async playWave(wave) {
      abort = new AbortController()
      const ended: Wave['ended'] = { count: 0, listener: () => {} }
      const turns = Array.from({ length: cell.n }, (_, session) => makeTurn(wave, session, ended))
      const told = new Set<Turn>()
      const tellProgress = () => {
        const over = turns.filter((turn) => turn.record.endAtMs !== null && !told.has(turn))
        for (const turn of over) told.add(turn)
        if (over.length > 0) tell({ type: 'turns-ended', rows: over.map((turn) => rowOf(turn.record, cell.index, wave)) })
        tell({ type: 'lanes', wave, lanes: turns.map((turn) => laneOf(turn.record)) })
      }
      let ticker: NodeJS.Timeout | undefined
      const deadlineMs = plan.request.turnDeadlineMs + (path.runner === null ? 0 : DEADLINE_GRACE_MS)
      await playWave(
        { turns, offsetsMs: cell.plannedOffsetsMs, deadlineMs, ended, cap: plan.request.faults.driverCap },
        {
          clock,
          nextTurnOfLoop: napThenTurn,
          onStart(atMs) {
            tell({ type: 'wave-started', wave, atMs })
            ticker = setInterval(tellProgress, TELL_EVERY_MS)
            measure.start()
          },
          onSubmit(lagMs, inFlight) {
            measure.submitted(lagMs)
            if (inFlight > maxInFlight) maxInFlight = inFlight
          },
        },
        abort.signal,
      )
      measure.stop()
      clearInterval(ticker)
      tellProgress()
      tell({ type: 'wave-ended', wave })
    },
    abort: () => abort.abort(),
    report: () => ({ type: 'cell-ended', report: measure.report(maxInFlight) }),
  }
}

/** The null leg asks what a turn costs without a model: one token, nothing after it. With a real model tokens come later and apart, not all at once. */
function workloadOf({ workload }: SweepPlan, cell: Cell): Workload {
  return cell.leg === 'null' ? { ...workload, outputTokens: 1, memoryNote: false } : workload
}

/**
 * Tries numbers of slots one after the other: a server with so many, the same short sweep, its end; then the advice. Joins the sweeps with the servers
 * that are started for it. One at a time; every server that it starts is stopped, however it ends.
 */
import { recommendSlots, tuneFigures } from '../../core/analysis/recommend-slots.ts'
import type { SweepId } from '../../core/result/ids.ts'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import { type SweepState, sweepStateOf } from '../../core/sweep/fold-sweep.ts'
import type { SweepRequest } from '../../core/sweep/plan.ts'
import type { SweepEvent } from '../../core/sweep/sweep-event.ts'
import type { Target } from '../../core/sweep/target.ts'
import { IDLE_TUNE, type TuneRequest, type TuneState, type TuneTrial, tuneSweep } from '../../core/sweep/tune.ts'
import type { Log } from '../platform/log.ts'
import { createListeners } from './listeners.ts'

export interface TuneServer {
  readonly target: Target
  /** What the server says of the loaded model, after the load. */
  resident(): Promise<{ readonly vramBytes: number | null; readonly contextTokens: number | null }>
  stop(): Promise<void>
}

export interface TunerDeps {
  readonly log: Log
  readonly sweeps: {
    start(request: SweepRequest): Promise<Result<{ sweepId: SweepId }, Problem>>
    cancel(sweepId: SweepId): Promise<void>
    events(sweepId: SweepId, listener: (batch: readonly SweepEvent[]) => void, onEnd?: () => void): () => void
  }
  /** What is the same for all trials: found once, so that what is missing is said before anything starts. */
  prepare(request: TuneRequest): Promise<Result<TuneGround, Problem>>
}

export interface TuneGround {
  readonly label: string
  readonly setting: string
  startServer(slots: number): Promise<Result<TuneServer, Problem>>
}

export interface Tuner {
  /** @returns once it is under way, or why it can't be */
  start(request: TuneRequest): Promise<Result<void, Problem>>
  /** Resolves when nothing of it runs any more. */
  cancel(): Promise<void>
  state(): TuneState
  onChange(listener: (state: TuneState) => void): () => void
  close(): Promise<void>
}

export function createTuner(deps: TunerDeps): Tuner {
  const listeners = createListeners<TuneState>()
  let state: TuneState = IDLE_TUNE
  let running: Promise<void> | undefined
  let cancelled = false
  let sweepId: SweepId | undefined

  const change = (part: Partial<TuneState>) => {
    state = { ...state, ...part }
    listeners.tell(state)
  }
  const changeTrial = (slots: number, part: Partial<TuneTrial>) =>
    change({ trials: state.trials.map((trial) => (trial.slots === slots ? { ...trial, ...part } : trial)) })

  const sweep = async (request: SweepRequest, slots: number): Promise<Result<SweepState, Problem>> => {
    const started = await deps.sweeps.start(request)
    if (!started.ok) return started
    sweepId = started.value.sweepId
    changeTrial(slots, { status: 'running', sweepId })
    const events: SweepEvent[] = []
    const ended = new Promise<void>((resolve) => {
      deps.sweeps.events(started.value.sweepId, (batch) => void events.push(...batch), resolve)
    })
    if (cancelled) await deps.sweeps.cancel(started.value.sweepId)
    await ended
    sweepId = undefined
    const swept = sweepStateOf(events)
    return swept === undefined ? err(nothingMeasured()) : ok(swept)
  }

  const tryOne = async (request: TuneRequest, ground: TuneGround, slots: number): Promise<void> => {
    changeTrial(slots, { status: 'starting' })
    const server = await ground.startServer(slots)
    if (!server.ok) return changeTrial(slots, { status: 'failed', problem: server.error })
    try {
      if (cancelled) return changeTrial(slots, { status: 'waiting' })
      const swept = await sweep(tuneSweep(request, server.value.target), slots)
      if (!swept.ok) return changeTrial(slots, { status: 'failed', problem: swept.error })
      const resident = await server.value.resident()
      const figures = tuneFigures(swept.value, { ...resident, slots })
      changeTrial(slots, {
        status: figures === null ? 'failed' : 'done',
        figures,
        problem: figures === null ? (swept.value.problem ?? nothingMeasured()) : null,
      })
    } finally {
      await server.value.stop()
    }
  }

  const run = async (request: TuneRequest, ground: TuneGround): Promise<void> => {
    try {
      for (const slots of request.slots) {
        if (!cancelled) await tryOne(request, ground, slots)
      }
      const advice = cancelled ? null : recommendSlots(state.trials, ground.setting)
      const failed = advice?.slots === null ? (state.trials.find((trial) => trial.problem !== null)?.problem ?? null) : null
      change({ status: cancelled ? 'cancelled' : failed === null ? 'done' : 'failed', advice, problem: failed })
    } catch (error) {
      deps.log.error('Tuning broke by a bug', error)
      change({ status: 'failed', problem: problem('internal', 'Tuning broke off by a fault of Plimsoll.', '', 'The log says more with --verbose.') })
    }
  }

  const cancel = async (): Promise<void> => {
    cancelled = true
    if (sweepId !== undefined) await deps.sweeps.cancel(sweepId)
    await running
  }

  return {
    async start(request) {
      if (state.status === 'running')
        return err(problem('tune-running', 'Slots are being tuned already.', 'Only one runs at a time.', 'Wait for its end, or cancel it.'))
      cancelled = false
      const trials = request.slots.map((slots) => ({ slots, status: 'waiting' as const, sweepId: null, figures: null, problem: null }))
      change({ ...IDLE_TUNE, status: 'running', trials })
      const prepared = deps.prepare(request)
      running = prepared.then((ground) => {
        if (!ground.ok) return change({ status: 'failed', problem: ground.error })
        change({ label: ground.value.label, setting: ground.value.setting })
        return run(request, ground.value)
      })
      const ground = await prepared
      return ground.ok ? ok(undefined) : ground
    },
    cancel,
    state: () => state,
    onChange: (listener) => listeners.add(listener),
    close: cancel,
  }
}

function nothingMeasured(): Problem {
  return problem('nothing-measured', 'The sweep ended without figures for its largest level.', '', 'Look at that sweep: it says what went wrong.')
}

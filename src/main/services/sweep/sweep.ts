/** Sweeps, one at a time: estimate, start, watch, cancel. A running sweep is read from memory, an ended one from the store; both are the same events. */
import type { SweepId } from '../../../core/result/ids.ts'
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import { type Continuation, extendSweep, resumeSweep } from '../../../core/sweep/continue-sweep.ts'
import { priceProblem } from '../../../core/sweep/cost.ts'
import { type Estimate, estimateSweep } from '../../../core/sweep/estimate.ts'
import { type SweepState, sweepStateOf } from '../../../core/sweep/fold-sweep.ts'
import type { Pace } from '../../../core/sweep/known-pace.ts'
import { findsLevels } from '../../../core/sweep/modes.ts'
import { paceKey, paceOf } from '../../../core/sweep/pace-of.ts'
import type { SweepPlan, SweepRequest } from '../../../core/sweep/plan.ts'
import { planSweep } from '../../../core/sweep/plan-sweep.ts'
import { serverChange } from '../../../core/sweep/server-changes.ts'
import type { SweepEvent, SweepLive } from '../../../core/sweep/sweep-event.ts'
import { targetLabel } from '../../../core/sweep/target.ts'
import type { StartedTarget, SweepPorts, SweepRun } from './ports.ts'
import { runSweep } from './run-sweep.ts'

type Stop = () => void

export type SweepService = {
  estimate(request: SweepRequest): Estimate
  /** Starts and reads the target first: what is wrong with it comes back here, and nothing is stored. */
  start(request: SweepRequest): Promise<Result<{ sweepId: SweepId }, Problem>>
  /** An ended sweep goes on with the cells that were not measured. What stands against it comes back here, and the stored sweep stays as it is. */
  resume(sweepId: SweepId): Promise<Result<{ sweepId: SweepId }, Problem>>
  /** So many more waves at one level of an ended sweep. */
  extend(sweepId: SweepId, more: { readonly n: number; readonly waves: number }): Promise<Result<{ sweepId: SweepId }, Problem>>
  /** Keeps what was measured. Resolves when the sweep has ended; at once for one that does not run. */
  cancel(sweepId: SweepId): Promise<void>
  /** All events so far in one or more batches, then each new batch. `onEnd` comes once, after the last event. */
  events(sweepId: SweepId, listener: (batch: readonly SweepEvent[]) => void, onEnd?: () => void): Stop
  /** Lanes of the current wave, at most 4 times a second. */
  live(sweepId: SweepId, listener: (live: SweepLive) => void): Stop
  /** A sweep has begun, got on by a cell, or ended. */
  onChange(listener: (sweepId: SweepId) => void): Stop
  running(): SweepId | null
  /** Processes of the running sweep, for the sampler. The model server's tree is followed where its id is known. */
  processes(): readonly { role: 'load-driver' | 'model-host' | 'model-server'; pid: number; tree: boolean }[]
  /** Cancels what runs and waits for its end. */
  close(): Promise<void>
}

type Running = {
  readonly sweepId: SweepId
  readonly plan: SweepPlan
  readonly target: StartedTarget
  readonly events: SweepEvent[]
  readonly listeners: Set<(batch: readonly SweepEvent[]) => void>
  readonly liveListeners: Set<(live: SweepLive) => void>
  readonly endListeners: Set<() => void>
  readonly abort: AbortController
  driverPid: number | undefined
  ended: Promise<void>
}

export function createSweepService(ports: SweepPorts): SweepService {
  const { store, clock } = ports
  const changeListeners = new Set<(sweepId: SweepId) => void>()
  /** By target: what its last sweep showed. */
  const paces = new Map<string, Pace>()
  let running: Running | undefined
  let starting = false
  let closed = false

  const changed = (sweepId: SweepId) => {
    for (const listener of changeListeners) listener(sweepId)
  }

  const take = (sweep: Running, batch: readonly SweepEvent[]) => {
    if (batch.length === 0) return
    for (const event of batch) sweep.events.push(event)
    store.append(sweep.sweepId, batch)
    for (const listener of sweep.listeners) listener(batch)
    if (batch.some((event) => event.type === 'cell-started' || event.type === 'cell-ended' || event.type === 'cell-void')) changed(sweep.sweepId)
  }

  const run = async (sweep: Running, originMs: number, goesOn?: SweepRun['goesOn']): Promise<void> => {
    await runSweep({
      plan: sweep.plan,
      target: sweep.target,
      originMs,
      ...(goesOn === undefined ? {} : { goesOn }),
      ...(goesOn === undefined && findsLevels(sweep.plan.request) ? { expectedMs: 1_000 * estimate(sweep.plan.request).seconds } : {}),
      ports,
      emit: (batch) => take(sweep, batch),
      showLive: (live) => {
        for (const listener of sweep.liveListeners) listener(live)
      },
      onDriver: (pid) => {
        sweep.driverPid = pid
      },
      signal: sweep.abort.signal,
    })
    const state = sweepStateOf(sweep.events)
    if (state !== undefined) {
      const pace = paceOf(state)
      if (pace !== undefined) paces.set(paceKey(sweep.plan.request), pace)
      try {
        store.finish(sweep.sweepId, state)
      } catch (error) {
        ports.log.error(`The end of sweep ${sweep.sweepId} could not be stored`, error)
      }
    }
    running = undefined
    for (const listener of sweep.endListeners) listener()
    changed(sweep.sweepId)
  }

  const replay = (sweepId: SweepId, listener: (batch: readonly SweepEvent[]) => void, onEnd: () => void): Stop => {
    let stopped = false
    const read = async () => {
      const events = await store.read(sweepId)
      if (stopped) return
      if (events.length > 0) listener(events)
      onEnd()
    }
    read().catch((error: unknown) => ports.log.error(`The events of sweep ${sweepId} could not be read`, error))
    return () => {
      stopped = true
    }
  }

  const estimate = (request: SweepRequest) => estimateSweep(request, paces.get(paceKey(request)))

  /** Nothing else is started meanwhile. */
  const alone = async <T>(begin: () => Promise<Result<T, Problem>>): Promise<Result<T, Problem>> => {
    if (closed || starting || running !== undefined) return err(busy())
    starting = true
    try {
      return await begin()
    } finally {
      starting = false
    }
  }

  const standing = async (request: SweepRequest): Promise<Result<StartedTarget, Problem>> => {
    const target = await ports.startTarget(request.target)
    if (!target.ok || !closed) return target
    await target.value.stop()
    return err(busy())
  }

  const launch = (plan: SweepPlan, target: StartedTarget, history: readonly SweepEvent[], continuation?: Continuation): { sweepId: SweepId } => {
    const { sweepId } = plan
    const sweep: Running = {
      sweepId,
      plan,
      target,
      events: [...history],
      listeners: new Set(),
      liveListeners: new Set(),
      endListeners: new Set(),
      abort: new AbortController(),
      driverPid: undefined,
      ended: Promise.resolve(),
    }
    running = sweep
    const originMs = clock.nowMs() - (history.length === 0 ? 0 : nextAtMs(history))
    sweep.ended = run(sweep, originMs, continuation === undefined ? undefined : { history, continuation })
    changed(sweepId)
    return { sweepId }
  }

  const goOn = (sweepId: SweepId, decide: (state: SweepState, atMs: number) => Result<Continuation, Problem>) =>
    alone(async () => {
      const history = await store.read(sweepId)
      const state = sweepStateOf(history)
      if (state === undefined) return err(noSweep(sweepId))
      const continuation = decide(state, nextAtMs(history))
      if (!continuation.ok) return continuation
      const target = await standing(state.plan.request)
      if (!target.ok) return target
      const change = state.facts === null ? null : serverChange(state.facts, target.value.facts)
      const reopened = change?.isOther === true ? err(otherServer(change.reason)) : store.reopen(sweepId)
      if (reopened.ok) return ok(launch(state.plan, target.value, history, continuation.value))
      await target.value.stop()
      return reopened
    })

  return {
    estimate,

    start: (request) =>
      alone(async () => {
        const unpaid = priceProblem(request, estimate(request).costUsd)
        if (unpaid !== null) return err(unpaid)
        const target = await standing(request)
        if (!target.ok) return target
        const sweepId = ports.newSweepId()
        const plan = planSweep(request, { sweepId })
        const { facts } = target.value
        const created = store.create({
          sweepId,
          startedEpochMs: clock.epochMs(),
          targetLabel: targetLabel(facts),
          simulated: facts.simulated,
          levels: levelsOf(plan),
          cellsPlanned: plan.cells.length,
        })
        if (!created.ok) {
          await target.value.stop()
          return created
        }
        return ok(launch(plan, target.value, []))
      }),

    resume: (sweepId) => goOn(sweepId, resumeSweep),
    extend: (sweepId, { n, waves }) => goOn(sweepId, (state, atMs) => ok(extendSweep(state, n, waves, atMs))),

    async cancel(sweepId) {
      if (running?.sweepId !== sweepId) return
      running.abort.abort()
      await running.ended
    },

    events(sweepId, listener, onEnd = () => {}) {
      const sweep = running
      if (sweep?.sweepId !== sweepId) return replay(sweepId, listener, onEnd)
      listener(sweep.events.slice())
      sweep.listeners.add(listener)
      sweep.endListeners.add(onEnd)
      return () => {
        sweep.listeners.delete(listener)
        sweep.endListeners.delete(onEnd)
      }
    },

    live(sweepId, listener) {
      const sweep = running
      if (sweep?.sweepId !== sweepId) return () => {}
      sweep.liveListeners.add(listener)
      return () => sweep.liveListeners.delete(listener)
    },

    onChange(listener) {
      changeListeners.add(listener)
      return () => changeListeners.delete(listener)
    },

    running: () => running?.sweepId ?? null,

    processes() {
      if (running === undefined) return []
      const { driverPid, target, plan } = running
      const serverPid = target.facts.pid
      const role = plan.request.target.kind === 'built-in' ? ('model-host' as const) : ('model-server' as const)
      return [
        ...(driverPid === undefined ? [] : [{ role: 'load-driver' as const, pid: driverPid, tree: false }]),
        ...(serverPid === null ? [] : [{ role, pid: serverPid, tree: true }]),
      ]
    },

    async close() {
      closed = true
      running?.abort.abort()
      await running?.ended
    },
  }
}

function busy(): Problem {
  return problem(
    'sweep-running',
    'A sweep runs already.',
    'Only one runs at a time, or they would measure each other.',
    'Wait for its end, or cancel it.',
  )
}

/** Those that it begins with, where it finds the others itself. */
const levelsOf = ({ cells }: SweepPlan) => [...new Set(cells.filter(({ role }) => role === 'measure').map(({ n }) => n))].sort((a, b) => a - b)

/** The sweep's clock goes on where it stopped. */
const nextAtMs = (history: readonly SweepEvent[]) => 1 + history.reduce((latest, { atMs }) => Math.max(latest, atMs), 0)

const noSweep = (sweepId: SweepId) =>
  problem('sweep-missing', `There is no sweep ${sweepId}.`, 'One that is in the list.', '`plimsoll list` shows them.')

const otherServer = (reason: Problem): Problem => ({
  ...reason,
  happened: `This sweep can't go on: ${reason.happened}`,
  expected: 'What follows has to be measured on the same server as what stands.',
  todo: 'Start a new sweep.',
})

/** What the sweep service needs from outside. compose.ts gives it; tests give doubles. */
import type { Sample } from '../../../core/metric/sample.ts'
import type { SweepId } from '../../../core/result/ids.ts'
import type { Problem } from '../../../core/result/problem.ts'
import type { Result } from '../../../core/result/result.ts'
import type { Continuation } from '../../../core/sweep/continue-sweep.ts'
import type { SweepState } from '../../../core/sweep/fold-sweep.ts'
import type { SweepPlan } from '../../../core/sweep/plan.ts'
import type { Environment, SweepEvent, SweepLive } from '../../../core/sweep/sweep-event.ts'
import type { SweepOpening } from '../../../core/sweep/sweep-list-row.ts'
import type { ServerFacts, Target } from '../../../core/sweep/target.ts'
import type { OpenAiWire } from '../../load-driver/messages.ts'
import type { ChildHandle } from '../../platform/child.ts'
import type { Clock } from '../../platform/clock.ts'
import type { Log } from '../../platform/log.ts'

/** A server that stands. `stop` ends it if it was started for the sweep, else does nothing. */
export type StartedTarget = {
  readonly facts: ServerFacts
  readonly url: string
  /** Absent = Ollama's native API. Its key is never stored. */
  readonly wire?: OpenAiWire
  /** Looks again, at little cost; absent = it can't be anything else. */
  reread?(): Promise<Result<ServerFacts, Problem>>
  stop(): Promise<void>
}

export type SweepStore = {
  create(opening: SweepOpening): Result<unknown, Problem>
  append(sweepId: SweepId, events: readonly SweepEvent[]): void
  read(sweepId: SweepId): Promise<readonly SweepEvent[]> | readonly SweepEvent[]
  /** All its events were appended before. */
  finish(sweepId: SweepId, state: SweepState): void
  /** An ended sweep runs again, and is ours. */
  reopen(sweepId: SweepId): Result<unknown, Problem>
}

/** Faults that the runner plays for a sweep; absent or 0 = off. */
export type RunnerFault = {
  readonly blockMs?: number | undefined
  readonly deltaMs?: number | undefined
  readonly toolMs?: number | undefined
  readonly toolsAtOnce?: number | undefined
  readonly poolLimit?: number | undefined
}

export type SweepPorts = {
  readonly clock: Clock
  readonly log: Log
  readonly forkDriver: () => ChildHandle
  readonly startTarget: (target: Target) => Promise<Result<StartedTarget, Problem>>
  /** The control for the null leg: answers at once. */
  readonly startNull: () => Promise<Result<StartedTarget, Problem>>
  readonly runnerApi: { readonly url: string; readonly token: string }
  /** Names of the models that the server holds in memory; an error when it can't be read. */
  readonly residentModels: (url: string) => Promise<Result<readonly string[], Problem>>
  /** @returns stops watching */
  readonly watchSamples: (listener: (sample: Sample) => void) => () => void
  readonly setRunnerFault: (fault: RunnerFault) => void
  readonly store: SweepStore
  readonly environment: Environment
  readonly newSweepId: () => SweepId
}

/** One sweep on its way: what its stages share. */
export type SweepRun = {
  readonly plan: SweepPlan
  readonly target: StartedTarget
  /** The sweep's beginning on the machine's clock. */
  readonly originMs: number
  /** What it was estimated to take, where it finds its levels itself: then the planned cells are not all that is to come. */
  readonly expectedMs?: number
  /** Of a stored sweep that goes on: all that has happened, and how it goes on. */
  readonly goesOn?: { readonly history: readonly SweepEvent[]; readonly continuation: Continuation }
  readonly ports: SweepPorts
  readonly emit: (events: readonly SweepEvent[]) => void
  readonly showLive: (live: SweepLive) => void
  readonly onDriver: (pid: number | undefined) => void
  /** Aborted = cancelled by a person or by the end of Plimsoll. */
  readonly signal: AbortSignal
}

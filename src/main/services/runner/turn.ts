/** One turn: where it is in its life (core/session/turn-life), its stamps, and the time line that they make when it ends. */
import type { TurnId } from '../../../core/result/ids.ts'
import type { Problem } from '../../../core/result/problem.ts'
import type { ModelCall, Outcome, ToolSpan, TurnTimeline } from '../../../core/session/timeline.ts'
import { nextPhase, type TurnPhase, type TurnStep } from '../../../core/session/turn-life.ts'
import type { Session } from './session.ts'

export interface Ending {
  readonly outcome: Outcome
  readonly problem: Problem | null
}

export class Turn {
  readonly id: TurnId
  readonly session: Session
  readonly acceptedAtMs: number
  /** Aborted when a person cancels, the deadline passes or the session is closed. */
  readonly #abort = new AbortController()
  /** Set before the abort: how a turn that is stopped from outside ends. */
  stopped: Ending | undefined
  /** Cancels the deadline's timer. */
  clearDeadline: () => void = () => {}
  runnerStartAtMs: number | null = null
  firstModelRequestAtMs: number | null = null
  firstActivityAtMs: number | null = null
  doneAtMs: number | null = null
  /** Model calls begun, of any purpose. */
  callsBegun = 0
  readonly calls: ModelCall[] = []
  readonly tools: ToolSpan[] = []
  /** Place that the session was last told; 0 = none yet. */
  place = 0
  #phase: TurnPhase = 'waiting'

  constructor(id: TurnId, session: Session, acceptedAtMs: number) {
    this.id = id
    this.session = session
    this.acceptedAtMs = acceptedAtMs
  }

  get phase(): TurnPhase {
    return this.#phase
  }

  get running(): boolean {
    return this.#phase === 'answering' || this.#phase === 'background'
  }

  get signal(): AbortSignal {
    return this.#abort.signal
  }

  step(step: TurnStep): void {
    this.#phase = nextPhase(this.#phase, step)
  }

  /** Stops what runs for it; the first reason counts. */
  stop(ending: Ending): void {
    if (this.stopped !== undefined) return
    this.stopped = ending
    this.#abort.abort()
  }

  timeline(ending: Ending, endAtMs: number): TurnTimeline {
    return {
      acceptedAtMs: this.acceptedAtMs,
      runnerStartAtMs: this.runnerStartAtMs,
      firstModelRequestAtMs: this.firstModelRequestAtMs,
      firstActivityAtMs: this.firstActivityAtMs,
      doneAtMs: this.doneAtMs,
      backgroundEndAtMs: endAtMs,
      outcome: ending.outcome,
      problem: ending.problem,
      calls: this.calls,
      tools: this.tools,
    }
  }
}

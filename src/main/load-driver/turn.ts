/** One turn of one session as the load driver plays it, whichever way it travels: made ahead, fired at its moment, ends exactly once. */
import type { Problem } from '../../core/result/problem.ts'
import type { Outcome, TurnTimeline } from '../../core/session/timeline.ts'
import type { Lane } from '../../core/sweep/sweep-event.ts'
import type { TurnRow } from '../../core/sweep/turn-row.ts'

/** What is seen of a turn while it runs. Mutable on purpose: it is written once per event, up to some ten thousand times a second. */
export type TurnRecord = {
  readonly session: number
  /** Counts the session's turns from 0. */
  readonly turn: number
  plannedAtMs: number
  submitAtMs: number
  acceptedAtMs: number | null
  runnerStartAtMs: number | null
  sentAtMs: number | null
  firstActivityAtMs: number | null
  doneAtMs: number | null
  endAtMs: number | null
  outcome: Outcome | null
  problem: Problem | null
  timeline: TurnTimeline | null
  receiveLagMs: number | null
  /** Deltas with something in them. */
  tokens: number
}

export interface Turn {
  readonly record: TurnRecord
  /** Connects; resolves when the turn can be fired, or has failed already. */
  prepare(): Promise<void>
  /** Submits. A turn that failed while it was prepared ends here. */
  fire(): void
  /** Ends it from our side, if it has not ended: `cut` by a cancel, `failed` by the deadline. The record is complete when this resolves. */
  stop(outcome: 'cut' | 'failed', problem: Problem | null): Promise<void>
  /** Frees what is left: connections, the runner's session. Resolves in any case. */
  release(): Promise<void>
}

export function newRecord(session: number, turn = 0): TurnRecord {
  return {
    session,
    turn,
    plannedAtMs: 0,
    submitAtMs: 0,
    acceptedAtMs: null,
    runnerStartAtMs: null,
    sentAtMs: null,
    firstActivityAtMs: null,
    doneAtMs: null,
    endAtMs: null,
    outcome: null,
    problem: null,
    timeline: null,
    receiveLagMs: null,
    tokens: 0,
  }
}

/** Of a turn that has ended. */
export function rowOf(record: TurnRecord, cell: number, wave: number): TurnRow {
  const { session, plannedAtMs, submitAtMs, acceptedAtMs, firstActivityAtMs, doneAtMs, problem, timeline, receiveLagMs } = record
  const endAtMs = record.endAtMs ?? submitAtMs
  const outcome = record.outcome ?? 'cut'
  return {
    cell,
    wave,
    session,
    ...(record.turn === 0 ? {} : { turn: record.turn }),
    plannedAtMs,
    submitAtMs,
    acceptedAtMs,
    firstActivityAtMs,
    doneAtMs,
    endAtMs,
    outcome,
    problem,
    timeline,
    receiveLagMs,
  }
}

export function laneOf(record: TurnRecord): Lane {
  const { session, plannedAtMs, runnerStartAtMs, sentAtMs, firstActivityAtMs, doneAtMs, endAtMs, tokens } = record
  return { session, plannedAtMs, runnerStartAtMs, sentAtMs, firstActivityAtMs, doneAtMs, endAtMs, outcome: record.outcome ?? 'running', tokens }
}

/**
 * Who may run and who waits: an admission limit with one queue, first come, first served. Pure; each function gives the next state
 * and who was let in by it, in order.
 */
import type { TurnId } from '../result/ids.ts'

export interface Admission {
  readonly limit: number
  readonly running: number
  /** Place 1 is first. */
  readonly waiting: readonly TurnId[]
}

export interface AdmissionStep {
  readonly admission: Admission
  readonly admitted: readonly TurnId[]
}

const NOBODY: readonly TurnId[] = []

export function openAdmission(limit: number): Admission {
  return { limit, running: 0, waiting: [] }
}

/** Lets the turn in, or puts it at the end of the queue. Whoever waits already goes first. */
export function askAdmission(admission: Admission, turnId: TurnId): AdmissionStep {
  return letIn({ ...admission, waiting: [...admission.waiting, turnId] })
}

/** One that ran has ended. */
export function releaseAdmission(admission: Admission): AdmissionStep {
  return letIn({ ...admission, running: Math.max(0, admission.running - 1) })
}

/** One that waited goes away. The state stays the same if it did not wait. */
export function leaveAdmission(admission: Admission, turnId: TurnId): Admission {
  return admission.waiting.includes(turnId) ? { ...admission, waiting: admission.waiting.filter((id) => id !== turnId) } : admission
}

/** A lower limit stops nobody who runs. */
export function limitAdmission(admission: Admission, limit: number): AdmissionStep {
  return letIn({ ...admission, limit })
}

function letIn(admission: Admission): AdmissionStep {
  const free = Math.min(admission.waiting.length, Math.max(0, admission.limit - admission.running))
  if (free === 0) return { admission, admitted: NOBODY }
  return {
    admission: { ...admission, running: admission.running + free, waiting: admission.waiting.slice(free) },
    admitted: admission.waiting.slice(0, free),
  }
}

/**
 * A turn's life as a table. A step that the table does not have is a bug of the caller.
 *
 *   waiting    the session's turn before it has not ended        enqueue → queued     admit → answering   end → ended
 *   queued     behind the admission limit                                             admit → answering   end → ended
 *   answering  model calls and tools                             answered → background                    end → ended
 *   background title and memory note, after the answer                                                    end → ended
 *   ended      its time line is complete
 */

export type TurnPhase = 'waiting' | 'queued' | 'answering' | 'background' | 'ended'
export type TurnStep = 'enqueue' | 'admit' | 'answered' | 'end'

const TURN_LIFE: Readonly<Record<TurnPhase, Partial<Record<TurnStep, TurnPhase>>>> = {
  waiting: { enqueue: 'queued', admit: 'answering', end: 'ended' },
  queued: { admit: 'answering', end: 'ended' },
  answering: { answered: 'background', end: 'ended' },
  background: { end: 'ended' },
  ended: {},
}

/** @throws on a step that the phase does not have */
export function nextPhase(phase: TurnPhase, step: TurnStep): TurnPhase {
  const next = TURN_LIFE[phase][step]
  if (next === undefined) throw new Error(`A turn that is ${phase} can't take the step ${step}.`)
  return next
}

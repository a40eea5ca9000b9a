/** Refusals of a provider or of what stands in front of a server: too many at once, too many in a short time, a used-up quota, an overload. */
import type { CallFailure } from '../engine.ts'
import type { SimulationSettings } from './simulation-settings.ts'

export const CONTEXT_EXCEEDED = 'Context size has been exceeded.'

const FAILURES: Readonly<Record<SimulationSettings['refusal'], CallFailure>> = {
  'too-many': { status: 429, message: 'Too many requests' },
  'rate-limit': { status: 429, message: 'This request would exceed your rate limit.', retryAfterS: 2 },
  'usage-limit': { status: 429, message: "You've hit your session limit, resets 3:20am" },
  overloaded: { status: 529, message: 'Overloaded: the server is temporarily limiting requests (not your usage limit).' },
}

export interface Refusals {
  readonly failure: CallFailure
  /** @param inHouse calls that run or wait now @param arrivalMs of the one that asks */
  refuses(inHouse: number, arrivalMs: number): boolean
}

export function createRefusals(settings: SimulationSettings): Refusals {
  const { maxInFlight, burstLimit, burstWindowMs } = settings
  /** Arrivals of those that were let in, oldest first. */
  const begun: number[] = []
  return {
    failure: FAILURES[settings.refusal],
    refuses(inHouse, arrivalMs) {
      if (maxInFlight > 0 && inHouse >= maxInFlight) return true
      if (burstLimit === 0) return false
      while (begun[0] !== undefined && begun[0] <= arrivalMs - burstWindowMs) begun.shift()
      if (begun.length >= burstLimit) return true
      begun.push(arrivalMs)
      return false
    },
  }
}

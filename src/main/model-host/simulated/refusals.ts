/**
 * What a provider, or a proxy in front of the model, says no to, decided on arrival: too many at once, too many a second, too many at launch, a spent quota,
 * its own overload. Three kinds that must not be mixed up (research/field-reports.md B5): 429 with retry-after, 429 with a reset time, 529.
 */
import type { CallFailure } from '../engine.ts'
import type { SimulationSettings } from './simulation-settings.ts'

export interface Arrival {
  readonly atMs: number
  readonly epochMs: number
  /** Requests that are there already. */
  readonly inHouse: number
  /** Its lot. */
  readonly overloaded: boolean
}

export interface Refusals {
  /** Undefined: come in. */
  refusalOf(arrival: Arrival): CallFailure | undefined
}

/** Where too many at once is what is refused: the words of a proxy, of a provider by rate, by quota, by its own overload. */
function tooManyAtOnce({ refusal, retryAfterS }: Limits, epochMs: number): CallFailure {
  switch (refusal) {
    case 'too-many':
      return { status: 429, message: 'Too many requests' }
    case 'rate-limit':
      return { status: 429, message: 'This request would exceed your rate limit', retryAfterS }
    case 'usage-limit':
      return usageLimit(epochMs)
    case 'overloaded':
      return { status: 529, message: 'Overloaded' }
  }
}

const usageLimit = (epochMs: number): CallFailure => ({
  status: 429,
  message: `You've hit your usage limit, resets at ${new Date(epochMs + USAGE_WINDOW_MS).toISOString()}`,
})

/** A quota counts until it is filled up again: five hours, as providers have it. */
const USAGE_WINDOW_MS = 5 * 3_600_000

type Limits = Pick<
  SimulationSettings,
  'maxInFlight' | 'refusal' | 'rateLimitPerSec' | 'rateLimitBurst' | 'retryAfterS' | 'usageLimitRequests' | 'burstLimit' | 'burstWindowMs'
>

export function createRefusals(settings: Limits): Refusals {
  const { maxInFlight, rateLimitPerSec, rateLimitBurst, retryAfterS, usageLimitRequests, burstLimit, burstWindowMs } = settings
  let admitted = 0
  let allowance = rateLimitBurst
  let refilledAtMs: number | undefined
  let starts: number[] = []

  const isOverRate = (atMs: number): boolean => {
    if (rateLimitPerSec === 0) return false
    allowance = Math.min(rateLimitBurst, allowance + ((atMs - (refilledAtMs ?? atMs)) / 1_000) * rateLimitPerSec)
    refilledAtMs = atMs
    return allowance < 1
  }
  const isBurst = (atMs: number): boolean => {
    if (burstLimit === 0) return false
    starts = starts.filter((before) => before > atMs - burstWindowMs)
    return starts.length >= burstLimit
  }
  const whyNot = ({ atMs, epochMs, inHouse, overloaded }: Arrival): CallFailure | undefined => {
    if (maxInFlight > 0 && inHouse >= maxInFlight) return tooManyAtOnce(settings, epochMs)
    if (usageLimitRequests > 0 && admitted >= usageLimitRequests) {
      return usageLimit(epochMs)
    }
    if (isBurst(atMs)) return { status: 529, message: 'Server is temporarily limiting requests (not your usage limit)' }
    if (isOverRate(atMs)) return { status: 429, message: 'This request would exceed your rate limit', retryAfterS }
    return overloaded ? { status: 529, message: 'Overloaded' } : undefined
  }
  return {
    refusalOf(arrival) {
      const refusal = whyNot(arrival)
      if (refusal !== undefined) return refusal
      admitted += 1
      allowance -= 1
      if (burstLimit > 0) starts.push(arrival.atMs)
      return undefined
    },
  }
}

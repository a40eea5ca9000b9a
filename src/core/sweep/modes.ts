/** What a mode may cost in time, and what it buys: levels that it goes up to, repeats, interventions. */
import type { Mode, SweepRequest } from './plan.ts'

export type ModeLimits = {
  readonly repeats: number
  /** The ladder goes no higher while nothing has given way; a server that is seen to be full may be asked for `fullN`. */
  readonly mostN: number
  readonly fullN: number
  /** What the ladder plans with, from the sweep's beginning to its last cell. */
  readonly goalMs: number
  /** What it never plans beyond, however slow the server is. */
  readonly limitMs: number
  /** Waves beyond the necessary ones: so long at one level in one repeat. */
  readonly extraWavesMs: number
  /** Levels put between two others to narrow a ceiling. */
  readonly betweens: number
  readonly interventions: boolean
  /** Levels of the direct leg; the highest one first. */
  readonly directLevels: number
}

/**
 * 64 streams of 100 tokens/s are what the load driver carries beside runner and server on two cores (DESIGN.md section 11); a full server sends no more
 * tokens however many wait. Quick has 60 s from the command to the verdict, of which start, analysis and a busy machine take their share.
 */
export const MODES: Readonly<Record<Mode, ModeLimits>> = {
  quick: {
    ...{ repeats: 1, mostN: 64, fullN: 256, goalMs: 42_000, limitMs: 70_000, extraWavesMs: 3_000 },
    ...{ betweens: 1, interventions: false, directLevels: 0 },
  },
  standard: {
    ...{ repeats: 3, mostN: 64, fullN: 256, goalMs: 85_000, limitMs: 600_000, extraWavesMs: 2_000 },
    ...{ betweens: 1, interventions: true, directLevels: 2 },
  },
  thorough: {
    ...{ repeats: 5, mostN: 128, fullN: 512, goalMs: 300_000, limitMs: 3_600_000, extraWavesMs: 6_000 },
    ...{ betweens: 4, interventions: true, directLevels: 3 },
  },
}

/** Quick ends by itself at this moment, whatever hangs. */
export const QUICK_ENDS_MS = 85_000

/** Whether the sweep looks for its levels itself, which it does with bursts: a rung of the ladder has no time for a span. */
export const findsLevels = ({ levels, load }: SweepRequest): boolean => levels.length === 0 && (load === undefined || load.kind === 'burst')

/** Undefined: exactly the levels and repeats that were given, and nothing else. */
export function modeOf(request: SweepRequest): Mode | undefined {
  return request.mode ?? (findsLevels(request) ? 'standard' : undefined)
}

export function repeatsOf(request: SweepRequest): number {
  const mode = modeOf(request)
  return mode === undefined ? request.repeats : MODES[mode].repeats
}

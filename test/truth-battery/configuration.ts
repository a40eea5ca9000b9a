/** What a configuration of the truth battery is, and the words in which most of them are written. What is named here is known, not measured. */
import type { VerdictCode } from '../../src/core/analysis/analysis.ts'
import type { SweepRequestInput } from '../../src/core/sweep/plan.ts'

export interface Truth {
  /** Any of these is right; the first is the plain answer. */
  readonly verdicts: readonly [VerdictCode, ...VerdictCode[]]
  /** Requests answered at once; null = not judged. */
  readonly slots: number | null
  /** Smallest number of sessions with the full total rate; `not-reached`: above the largest level; null = not judged. */
  readonly ceilingN: number | 'not-reached' | null
}

export interface SweptConfiguration {
  readonly kind: 'sweep'
  readonly name: string
  /** What is built in. */
  readonly fault: string
  readonly request: SweepRequestInput
  /** The server is started by itself and swept by its address, on this wire. Absent = Plimsoll starts it. */
  readonly wire?: 'ollama' | 'openai'
  readonly truth: Truth
  /** Part of `npm test`. */
  readonly short?: true
}

/** Figures that somebody else measured, through `plimsoll analyse`. */
export interface TableConfiguration {
  readonly kind: 'table'
  readonly name: string
  readonly fault: string
  /** Content of the file. */
  readonly text: string
  readonly truth: Truth
  readonly short?: true
}

export type Configuration = SweptConfiguration | TableConfiguration

type Settings = Record<string, unknown>
type Rest = Omit<Partial<SweepRequestInput>, 'target'>

/** 30 ms to read a prompt, 8 ms a token, 10 tokens: a turn alone takes some 102 ms. Few tokens, so that a busy machine carries many sessions. */
export const PACE = { prefillMs: 30, decodeMs: 8 }
export const WORKLOAD = { outputTokens: 10, memoryNote: false }

export const simulatedTarget = (slots: number, settings: Settings): SweepRequestInput['target'] => ({
  kind: 'built-in',
  engine: 'simulated',
  model: 'plimsoll-simulated',
  slots,
  settings: { ...PACE, ...settings },
})

/** Levels around the slots: below, at, above. */
export function levelsAround(slots: number): number[] {
  return [...new Set([1, 2, Math.max(1, Math.ceil(slots / 2)), slots, slots * 2, slots * 4])].filter((n) => n <= 64).sort((a, b) => a - b)
}

/** Bursts through the runner, each level in three waves. */
export function simulated(slots: number, settings: Settings, rest: Rest = {}): SweepRequestInput {
  return {
    levels: levelsAround(slots),
    repeats: 1,
    waves: 3,
    legs: ['runner'],
    workload: WORKLOAD,
    ...rest,
    target: simulatedTarget(slots, settings),
  }
}

/** A verdict alone, or with a ceiling. */
export function truth(verdicts: VerdictCode | Truth['verdicts'], ceilingN: Truth['ceilingN'] = null, slots: number | null = null): Truth {
  return { verdicts: typeof verdicts === 'string' ? [verdicts] : verdicts, slots, ceilingN }
}

export const swept = (
  name: string,
  fault: string,
  request: SweepRequestInput,
  known: Truth,
  rest: Partial<SweptConfiguration> = {},
): Configuration => ({
  kind: 'sweep',
  name,
  fault,
  request,
  truth: known,
  ...rest,
})

/** What was found, held against what is known. Pure. */
import type { Analysis, Ceiling, Verdict } from '../../src/core/analysis/analysis.ts'
import type { Configuration, Truth } from './configuration.ts'

export type Found = { readonly verdict: Verdict; readonly effectiveSlots: number | null; readonly ceiling: Ceiling }

export const foundIn = ({ verdict, effectiveSlots, ceilings }: Analysis): Found => ({
  verdict,
  effectiveSlots: effectiveSlots.n,
  ceiling: ceilings.throughput,
})

export interface Judged {
  readonly name: string
  readonly fault: string
  readonly wanted: string
  readonly verdict: string
  readonly confidence: string
  readonly isRight: boolean
  /** A wrong cause, not "can't tell", said to be likely or confirmed. */
  readonly isWrongAndSure: boolean
  readonly slots: { readonly wanted: number | null; readonly found: number | null; readonly isRight: boolean | null }
  readonly ceiling: {
    readonly wanted: Truth['ceilingN']
    readonly found: string
    readonly isInside: boolean | null
    /** `high / low`; null where there is none to judge. */
    readonly widthRatio: number | null
  }
  readonly seconds: number
  readonly sentence: string
  readonly mechanism: string | null
}

/** Naming nothing blames nobody. */
const NO_CAUSE = ['inconclusive', 'none_reached', 'invalid_measurement']

export function judge({ name, fault, truth }: Configuration, { verdict, effectiveSlots, ceiling }: Found, seconds: number): Judged {
  const isRight = truth.verdicts.includes(verdict.primary)
  const isSure = verdict.confidence === 'likely' || verdict.confidence === 'confirmed'
  const { low, high, status, n } = ceiling
  return {
    name,
    fault,
    wanted: truth.verdicts.join(' or '),
    verdict: verdict.primary,
    confidence: verdict.confidence,
    isRight,
    isWrongAndSure: !isRight && isSure && !NO_CAUSE.includes(verdict.primary),
    slots: { wanted: truth.slots, found: effectiveSlots, isRight: truth.slots === null ? null : truth.slots === verdict.effectiveSlots },
    ceiling: {
      wanted: truth.ceilingN,
      found: status === 'found' ? `${n} (${low} to ${high})` : status === 'not-reached' ? `above ${n}` : status,
      isInside: isInside(truth.ceilingN, ceiling),
      widthRatio: typeof truth.ceilingN === 'number' && status === 'found' && low !== null && high !== null && low > 0 ? high / low : null,
    },
    seconds,
    sentence: verdict.sentence,
    mechanism: verdict.mechanism,
  }
}

function isInside(known: Truth['ceilingN'], { status, low, high }: Ceiling): boolean | null {
  if (known === null) return null
  if (known === 'not-reached') return status === 'not-reached'
  return status === 'found' && low !== null && high !== null && low <= known && known <= high
}

export interface Totals {
  readonly all: number
  readonly right: number
  readonly wrongAndSure: number
  readonly slotsJudged: number
  readonly slotsRight: number
  readonly ceilingsJudged: number
  readonly ceilingsInside: number
  readonly widest: number
  /** Every bound of the battery held. */
  readonly holds: boolean
}

/** The bounds that the battery has to keep. */
const BOUNDS = { right: 0.95, inside: 0.9, width: 2 }

export function totalsOf(judged: readonly Judged[]): Totals {
  const count = (matches: (one: Judged) => boolean) => judged.filter(matches).length
  const totals = {
    all: judged.length,
    right: count((one) => one.isRight),
    wrongAndSure: count((one) => one.isWrongAndSure),
    slotsJudged: count((one) => one.slots.isRight !== null),
    slotsRight: count((one) => one.slots.isRight === true),
    ceilingsJudged: count((one) => one.ceiling.isInside !== null),
    ceilingsInside: count((one) => one.ceiling.isInside === true),
    widest: Math.max(1, ...judged.map((one) => one.ceiling.widthRatio ?? 1)),
  }
  const holds =
    totals.right >= BOUNDS.right * totals.all &&
    totals.wrongAndSure === 0 &&
    totals.ceilingsInside >= BOUNDS.inside * totals.ceilingsJudged &&
    totals.widest <= BOUNDS.width
  return { ...totals, holds }
}

export function tableOf(judged: readonly Judged[]): string {
  const sign = (isRight: boolean | null) => (isRight === null ? '' : isRight ? ' ✓' : ' ✗')
  const rows = judged.map((one) => [
    one.name,
    one.fault,
    one.wanted,
    `${one.verdict}, ${one.confidence}${sign(one.isRight)}`,
    one.slots.wanted === null ? `${one.slots.found ?? '–'}` : `${one.slots.found ?? '–'} of ${one.slots.wanted}${sign(one.slots.isRight)}`,
    one.ceiling.wanted === null ? one.ceiling.found : `${one.ceiling.found}; truth ${one.ceiling.wanted}${sign(one.ceiling.isInside)}`,
    one.seconds.toFixed(0),
  ])
  const head = ['configuration', 'what is built in', 'to be named', 'named', 'slots', 'throughput ceiling', 's']
  return [head, head.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

export function totalsText(totals: Totals): string {
  return [
    `Verdict right: ${totals.right} of ${totals.all} (bound 95 %).`,
    `Wrong cause said to be likely or confirmed: ${totals.wrongAndSure} (bound 0).`,
    `Effective slots exact: ${totals.slotsRight} of ${totals.slotsJudged}.`,
    `Ceiling inside its interval: ${totals.ceilingsInside} of ${totals.ceilingsJudged} (bound 90 %); widest interval a factor of ${totals.widest.toFixed(2)} (bound 2).`,
  ].join('\n')
}

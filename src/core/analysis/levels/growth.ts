/** Which part of a turn grew with N: each part's share of the added wall, with a bootstrap interval over waves. */
import { PARTS, type Part } from '../analysis.ts'
import type { TurnParts } from '../calls/decompose-turn.ts'
import { bootstrap, drawGroups, type Interval } from '../statistics/block-bootstrap.ts'
import { quantile } from '../statistics/percentiles.ts'
import { blocksOf, type LevelFacts, meanParts } from './level-facts.ts'

/** Parts that one cause moves together; their shares add up to 1 as well. */
export const GROUPS = {
  queue: ['queue'],
  reload: ['load', 'swap'],
  engine: ['prefill', 'neighbourPrefill', 'decode', 'background'],
  runner: ['runner', 'admission'],
  tools: ['tools'],
} as const satisfies Record<string, readonly Part[]>
export type Group = keyof typeof GROUPS
export const GROUP_NAMES = Object.keys(GROUPS) as Group[]

export type Growth = {
  readonly fromN: number
  readonly toN: number
  /** Mean wall at the upper level over that at the lower one. */
  readonly wallRatio: Interval
  readonly addedMs: number
  /** False: the wall did not grow beyond noise, so shares of its growth mean nothing. */
  readonly isClear: boolean
  readonly parts: readonly { readonly part: Part; readonly share: Interval }[]
  readonly groups: Readonly<Record<Group, Interval>>
}

/** Growth below this share of the lower level's wall is called noise. */
const NOISE_RATIO = 0.05

/** @returns null when one of the levels has no completed turn */
export function growthBetween(lower: LevelFacts, upper: LevelFacts, seed: number): Growth | null {
  const blocks = [blocksOf(lower), blocksOf(upper)]
  const [from, to] = blocks.map(meanParts)
  if (from === null || from === undefined || to === null || to === undefined || from.wallMs <= 0) return null
  const wallRatio = bootstrap(blocks, ([low, high]) => wallGrowth(meanParts(low ?? []), meanParts(high ?? [])), seed)
  if (wallRatio === null) return null
  const draws = drawGroups(blocks, seed, ([low, high]) => sharesOf(meanParts(low ?? []), meanParts(high ?? []))).filter((draw) => draw !== null)
  const shares = sharesOf(from, to)
  const intervalOf = (names: readonly Part[]): Interval => {
    const value = shares === null ? 0 : sumOf(shares, names)
    const drawn = draws.map((draw) => sumOf(draw, names)).sort((a, b) => a - b)
    if (shares === null || drawn.length === 0) return { value, low: value, high: value }
    return { value, low: Math.min(value, quantile(drawn, 0.025)), high: Math.max(value, quantile(drawn, 0.975)) }
  }
  return {
    fromN: lower.level.n,
    toN: upper.level.n,
    wallRatio,
    addedMs: to.wallMs - from.wallMs,
    isClear: shares !== null && wallRatio.low > 1 && wallRatio.value > 1 + NOISE_RATIO,
    parts: PARTS.map((part) => ({ part, share: intervalOf([part]) })),
    groups: Object.fromEntries(GROUP_NAMES.map((group) => [group, intervalOf(GROUPS[group])])) as Record<Group, Interval>,
  }
}

type Means = ReturnType<typeof meanParts>

function wallGrowth(from: Means, to: Means): number | null {
  return from === null || to === null || from.wallMs <= 0 ? null : to.wallMs / from.wallMs
}

/** Null when the wall did not grow at all. */
function sharesOf(from: Means, to: Means): TurnParts | null {
  if (from === null || to === null) return null
  const addedMs = to.wallMs - from.wallMs
  if (addedMs <= 0) return null
  return Object.fromEntries(PARTS.map((part) => [part, (to.parts[part] - from.parts[part]) / addedMs])) as TurnParts
}

const sumOf = (shares: TurnParts, names: readonly Part[]) => names.reduce((sum, part) => sum + shares[part], 0)

/** The group with the largest share, and whether its interval is clear of every other's. */
export function leadingGroup(growth: Growth): { group: Group; share: Interval; isClear: boolean; next: Group } {
  const order = [...GROUP_NAMES].sort((a, b) => growth.groups[b].value - growth.groups[a].value)
  const [group = 'queue', next = 'engine'] = order
  const share = growth.groups[group]
  const others = order.slice(1).map((other) => growth.groups[other].high)
  return { group, share, isClear: others.every((high) => high < share.low), next }
}

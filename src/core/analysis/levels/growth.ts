/** Which part of a turn grew with N: each part's share of the added wall, with a bootstrap interval over waves. */
import { PARTS, type Part } from '../analysis.ts'
import { drawSums, type Interval, intervalOf, sumsOf } from '../statistics/block-bootstrap.ts'
import { blocksOf, type LevelFacts, type WaveBlock } from './level-facts.ts'

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

/** Sums of a block as the bootstrap adds them up: turns, wall, then the parts in their order. */
const sumsOfBlock = (block: WaveBlock) => [block.turns, block.wallMs, ...PARTS.map((part) => block.parts[part])]

/** @returns null when one of the levels has no completed turn */
export function growthBetween(lower: LevelFacts, upper: LevelFacts, seed: number): Growth | null {
  const blocks = [blocksOf(lower), blocksOf(upper)].map((level) => level.map(sumsOfBlock))
  const [from, to] = blocks.map((level) => meansOf(sumsOf(level)))
  if (from === undefined || to === undefined || !(from.wallMs > 0) || !(to.wallMs > 0)) return null
  const draws = drawSums(blocks, seed, ([low, high]) => {
    const [before, after] = [meansOf(low), meansOf(high)]
    return { ratio: after.wallMs / before.wallMs, shares: sharesOf(before, after) }
  }).filter((draw) => Number.isFinite(draw.ratio))
  const wallRatio = intervalOf(
    to.wallMs / from.wallMs,
    draws.map((draw) => draw.ratio),
  )
  const shares = sharesOf(from, to)
  const drawn = draws.flatMap((draw) => (draw.shares === null ? [] : [draw.shares]))
  const share = (names: readonly Part[]) =>
    shares === null
      ? { value: 0, low: 0, high: 0 }
      : intervalOf(
          sumOf(shares, names),
          drawn.map((draw) => sumOf(draw, names)),
        )
  return {
    fromN: lower.level.n,
    toN: upper.level.n,
    wallRatio,
    addedMs: to.wallMs - from.wallMs,
    isClear: shares !== null && wallRatio.low > 1 && wallRatio.value > 1 + NOISE_RATIO,
    parts: PARTS.map((part) => ({ part, share: share([part]) })),
    groups: Object.fromEntries(GROUP_NAMES.map((group) => [group, share(GROUPS[group])])) as Record<Group, Interval>,
  }
}

type Means = { readonly wallMs: number; readonly partsMs: readonly number[] }

/** NaN where no turn was drawn. */
function meansOf(sums: Float64Array = new Float64Array()): Means {
  const [turns = 0, wallMs = 0, ...partsMs] = sums
  return turns > 0 ? { wallMs: wallMs / turns, partsMs: partsMs.map((ms) => ms / turns) } : { wallMs: Number.NaN, partsMs: [] }
}

/** Each part's share of the added wall, in the order of the parts; null when the wall did not grow at all. */
function sharesOf(from: Means, to: Means): number[] | null {
  const addedMs = to.wallMs - from.wallMs
  return addedMs > 0 ? to.partsMs.map((ms, index) => (ms - (from.partsMs[index] ?? 0)) / addedMs) : null
}

const sumOf = (shares: readonly number[], names: readonly Part[]) => names.reduce((sum, part) => sum + (shares[PARTS.indexOf(part)] ?? 0), 0)

/** The group with the largest share, and whether its interval is clear of every other's. */
export function leadingGroup(growth: Growth): { group: Group; share: Interval; isClear: boolean; next: Group } {
  const order = [...GROUP_NAMES].sort((a, b) => growth.groups[b].value - growth.groups[a].value)
  const [group = 'queue', next = 'engine'] = order
  const share = growth.groups[group]
  const others = order.slice(1).map((other) => growth.groups[other].high)
  return { group, share, isClear: others.every((high) => high < share.low), next }
}

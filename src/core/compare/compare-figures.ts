/** The figures of a level that two sweeps both measured, each with its change and what that says; failures over all common levels of a leg. */
import type { LevelFacts } from '../analysis/levels/level-facts.ts'
import { isCompleted, isCounted } from '../analysis/levels/measured-levels.ts'
import { lowerBound, upperBound } from '../analysis/statistics/binomial-bounds.ts'
import { FEWEST_SAMPLES } from '../analysis/statistics/percentiles.ts'
import type { TurnRow } from '../sweep/turn-row.ts'
import { type Draws, drawPercentile, drawRatio } from './block-draws.ts'
import type { ComparedFigure, ComparedMetric, UntoldFigure } from './comparison.ts'
import { judgeChange, ratioChange, ratioMargin, shareChange } from './equivalence.ts'

/** Fewer waves tell nothing of how much one differs from the next. */
const FEWEST_WAVES = 2
/** Two runs of one thing may differ by this much for the instrument's sake: its clock holds 5 ms at p95 (DESIGN.md section 11). */
const CLOCK_MS = 5

export type LevelPair = { readonly before: LevelFacts; readonly after: LevelFacts }
export type Compared = { readonly figures: readonly ComparedFigure[]; readonly untold: readonly UntoldFigure[] }

type Side = 'before' | 'after'
type Ready = { readonly drawn: Draws } | { readonly because: string }
type Metric = {
  readonly name: ComparedMetric
  readonly higherIsBetter: boolean
  readonly isMs: boolean
  readonly of: (facts: LevelFacts, side: Side) => Ready
}

// A failed session never had its first activity, nor its end: it counts as endless (M7).
const ttfaMs = (row: TurnRow) =>
  row.firstActivityAtMs === null || !isCompleted(row) ? Number.POSITIVE_INFINITY : row.firstActivityAtMs - row.plannedAtMs
const wallMs = (row: TurnRow) => (isCompleted(row) ? row.endAtMs - row.plannedAtMs : Number.POSITIVE_INFINITY)

const METRICS: readonly Metric[] = [
  percentileMetric('ttfa-p50', ttfaMs, 0.5, FEWEST_SAMPLES.p50),
  percentileMetric('ttfa-p95', ttfaMs, 0.95, FEWEST_SAMPLES.p95),
  percentileMetric('wall-p50', wallMs, 0.5, FEWEST_SAMPLES.p50),
  percentileMetric('wall-p95', wallMs, 0.95, FEWEST_SAMPLES.p95),
  { name: 'wall-mean', higherIsBetter: false, isMs: true, of: meanWall },
  { name: 'tokens-per-sec', higherIsBetter: true, isMs: false, of: tokenRate },
]

/** One block a wave; where sessions go on with further turns, one a round of turns. */
function blocksOf(facts: LevelFacts): TurnRow[][] {
  const blocks = new Map<string, TurnRow[]>()
  for (const { rows } of facts.level.waves) {
    for (const row of rows) {
      if (!isCounted(row)) continue
      const key = `${row.cell}/${row.wave}/${row.turn ?? 0}`
      const block = blocks.get(key)
      if (block === undefined) blocks.set(key, [row])
      else block.push(row)
    }
  }
  return [...blocks.values()]
}

/** The same draws for all of one sweep's figures at a level, others for the other's. */
const seedOf = ({ level }: LevelFacts, side: Side) => `${side}/${level.leg}/${level.n}`

function percentileMetric(name: ComparedMetric, value: (row: TurnRow) => number, ratio: number, fewest: number): Metric {
  return {
    ...{ name, higherIsBetter: false, isMs: true },
    of: (facts, side) => {
      const blocks = blocksOf(facts).map((block) => block.map(value))
      const count = blocks.reduce((sum, block) => sum + block.length, 0)
      return count < fewest
        ? { because: `n too small (${count} of ${fewest} ${side})` }
        : { drawn: drawPercentile(blocks, ratio, seedOf(facts, side)) }
    },
  }
}

function meanWall(facts: LevelFacts, side: Side): Ready {
  const walls = blocksOf(facts).map((block) => block.map(wallMs).filter(Number.isFinite))
  const sums = walls.flatMap((block) => (block.length === 0 ? [] : [[block.reduce((sum, wall) => sum + wall, 0), block.length] as const]))
  return sums.length === 0 ? { because: `no session completed ${side}` } : { drawn: drawRatio(sums, seedOf(facts, side)) }
}

function tokenRate(facts: LevelFacts, side: Side): Ready {
  const full = facts.waves.filter(({ fullMs, fullTokens }) => fullMs > 0 && fullTokens > 0)
  const sums = full.map(({ fullTokens, fullMs }) => [1000 * fullTokens, fullMs] as const)
  return sums.length === 0 ? { because: `no tokens were counted under full load ${side}` } : { drawn: drawRatio(sums, seedOf(facts, side)) }
}

export function compareLevel({ before, after }: LevelPair, marginRatio: number): Compared {
  const { leg, n } = before.level
  const figures: ComparedFigure[] = []
  const untold: UntoldFigure[] = []
  for (const metric of METRICS) {
    const compared = compareMetric(metric, { before, after }, marginRatio)
    if ('because' in compared) untold.push({ leg, n, metric: metric.name, ...compared })
    else figures.push({ leg, n, metric: metric.name, ...compared })
  }
  return { figures, untold }
}

function compareMetric(
  metric: Metric,
  { before, after }: LevelPair,
  marginRatio: number,
): Omit<ComparedFigure, 'leg' | 'n' | 'metric'> | { because: string } {
  const [a, b] = [metric.of(before, 'before'), metric.of(after, 'after')]
  if ('because' in a) return a
  if ('because' in b) return b
  const endless = [a.drawn.value === Number.POSITIVE_INFINITY && 'before', b.drawn.value === Number.POSITIVE_INFINITY && 'after']
  const where = endless.filter((side) => side !== false)
  // What failed is a figure of its own.
  if (where.length > 0) return { because: `it lies among the failed sessions ${where.join(' and ')}` }
  const change = ratioChange(a.drawn, b.drawn)
  if (change === null || !Number.isFinite(change.value)) return { because: 'a ratio to nothing can’t be told' }
  const margin = metric.isMs ? Math.max(marginRatio, CLOCK_MS / a.drawn.value) : marginRatio
  const isDrawable = Math.min(a.drawn.blocks, b.drawn.blocks) >= FEWEST_WAVES
  // An interval that reaches into the failed sessions has no end that could be written down.
  if (!Number.isFinite(change.low) || !Number.isFinite(change.high)) return { because: 'it lies among the failed sessions of some waves' }
  return {
    ...{ before: a.drawn.value, after: b.drawn.value, change, marginRatio: margin },
    outcome: isDrawable ? judgeChange(change, ratioMargin(margin), metric.higherIsBetter) : 'cannot-tell',
  }
}

/**
 * Failures of all common levels of a leg together (`n` is the largest of them): one in a hundred can't be told from a single level.
 * @param limitRatio the error rate that the plan allows; a change within it is none
 */
export function compareFailures(pairs: readonly LevelPair[], limitRatio: number): ComparedFigure[] {
  const last = pairs.at(-1)
  if (last === undefined) return []
  const { leg, n } = last.before.level
  const counts = (side: Side): Counts =>
    pairs.flatMap((pair) => blocksOf(pair[side]).map((block) => [block.filter((row) => !isCompleted(row)).length, block.length] as const))
  const [a, b] = [counts('before'), counts('after')]
  if (total(a) === 0 || total(b) === 0) return []
  const [drawnA, drawnB] = [drawRatio(a, `before/${leg}/failures`), drawRatio(b, `after/${leg}/failures`)]
  const drawn = shareChange(drawnA, drawnB)
  const [exactA, exactB] = [bounds(a), bounds(b)]
  // Newcombe's interval of a difference from each share's own; the wider of both, since sessions of one wave may fail together.
  const change = {
    value: drawn.value,
    low: Math.min(drawn.low, drawn.value - Math.hypot(drawnB.value - exactB.low, exactA.high - drawnA.value)),
    high: Math.max(drawn.high, drawn.value + Math.hypot(exactB.high - drawnB.value, drawnA.value - exactA.low)),
  }
  const none = drawnA.value === 0 && drawnB.value === 0
  return [
    {
      ...{ leg, n, metric: 'failures', before: drawnA.value, after: drawnB.value, change, marginRatio: limitRatio },
      outcome: none ? 'equivalent' : judgeChange(change, [-limitRatio, limitRatio], false),
    },
  ]
}

type Counts = readonly (readonly [failed: number, of: number])[]
const total = (counts: Counts) => counts.reduce((sum, [, of]) => sum + of, 0)

function bounds(counts: Counts): { low: number; high: number } {
  const [failed, of] = [counts.reduce((sum, [some]) => sum + some, 0), total(counts)]
  return { low: lowerBound(failed, of) ?? 0, high: upperBound(failed, of) ?? 1 }
}

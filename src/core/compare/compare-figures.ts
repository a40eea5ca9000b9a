/** One level of two sweeps, figure by figure: the change with a seeded bootstrap interval over waves, and what that interval says against the margin. */
import type { LevelFacts } from '../analysis/levels/level-facts.ts'
import { isCompleted, isCounted } from '../analysis/levels/measured-levels.ts'
import { DRAWS, intervalOf } from '../analysis/statistics/block-bootstrap.ts'
import { quantile, sortedNumbers } from '../analysis/statistics/percentiles.ts'
import { createSeededRandom, type SeededRandom } from '../sweep/seeded-random.ts'
import type { ComparedFigure, ComparedMetric, Outcome } from './comparison.ts'

/** What one wave adds to the figures. */
type Wave = {
  readonly ttfaMs: readonly number[]
  readonly wallMs: readonly number[]
  /** Under full load, like the total rate of a level. */
  readonly tokens: number
  readonly fullMs: number
  readonly sessions: number
  readonly failures: number
}

type Metric = {
  readonly name: ComparedMetric
  /** Null = the waves don't say. */
  readonly of: (waves: readonly Wave[]) => number | null
  readonly higherIsBetter: boolean
  /** A plain difference, where a ratio would divide by nothing. */
  readonly isDifference: boolean
}

const all = (waves: readonly Wave[], values: (wave: Wave) => readonly number[]) => waves.flatMap((wave) => [...values(wave)])
const sum = (waves: readonly Wave[], value: (wave: Wave) => number) => waves.reduce((total, wave) => total + value(wave), 0)
const at = (values: readonly number[], ratio: number, fewest: number) => (values.length < fewest ? null : quantile(sortedNumbers(values), ratio))
const meanOf = (values: readonly number[]) => (values.length === 0 ? null : values.reduce((total, value) => total + value, 0) / values.length)

/** p95 of fewer sessions is the slowest one, which says little; half of what M8 asks for is enough to compare two of them. */
const FEWEST_P95 = 30

const METRICS: readonly Metric[] = [
  {
    name: 'ttfa-p50',
    of: (waves) =>
      at(
        all(waves, (wave) => wave.ttfaMs),
        0.5,
        3,
      ),
    higherIsBetter: false,
    isDifference: false,
  },
  {
    name: 'ttfa-p95',
    of: (waves) =>
      at(
        all(waves, (wave) => wave.ttfaMs),
        0.95,
        FEWEST_P95,
      ),
    higherIsBetter: false,
    isDifference: false,
  },
  { name: 'wall-mean', of: (waves) => meanOf(all(waves, (wave) => wave.wallMs)), higherIsBetter: false, isDifference: false },
  {
    name: 'tokens-per-sec',
    of: (waves) => (sum(waves, (wave) => wave.fullMs) > 0 ? (1000 * sum(waves, (wave) => wave.tokens)) / sum(waves, (wave) => wave.fullMs) : null),
    higherIsBetter: true,
    isDifference: false,
  },
  {
    name: 'failures',
    of: (waves) => (sum(waves, (wave) => wave.sessions) === 0 ? null : sum(waves, (wave) => wave.failures) / sum(waves, (wave) => wave.sessions)),
    higherIsBetter: false,
    isDifference: true,
  },
]

/** Below this a change of the failures' share is not worth a word. */
const FAILURES_MARGIN = 0.02

function wavesOf(facts: LevelFacts): Wave[] {
  return facts.level.waves.map((wave, index) => {
    const rows = wave.rows.filter(isCounted)
    const completed = rows.filter(isCompleted)
    return {
      ttfaMs: completed.flatMap((row) => (row.firstActivityAtMs === null ? [] : [row.firstActivityAtMs - row.plannedAtMs])),
      wallMs: completed.map((row) => row.endAtMs - row.plannedAtMs),
      tokens: facts.waves[index]?.fullTokens ?? 0,
      fullMs: facts.waves[index]?.fullMs ?? 0,
      sessions: rows.length,
      failures: rows.length - completed.length,
    }
  })
}

export function compareLevel(before: LevelFacts, after: LevelFacts, marginRatio: number, seed: number): ComparedFigure[] {
  const [from, to] = [wavesOf(before), wavesOf(after)]
  const random = createSeededRandom(`compare/${seed}/${before.level.leg}/${before.level.n}`)
  return METRICS.flatMap((metric): ComparedFigure[] => {
    const [a, b] = [metric.of(from), metric.of(to)]
    if (a === null || b === null) return []
    const changeOf = (x: number, y: number) => (metric.isDifference ? y - x : y / x)
    const value = changeOf(a, b)
    if (!Number.isFinite(value)) return []
    const draws = Array.from({ length: DRAWS }, () => {
      const [x, y] = [metric.of(drawn(from, random)), metric.of(drawn(to, random))]
      return x === null || y === null ? Number.NaN : changeOf(x, y)
    }).filter(Number.isFinite)
    const change = intervalOf(value, draws)
    // One wave says nothing about how much waves differ.
    const isDrawable = from.length > 1 && to.length > 1
    const outcome = isDrawable ? outcomeOf(change, metric, marginRatio) : 'cannot-tell'
    return [{ leg: before.level.leg, n: before.level.n, metric: metric.name, before: a, after: b, change, outcome }]
  })
}

function drawn(waves: readonly Wave[], random: SeededRandom): Wave[] {
  return Array.from({ length: waves.length }, () => waves[random.int(waves.length)]).filter((wave) => wave !== undefined)
}

function outcomeOf({ low, high }: { low: number; high: number }, metric: Metric, marginRatio: number): Outcome {
  const [least, most] = metric.isDifference ? [-FAILURES_MARGIN, FAILURES_MARGIN] : [1 / (1 + marginRatio), 1 + marginRatio]
  if (low > most) return metric.higherIsBetter ? 'better' : 'worse'
  if (high < least) return metric.higherIsBetter ? 'worse' : 'better'
  return low >= least && high <= most ? 'equivalent' : 'cannot-tell'
}

/** Curves through the measured levels of a sweep: other runs are drawn from its own waves, and spread by what levels scatter about the curve. */
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { tokenRate, type WaveBlock } from '../levels/level-facts.ts'
import { drawSums } from '../statistics/block-bootstrap.ts'
import { CURVE_DRAWS, type CurveFits, fitDrawn, normal } from './fit-curves.ts'

export type RatedLevel = { readonly n: number; readonly waves: readonly WaveBlock[] }

export type LevelCurves = {
  readonly curves: CurveFits
  /** Total rate of each level, tokens per second, ascending by n; levels without one are left out. */
  readonly rates: readonly { readonly n: number; readonly rate: number }[]
  /** The same as other runs might have given them: one list a draw, in the order of `rates`. */
  readonly draws: readonly (readonly number[])[]
}

/** @param levels of one leg, ascending by n */
export function levelCurves(levels: readonly RatedLevel[], seed: number): LevelCurves {
  const rated = levels.flatMap(({ n, waves }) => {
    const rate = tokenRate(waves) ?? 0
    return rate > 0 ? [{ n, waves, rate }] : []
  })
  const rates = rated.map(({ n, rate }) => ({ n, rate }))
  const byWaves = drawSums(
    rated.map(({ waves }) => waves.map((wave) => [wave.fullTokens, wave.fullMs])),
    seed,
    (sums) => sums.map(([tokens = 0, fullMs = 0], at) => (fullMs > 0 ? (1000 * tokens) / fullMs : (rates[at]?.rate ?? 0))),
  ).slice(0, CURVE_DRAWS)
  const spread = (scatterRatio: number) => spreadBy(byWaves, rates, scatterRatio, seed)
  const curves = fitDrawn(rates, (points, scatterRatio) =>
    spread(scatterRatio).map((drawn) => points.map(({ n }) => ({ n, rate: drawn[rates.findIndex((one) => one.n === n)] ?? 0 }))),
  )
  return { curves, rates, draws: spread(curves.scatterRatio) }
}

/** What waves show of the scatter is in their draws already: only the rest is added, which all waves of a level share. */
function spreadBy(byWaves: readonly (readonly number[])[], rates: LevelCurves['rates'], scatterRatio: number, seed: number): number[][] {
  const random = createSeededRandom(`levels/${seed}`)
  const seen = byWaves.reduce((sum, drawn) => sum + drawn.reduce((squares, rate, at) => squares + (rate / (rates[at]?.rate ?? rate) - 1) ** 2, 0), 0)
  const seenVariance = seen / Math.max(1, byWaves.length * rates.length)
  const rest = Math.sqrt(Math.max(0, scatterRatio ** 2 - seenVariance))
  return byWaves.map((drawn) => drawn.map((rate) => rate * Math.exp(rest * normal(random.next))))
}

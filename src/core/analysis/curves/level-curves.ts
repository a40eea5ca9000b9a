/** Curves through the measured levels of a sweep: other runs are drawn from its own waves, and spread by what levels scatter about the curve. */
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { tokenRate, type WaveBlock } from '../levels/level-facts.ts'
import { drawSums } from '../statistics/block-bootstrap.ts'
import { CURVE_DRAWS, type CurveFits, fitDrawn, normal, USUAL_SCATTER } from './fit-curves.ts'

/** `cells`: of which cell each wave is, in the order of the waves; absent = not known. */
export type RatedLevel = { readonly n: number; readonly waves: readonly WaveBlock[]; readonly cells?: readonly number[] }

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
  const curves = fitDrawn(
    rates,
    (points, scatterRatio) =>
      spread(scatterRatio).map((drawn) => points.map(({ n }) => ({ n, rate: drawn[rates.findIndex((one) => one.n === n)] ?? 0 }))),
    scatterOfRepeats(levels),
  )
  return { curves, rates, draws: spread(curves.scatterRatio) }
}

/** Repeats that can show how far apart they lie. */
const FEWEST_REPEATS = 3
/** Below this the clock and the load of the machine differ from one hour to the next, whatever the repeats say. */
const LEAST_SCATTER = 0.02

/**
 * Repeats of a level are runs of their own, shuffled among the others: how far they lie apart is how far the level may lie from the truth.
 * @returns the usual scatter where levels were not repeated
 */
function scatterOfRepeats(levels: readonly RatedLevel[]): number {
  let [squares, freedom, repeats] = [0, 0, 0]
  for (const { waves, cells } of levels) {
    const byCell = new Map<number, WaveBlock[]>()
    waves.forEach((wave, at) => {
      const cell = cells?.[at]
      if (cell !== undefined) byCell.set(cell, [...(byCell.get(cell) ?? []), wave])
    })
    const rates = [...byCell.values()].flatMap((ofCell) => tokenRate(ofCell) ?? [])
    if (rates.length < FEWEST_REPEATS) continue
    const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
    squares += rates.reduce((sum, rate) => sum + (rate / mean - 1) ** 2, 0)
    freedom += rates.length - 1
    repeats += rates.length / levels.length
  }
  // With half of the levels repeated the others are taken to be alike.
  if (repeats < FEWEST_REPEATS / 2) return USUAL_SCATTER.ratio
  const ofOne = Math.sqrt(squares / Math.max(1, freedom))
  return Math.min(USUAL_SCATTER.ratio, Math.max(LEAST_SCATTER, ofOne / Math.sqrt(FEWEST_REPEATS)))
}

/** What waves show of the scatter is in their draws already: only the rest is added, which all waves of a level share. */
function spreadBy(byWaves: readonly (readonly number[])[], rates: LevelCurves['rates'], scatterRatio: number, seed: number): number[][] {
  const random = createSeededRandom(`levels/${seed}`)
  const seen = byWaves.reduce((sum, drawn) => sum + drawn.reduce((squares, rate, at) => squares + (rate / (rates[at]?.rate ?? rate) - 1) ** 2, 0), 0)
  const seenVariance = seen / Math.max(1, byWaves.length * rates.length)
  const rest = Math.sqrt(Math.max(0, scatterRatio ** 2 - seenVariance))
  return byWaves.map((drawn) => drawn.map((rate) => rate * Math.exp(rest * normal(random.next))))
}

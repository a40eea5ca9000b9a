/**
 * Which curve the total rates follow over N: hinge, USL or straight line, chosen by leave-one-out error; the losers are kept and shown.
 * A curve's shape alone never names a cause (DESIGN.md section 7), and a knee is not an SLO ceiling.
 */
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import type { CurveFit, FIT_MODELS } from '../analysis.ts'
import { type Interval, intervalOf } from '../statistics/block-bootstrap.ts'
import { quantile, sortedNumbers } from '../statistics/percentiles.ts'
import { fitHinge, hingeAt } from './hinge.ts'
import { fitLine, lineAt } from './line.ts'
import { type Cliff, cleanPoints, findCliff, type RatePoint } from './rate-points.ts'
import { fitUsl, uslAt, uslPeak } from './usl.ts'

export type CurveModel = (typeof FIT_MODELS)[number]

export type FittedCurve = {
  readonly model: CurveModel
  readonly isChosen: boolean
  /** Root mean square of the leave-one-out errors over the mean rate; null with too few levels to leave one out. */
  readonly leaveOneOutErrorRatio: number | null
  /** Hinge: where it bends. USL: its peak, only when beta's interval excludes 0 and the peak lies within the levels. Line: null. */
  readonly knee: Interval | null
  /** By name: a, b, kneeN; gamma, alpha, beta; atZero, perSession. What there is none of is left out. */
  readonly parameters: Readonly<Record<string, number>>
  readonly rateAt: (n: number) => number
}

export type CurveFits = {
  /** In the order hinge, USL, line; empty with fewer than three levels. */
  readonly fits: readonly FittedCurve[]
  readonly chosen: FittedCurve | null
  readonly cliff: Cliff | null
  /** The points that the curves were fitted to: up to the cliff, if there is one. */
  readonly points: readonly RatePoint[]
  /** How far one level's rate lies from a curve by chance, as a ratio; what draws of other runs are spread by. */
  readonly scatterRatio: number
  /** Whole sentences: what these points can't tell, and what would. */
  readonly cannotTell: readonly string[]
}

/** Fewest levels for a curve at all, for leaving one of three unknowns out, and for a peak of USL (bench-anchors 5.6). */
const FEWEST_POINTS = { any: 3, leaveOneOut: 4, peak: 6 } as const
/** Leave-one-out errors this near to the least can't be told apart: the hinge is then taken before USL, both before the line. */
const TIE = { times: 1.1, ratio: 0.01 } as const
/**
 * Scatter of one level's rate about any curve: what is seen in the residuals, drawn towards the usual one as if four further levels had shown that,
 * since few levels leave nearly no residuals. Published sweeps repeat to within 5 to 10 %.
 */
export const USUAL_SCATTER = { ratio: 0.05, weight: 4 } as const
/** Each costs a fit of every curve. */
export const CURVE_DRAWS = 200

type Shape = Pick<FittedCurve, 'parameters' | 'rateAt'> & { readonly kneeN: number | null }

const MODELS: readonly { model: CurveModel; unknowns: number; shapeOf: (points: readonly RatePoint[]) => Shape }[] = [
  {
    model: 'hinge',
    unknowns: 3,
    shapeOf(points) {
      const hinge = fitHinge(points)
      const { a, b, kneeN } = hinge
      const parameters: Shape['parameters'] = kneeN === null ? { a, b } : { a, b, kneeN }
      return { parameters, rateAt: (n) => hingeAt(hinge, n), kneeN }
    },
  },
  {
    model: 'usl',
    unknowns: 3,
    shapeOf(points) {
      const usl = fitUsl(points)
      return { parameters: usl, rateAt: (n) => uslAt(usl, n), kneeN: uslPeak(usl) }
    },
  },
  {
    model: 'linear',
    unknowns: 2,
    shapeOf(points) {
      const line = fitLine(points)
      return { parameters: line, rateAt: (n) => lineAt(line, n), kneeN: null }
    },
  },
]

/**
 * Curves through rates that somebody else measured, one point a level: the knee's interval comes from the scatter about the curve.
 * @param points any order; repeated n are averaged. Fewer than three different n give no curve
 */
export function fitCurves(points: readonly RatePoint[], seed = 7): CurveFits {
  const random = createSeededRandom(`curves/${seed}`)
  return fitDrawn(points, (clean, scatterRatio) =>
    Array.from({ length: CURVE_DRAWS }, () => clean.map(({ n, rate }) => ({ n, rate: rate * Math.exp(scatterRatio * normal(random.next)) }))),
  )
}

/**
 * @param drawRates the points as another run might have seen them, given those that count and the scatter of a level about the best curve
 * @param usualRatio scatter of one level's rate where the residuals say little: what published sweeps show, unless repeats of this one were seen to
 *   scatter less
 */
export function fitDrawn(
  points: readonly RatePoint[],
  drawRates: (points: readonly RatePoint[], scatterRatio: number) => readonly (readonly RatePoint[])[],
  usualRatio: number = USUAL_SCATTER.ratio,
): CurveFits {
  const all = cleanPoints(points)
  const cliff = findCliff(all)
  const clean = cliff === null ? all : all.filter(({ n }) => n < cliff.toN)
  const known = { cliff, points: clean, cannotTell: missingPoints(all, clean, cliff) }
  if (clean.length < FEWEST_POINTS.any) return { ...known, fits: [], chosen: null, scatterRatio: usualRatio }
  const tried = MODELS.filter(({ unknowns }) => clean.length >= unknowns).map((model) => ({
    ...model,
    shape: model.shapeOf(clean),
    errorRatio: clean.length > model.unknowns ? leaveOneOut(clean, model.shapeOf) : null,
  }))
  const rivals = clean.length < FEWEST_POINTS.leaveOneOut ? [] : tried
  const least = rivals.reduce((most, { errorRatio }) => Math.min(most, errorRatio ?? most), Number.POSITIVE_INFINITY)
  const winner = rivals.find(({ errorRatio }) => errorRatio !== null && errorRatio <= TIE.times * least + TIE.ratio)
  const scatterRatio = Math.min(...tried.map(({ shape, unknowns }) => scatterAbout(clean, shape, unknowns, usualRatio)))
  const drawn = drawRates(clean, scatterRatio)
  const fits = tried.map(({ model, shapeOf, shape, errorRatio }): FittedCurve => {
    const { parameters, rateAt } = shape
    return {
      model,
      isChosen: model === winner?.model,
      leaveOneOutErrorRatio: errorRatio,
      knee: model === 'linear' ? null : kneeOf(model, clean, shape, drawn.map(shapeOf)),
      parameters,
      rateAt,
    }
  })
  return { ...known, fits, chosen: fits.find((fit) => fit.isChosen) ?? null, scatterRatio }
}

function missingPoints(all: readonly RatePoint[], clean: readonly RatePoint[], cliff: Cliff | null): string[] {
  const said: string[] = []
  if (cliff !== null)
    said.push(
      `From ${cliff.fromN} to ${cliff.toN} the total falls by ${Math.round(100 * cliff.fallRatio)} %: curves are fitted below that cliff only, none describes it.`,
    )
  const count = clean.length
  if (count < FEWEST_POINTS.any) said.push(`${count} ${count === 1 ? 'level carries' : 'levels carry'} no curve: three different n are the least.`)
  else if (count < FEWEST_POINTS.leaveOneOut) said.push('Three levels fit any curve: a fourth is needed to choose one.')
  if (all.length >= FEWEST_POINTS.any && all[0]?.n !== 1) said.push('Without n = 1 it is not known what one session alone gets.')
  return said
}

/**
 * The smallest and the largest n stay in: beyond what is measured no curve can be held to anything (two slots look flat from 2 on, and a bend
 * before the largest level alone can't be foretold without it).
 * @returns errors of prediction at the point left out, root mean square, over the mean rate
 */
function leaveOneOut(points: readonly RatePoint[], shapeOf: (points: readonly RatePoint[]) => Shape): number {
  const meanRate = points.reduce((sum, { rate }) => sum + rate, 0) / points.length
  const left = points.slice(1, -1)
  const squares = left.reduce((sum, one) => sum + (shapeOf(points.filter((point) => point !== one)).rateAt(one.n) - one.rate) ** 2, 0)
  return Math.sqrt(squares / left.length) / meanRate
}

function scatterAbout(points: readonly RatePoint[], shape: Shape, unknowns: number, usualRatio: number): number {
  const squares = points.reduce((sum, { n, rate }) => sum + (rate / shape.rateAt(n) - 1) ** 2, 0)
  const { weight } = USUAL_SCATTER
  return Math.sqrt((squares + weight * usualRatio ** 2) / (Math.max(0, points.length - unknowns) + weight))
}

function kneeOf(model: CurveModel, points: readonly RatePoint[], shape: Shape, draws: readonly Shape[]): Interval | null {
  const largest = points.at(-1)?.n ?? 1
  if (shape.kneeN === null || shape.kneeN >= largest) return null
  if (model === 'usl' && (points.length < FEWEST_POINTS.peak || points[0]?.n !== 1 || !isPeakSure(draws))) return null
  // A draw that still rises at the largest level has its knee there or beyond.
  const knees = draws.map(({ kneeN }) => Math.min(kneeN ?? largest, largest))
  return intervalOf(shape.kneeN, knees)
}

/** USL has a peak only if beta's 95 % interval excludes 0. */
function isPeakSure(draws: readonly Shape[]): boolean {
  return quantile(sortedNumbers(draws.map(({ parameters: { beta = 0 } }) => beta)), 0.025) > 0
}

/** Box and Muller. */
export function normal(next: () => number): number {
  return Math.sqrt(-2 * Math.log(1 - next())) * Math.cos(2 * Math.PI * next())
}

const DRAWN_POINTS = 32

/** The shape of a fit that page and report draw; curves without a leave-one-out error are left out. Points lie evenly in log N, levels included. */
export function drawnFits({ fits, points }: CurveFits): CurveFit[] {
  const [fromN, upToN] = [points[0]?.n ?? 1, points.at(-1)?.n ?? 1]
  const step = (Math.log(upToN) - Math.log(fromN)) / DRAWN_POINTS
  const even = Array.from({ length: DRAWN_POINTS }, (_, index) => fromN * Math.exp(index * step))
  return fits.flatMap(({ model, isChosen, leaveOneOutErrorRatio, knee, rateAt }) => {
    if (leaveOneOutErrorRatio === null) return []
    const bend = model === 'hinge' && knee !== null ? [knee.value] : []
    const at = [...new Set([...even, ...points.map(({ n }) => n), ...bend])].filter((n) => n <= upToN).sort((a, b) => a - b)
    return [{ model, isChosen, leaveOneOutErrorRatio, knee, points: at.map((n) => ({ n, tokensPerSec: rateAt(n) })) }]
  })
}

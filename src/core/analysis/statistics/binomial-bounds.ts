/** Exact (Clopper–Pearson) one-sided bounds of a share, from counts. */

const CONFIDENCE = 0.95

/**
 * One-sided 95 % lower bound of a share.
 * @returns null for no trials; 0 when nothing succeeded
 */
export function lowerBound(successes: number, trials: number): number | null {
  if (trials === 0) return null
  if (successes === 0) return 0
  if (successes === trials) return (1 - CONFIDENCE) ** (1 / trials)
  // P(X >= successes | p) rises with p and equals the regularised incomplete beta I_p(successes, trials - successes + 1).
  return solve((p) => incompleteBeta(p, successes, trials - successes + 1) - (1 - CONFIDENCE))
}

/** One-sided 95 % upper bound of a share; null for no trials. With no success in n trials it is about 3/n. */
export function upperBound(successes: number, trials: number): number | null {
  const rest = lowerBound(trials - successes, trials)
  return rest === null ? null : 1 - rest
}

/** Zero of a rising function on 0 to 1, by bisection to 1e-12. */
function solve(rising: (p: number) => number): number {
  let low = 0
  let high = 1
  while (high - low > 1e-12) {
    const middle = (low + high) / 2
    if (rising(middle) < 0) low = middle
    else high = middle
  }
  return (low + high) / 2
}

/** Regularised incomplete beta by Lentz's continued fraction (Abramowitz & Stegun 26.5.8). */
export function incompleteBeta(x: number, a: number, b: number): number {
  if (x <= 0) return 0
  if (x >= 1) return 1
  const front = Math.exp(logGamma(a + b) - logGamma(a) - logGamma(b) + a * Math.log(x) + b * Math.log1p(-x))
  return x < (a + 1) / (a + b + 2) ? (front * betaFraction(x, a, b)) / a : 1 - (front * betaFraction(1 - x, b, a)) / b
}

const TINY = 1e-300

function betaFraction(x: number, a: number, b: number): number {
  const apart = (value: number) => (Math.abs(value) < TINY ? TINY : value)
  let c = 1
  let d = 1 / apart(1 - ((a + b) * x) / (a + 1))
  let product = d
  for (let m = 1; m <= 500; m += 1) {
    const even = (m * (b - m) * x) / ((a + 2 * m - 1) * (a + 2 * m))
    d = 1 / apart(1 + even * d)
    c = apart(1 + even / c)
    product *= d * c
    const odd = (-(a + m) * (a + b + m) * x) / ((a + 2 * m) * (a + 2 * m + 1))
    d = 1 / apart(1 + odd * d)
    c = apart(1 + odd / c)
    const step = d * c
    product *= step
    if (Math.abs(step - 1) < 1e-14) break
  }
  return product
}

/** Lanczos' approximation, g = 7, n = 9 (Godfrey's coefficients); good to 1e-13 for x > 0. */
const LANCZOS = [
  676.5203681218851, -1259.1392167224028, 771.32342877765313, -176.61502916214059, 12.507343278686905, -0.13857109526572012, 9.9843695780195716e-6,
  1.5056327351493116e-7,
]

function logGamma(x: number): number {
  const shifted = x - 1
  const t = shifted + 7.5
  const series = LANCZOS.reduce((sum, coefficient, index) => sum + coefficient / (shifted + index + 1), 0.99999999999980993)
  return 0.5 * Math.log(2 * Math.PI) + (shifted + 0.5) * Math.log(t) - t + Math.log(series)
}

/**
 * Universal scalability law (Gunther, https://arxiv.org/abs/0808.1431): X(N) = gamma·N / (1 + alpha·(N-1) + beta·N·(N-1)).
 * N/X is linear in 1/gamma, alpha/gamma and beta/gamma, so the bounded least squares (0 <= alpha <= 1, beta >= 0) are solved exactly: by trying
 * each set of bounds that may hold. Own code: three unknowns need no library, and core may import zod only.
 * It misplaces a hard cap of slots (it bends late and slowly): never read alone.
 */
import type { RatePoint } from './rate-points.ts'

export type Usl = { readonly gamma: number; readonly alpha: number; readonly beta: number }

export function uslAt({ gamma, alpha, beta }: Usl, n: number): number {
  return (gamma * n) / (1 + alpha * (n - 1) + beta * n * (n - 1))
}

/** Where the total is largest; null when it has no peak. */
export function uslPeak({ alpha, beta }: Usl): number | null {
  return beta > 0 && alpha < 1 ? Math.max(1, Math.sqrt((1 - alpha) / beta)) : null
}

/** Terms of N/X that are free: each column is a function of N; what a bound fixes is folded into another column. */
const SHAPES: readonly { columns: readonly ((n: number) => number)[]; read: (c: readonly number[]) => readonly [number, number, number] }[] = [
  { columns: [() => 1, (n) => n - 1, (n) => n * (n - 1)], read: ([c0 = 0, c1 = 0, c2 = 0]) => [c0, c1, c2] },
  { columns: [() => 1, (n) => n - 1], read: ([c0 = 0, c1 = 0]) => [c0, c1, 0] },
  { columns: [() => 1, (n) => n * (n - 1)], read: ([c0 = 0, c2 = 0]) => [c0, 0, c2] },
  { columns: [(n) => n, (n) => n * (n - 1)], read: ([c0 = 0, c2 = 0]) => [c0, c0, c2] },
  { columns: [() => 1], read: ([c0 = 0]) => [c0, 0, 0] },
  { columns: [(n) => n], read: ([c0 = 0]) => [c0, c0, 0] },
]

/** @param points at least one; errors are weighed as ratios of the rate */
export function fitUsl(points: readonly RatePoint[]): Usl {
  let best = { cost: Number.POSITIVE_INFINITY, usl: { gamma: points[0]?.rate ?? 1, alpha: 0, beta: 0 } }
  for (const { columns, read } of SHAPES) {
    if (columns.length > points.length) continue
    const solved = leastSquares(points.map(({ n, rate }) => columns.map((column) => (column(n) * rate) / n)))
    if (solved === null) continue
    const [c0, c1, c2] = read(solved)
    if (!(c0 > 0 && c1 >= 0 && c1 <= c0 * (1 + 1e-12) && c2 >= 0)) continue
    const usl = { gamma: 1 / c0, alpha: Math.min(1, c1 / c0), beta: c2 / c0 }
    const cost = points.reduce((sum, { n, rate }) => sum + (rate / uslAt(usl, n) - 1) ** 2, 0)
    if (cost < best.cost - 1e-12) best = { cost, usl }
  }
  return best.usl
}

/** Coefficients that bring each row's weighted sum nearest to 1; null when the rows can't tell them apart. */
function leastSquares(rows: readonly (readonly number[])[]): number[] | null {
  const size = rows[0]?.length ?? 0
  const matrix = Array.from({ length: size }, (_, i) => [
    ...Array.from({ length: size }, (__, j) => rows.reduce((sum, row) => sum + (row[i] ?? 0) * (row[j] ?? 0), 0)),
    rows.reduce((sum, row) => sum + (row[i] ?? 0), 0),
  ])
  return solve(matrix)
}

/** Gauss-Jordan with the largest pivot, on rows of coefficients and right side. */
function solve(matrix: number[][]): number[] | null {
  const size = matrix.length
  for (let at = 0; at < size; at += 1) {
    const rest = matrix.slice(at)
    const pivot = rest.reduce((most, row) => (Math.abs(row[at] ?? 0) > Math.abs(most[at] ?? 0) ? row : most))
    const lead = pivot[at] ?? 0
    const scale = rest.reduce((most, row) => Math.max(most, ...row.map(Math.abs)), 0)
    if (!(Math.abs(lead) > 1e-13 * scale)) return null
    matrix.splice(matrix.indexOf(pivot), 1)
    matrix.splice(at, 0, pivot)
    for (const row of matrix) {
      if (row === pivot) continue
      const factor = (row[at] ?? 0) / lead
      for (let j = at; j <= size; j += 1) row[j] = (row[j] ?? 0) - factor * (pivot[j] ?? 0)
    }
  }
  return matrix.map((row, at) => (row[size] ?? 0) / (row[at] ?? 1))
}

/** What rows say of each other before they are a curve: a level that comes back, and work that is the same at every level. */
import type { Figure, Figures } from './measured-table.ts'

/** Rows in the order in which they stand: the smallest level, come back after others, is a second look at the same thing. */
export function driftIn(rows: readonly Figures[]): { readonly n: number; readonly first: number; readonly last: number } | null {
  const n = Math.min(...rows.map((row) => row.n ?? Number.POSITIVE_INFINITY))
  const places = rows.flatMap((row, index) => (row.n === n ? [index] : []))
  const [from, to] = [places[0] ?? 0, places.at(-1) ?? 0]
  if (to - from < 3 || to - from < places.length) return null
  const [before, after] = [rows[from] ?? {}, rows[to] ?? {}]
  for (const figure of DRIFTING) {
    const [first, last] = [before[figure], after[figure]]
    if (first !== undefined && last !== undefined && first > 0 && last > 0) return { n, first, last }
  }
  return null
}

const DRIFTING: readonly Figure[] = [
  'totalTokensPerSec',
  'recomputedTokensPerSec',
  'requestsPerSec',
  'decodeTokensPerSecPerRequest',
  'wallMs',
  'latencyMeanMs',
  'latencyP50Ms',
  'tpotMs',
]

/** A burst of more requests never ends sooner: where the wall falls as n grows, the same work is shared by n. */
export function isFixedWork(rows: readonly Figures[]): boolean {
  const walls = rows.flatMap((figures) =>
    figures.wallMs === undefined || figures.wallMs === 0 || figures.sumJobMs !== undefined ? [] : [figures.wallMs],
  )
  const [first] = walls
  const last = walls.at(-1)
  return walls.length === rows.length && walls.length >= 2 && first !== undefined && last !== undefined && last < 0.8 * first
}

/** Did the machine itself change while the sweep ran (M5)? N=1 at the end against N=1 at the beginning. */
import { createSeededRandom } from '../../sweep/seeded-random.ts'
import { DRAWS, type Interval, intervalOf } from '../statistics/block-bootstrap.ts'
import { median } from '../statistics/percentiles.ts'
import { type LevelFacts, wallMsOf } from './level-facts.ts'
import { isCompleted } from './measured-levels.ts'

export const DRIFT_WARNING_RATIO = 0.05
export const DRIFT_TOO_LARGE_RATIO = 0.15
/** With fewer turns on either side a difference may be chance: it is shown, and no more is made of it. */
const FEWEST_TURNS = 3
/** More turns than this don't make the medians better known. */
const MOST_TURNS = 50

export type Drift = Interval & {
  /** Beyond 15 %, and beyond what chance explains. */
  readonly isTooLarge: boolean
}

/** @returns null without a closing cell */
export function driftOf(lowest: LevelFacts | undefined, seed: number): Drift | null {
  const turns = (lowest?.turns ?? []).map((turn) => turn.row).filter(isCompleted)
  const cells = new Map(lowest?.level.cells.map((cell) => [cell.cell.index, cell.cell]))
  const closing = turns.filter((row) => cells.get(row.cell)?.role === 'closing').map(wallMsOf)
  const measured = turns.filter((row) => cells.get(row.cell)?.role === 'measure')
  const firstCell = measured.reduce((least, row) => Math.min(least, row.cell), Number.POSITIVE_INFINITY)
  const first = measured.filter((row) => row.cell === firstCell).map(wallMsOf)
  const value = changeOf(median(first), median(closing))
  if (value === null) return null
  const random = createSeededRandom(`drift/${seed}`)
  const draw = (walls: readonly number[]) =>
    median(Array.from({ length: Math.min(walls.length, MOST_TURNS) }, () => walls[random.int(walls.length)] ?? 0))
  const draws = Array.from({ length: DRAWS }, () => changeOf(draw(first), draw(closing)) ?? value)
  const change = intervalOf(value, draws)
  const isEnough = first.length >= FEWEST_TURNS && closing.length >= FEWEST_TURNS
  return { ...change, isTooLarge: isEnough && (change.low > DRIFT_TOO_LARGE_RATIO || change.high < -DRIFT_TOO_LARGE_RATIO) }
}

function changeOf(before: number | null, after: number | null): number | null {
  return before === null || after === null || before <= 0 ? null : after / before - 1
}

/** How evenly the sessions of a wave were served: slowest over fastest, Jain's index, and who starved. */
import type { TurnRow } from '../../sweep/turn-row.ts'
import type { LevelSummary } from '../analysis.ts'
import { mean, median } from '../statistics/percentiles.ts'
import { wallMsOf } from './level-facts.ts'
import { isCompleted, isCounted, type MeasuredLevel } from './measured-levels.ts'

/** A session that takes more medians of its level than this counts as starved (our threshold: no queue of equals in a burst below 20 per slot does that). */
const STARVED_MEDIANS = 10

/** @returns null at N=1, or when no wave has two sessions that came through */
export function fairnessOf(level: MeasuredLevel): LevelSummary['fairness'] {
  if (level.n < 2) return null
  const ratios: number[] = []
  const indices: number[] = []
  const walls: number[] = []
  for (const { rows } of level.waves) {
    const means = sessionWalls(rows, walls)
    if (means.length < 2) continue
    const [slowest, fastest] = [means.reduce((most, wall) => Math.max(most, wall)), means.reduce((least, wall) => Math.min(least, wall))]
    if (!(fastest > 0)) continue
    ratios.push(slowest / fastest)
    indices.push(jainIndex(means))
  }
  const [slowestOverFastest, jain, typicalMs] = [median(ratios), median(indices), median(walls)]
  if (slowestOverFastest === null || jain === null || typicalMs === null) return null
  return { slowestOverFastest, jainIndex: jain, starved: starvedAt(level, typicalMs) }
}

/** Wall of each session of the wave that came through, its mean where it has several turns (sustained load); every wall is added to `walls`. */
function sessionWalls(rows: readonly TurnRow[], walls: number[]): number[] {
  const before = walls.length
  for (const row of rows) if (isCompleted(row)) walls.push(wallMsOf(row))
  if (!rows.some((row) => (row.turn ?? 0) > 0)) return walls.slice(before)
  const sessions = new Map<number, number[]>()
  for (const row of rows) if (isCompleted(row)) sessions.set(row.session, [...(sessions.get(row.session) ?? []), wallMsOf(row)])
  return [...sessions.values()].flatMap((ofSession) => mean(ofSession) ?? [])
}

/** (sum of x)² / (n · sum of x²): 1 when all are alike, 1/n when one has everything (Jain, Chiu and Hawe 1984). */
export function jainIndex(values: readonly number[]): number {
  let [sum, squares] = [0, 0]
  for (const value of values) {
    sum += value
    squares += value * value
  }
  return squares > 0 ? (sum * sum) / (values.length * squares) : 1
}

/** Who waited as long as others took and never got a first token, starved too; who was refused at once did not. */
function starvedAt(level: MeasuredLevel, typicalMs: number): number {
  let starved = 0
  for (const { rows } of level.waves) {
    for (const row of rows) {
      if (!isCounted(row)) continue
      const wallMs = wallMsOf(row)
      if (wallMs > STARVED_MEDIANS * typicalMs || (row.firstActivityAtMs === null && !isCompleted(row) && wallMs >= typicalMs)) starved += 1
    }
  }
  return starved
}

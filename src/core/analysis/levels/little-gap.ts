/** Little's law (M9): turns in flight counted twice, in ways that share nothing, must agree. */
import type { LevelFacts } from './level-facts.ts'
import type { LevelHardware } from './level-samples.ts'
import type { MeasuredWave } from './measured-levels.ts'

/** With fewer samples than this the mean of the runner's gauge says too little about the turns in flight. */
const LITTLE_SAMPLES = 40

/**
 * @returns in bursts and open load: throughput times mean response, by the rows, over the runner's own gauge, less 1. In sustained load: turns in flight by
 * the rows while sessions still started turns, over N, less 1 (N = X·(R+Z), Z = 0). Null where it can't be told
 */
export function littleGap({ level, turns, waves }: LevelFacts, hardware: LevelHardware): number | null {
  const sustained = level.waves.filter(({ cell }) => cell.cell.load?.kind === 'sustained')
  if (sustained.length > 0) return sustainedGap(sustained, level.n)
  const gauge = hardware.inFlightMean
  const busyMs = waves.reduce((sum, wave) => sum + wave.busyMs, 0)
  if (level.leg === 'direct' || gauge === null || gauge <= 0 || hardware.samples < LITTLE_SAMPLES || busyMs <= 0) return null
  const heldMs = turns.reduce((sum, { row }) => sum + row.endAtMs - row.submitAtMs, 0)
  return (heldMs / busyMs - gauge) / gauge
}

/** From the first submit to the last: what is in flight after that is the drain. Null when no session had a second turn. */
function sustainedGap(waves: readonly MeasuredWave[], n: number): number | null {
  let [heldMs, spanMs] = [0, 0]
  for (const { rows, slice } of waves) {
    if (slice !== undefined) {
      const { span, around } = slice
      spanMs += span.toMs - span.fromMs
      for (const row of around) heldMs += Math.max(0, Math.min(span.toMs, row.endAtMs) - Math.max(span.fromMs, row.submitAtMs))
      continue
    }
    if (!rows.some((row) => (row.turn ?? 0) > 0)) continue
    const fromMs = rows.reduce((least, row) => Math.min(least, row.submitAtMs), Number.POSITIVE_INFINITY)
    const toMs = rows.reduce((most, row) => Math.max(most, row.submitAtMs), Number.NEGATIVE_INFINITY)
    spanMs += toMs - fromMs
    for (const row of rows) heldMs += Math.max(0, Math.min(toMs, row.endAtMs) - row.submitAtMs)
  }
  return spanMs > 0 ? heldMs / spanMs / n - 1 : null
}

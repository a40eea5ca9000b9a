/** The staircase of a queue: each answer starts one service time after the one that stood `slots` places before it. */
import type { LevelFacts } from '../levels/level-facts.ts'
import { median } from '../statistics/percentiles.ts'

type Place = { readonly waitMs: number; readonly serviceMs: number }

/**
 * About 1 in a real queue, in median service times:
 * in a burst the median step between the waits of calls that stand `slots` places apart;
 * in sustained load, where every end brings the next request, the median wait over the (n - slots) / slots service times that n sessions have to wait.
 * @returns null with fewer than three waits
 */
export function queueSteps({ level, turns }: LevelFacts, slots: number): number | null {
  const byWave = new Map<string, Place[]>()
  for (const { row, calls } of turns) {
    const first = calls[0]
    const call = row.timeline?.calls[0]
    if (first === undefined || call === undefined || call.outcome !== 'completed') continue
    const key = `${row.cell}/${row.wave}`
    const place = { waitMs: first.queueMs, serviceMs: call.endAtMs - first.slotAtMs }
    const wave = byWave.get(key)
    if (wave === undefined) byWave.set(key, [place])
    else wave.push(place)
  }
  const steps = [...byWave.values()].flatMap((wave) => stepsOf(wave, slots, level.n))
  return steps.length < 3 ? null : median(steps)
}

function stepsOf(wave: readonly Place[], slots: number, n: number): number[] {
  const serviceMs = median(wave.map((place) => place.serviceMs)) ?? 0
  if (serviceMs <= 0 || n <= slots) return []
  if (wave.length > n) return wave.map((place) => place.waitMs / serviceMs / ((n - slots) / slots))
  const waits = wave.map((place) => place.waitMs).sort((a, b) => a - b)
  return waits.slice(slots).map((wait, index) => (wait - (waits[index] ?? 0)) / serviceMs)
}

/** Answers that don't stop: one call that runs ten times as long as the others do, while those behind it wait (field reports R11). */
import type { ModelCall } from '../../session/timeline.ts'
import type { LevelFacts } from '../levels/level-facts.ts'
import { median } from '../statistics/percentiles.ts'

/** Times the median length of an answer from which a call runs away (R11). */
const RUNAWAY_TIMES = 10

export type Runaways = {
  readonly calls: ReadonlySet<ModelCall>
  readonly medianMs: number
  readonly longestMs: number
}

const servedMs = (call: ModelCall) => (call.firstDeltaAtMs === null ? 0 : call.endAtMs - call.firstDeltaAtMs)

/** @param levels of one leg */
export function findRunaways(levels: readonly LevelFacts[]): Runaways {
  const answers: ModelCall[] = []
  for (const { turns } of levels)
    for (const { row } of turns)
      for (const call of row.timeline?.calls ?? []) if (call.purpose === 'answer' && call.firstDeltaAtMs !== null) answers.push(call)
  const lengths = answers.map(servedMs)
  const medianMs = median(lengths) ?? 0
  const medianTokens = median(answers.map((call) => call.outputTokens ?? 0)) ?? 0
  // Both in time and in tokens: an answer that only takes long has slowed down, which is another matter.
  const calls = new Set(
    medianMs > 0
      ? answers.filter((call) => servedMs(call) > RUNAWAY_TIMES * medianMs && (call.outputTokens ?? 0) > RUNAWAY_TIMES * medianTokens)
      : [],
  )
  let longestMs = 0
  for (const call of calls) longestMs = Math.max(longestMs, servedMs(call))
  return { calls, medianMs, longestMs }
}

/** The level without the waves that held a runaway: an answer of another length says nothing of how a level compares with another. Unchanged when none would be left. */
export function withoutRunaways(facts: LevelFacts, { calls }: Runaways): LevelFacts {
  if (calls.size === 0) return facts
  const spoilt = new Set<string>()
  for (const { row } of facts.turns) if (row.timeline?.calls.some((call) => calls.has(call)) === true) spoilt.add(`${row.cell}/${row.wave}`)
  const isSound = (wave: { cell: { cell: { index: number } }; wave: number }) => !spoilt.has(`${wave.cell.cell.index}/${wave.wave}`)
  const kept = facts.level.waves.flatMap((wave, at) => (isSound(wave) ? [at] : []))
  if (spoilt.size === 0 || kept.length === 0) return facts
  const turns = facts.turns.filter(({ row }) => !spoilt.has(`${row.cell}/${row.wave}`))
  const waves = kept.flatMap((at) => facts.waves[at] ?? [])
  return { ...facts, level: { ...facts.level, waves: facts.level.waves.filter(isSound) }, turns, waves }
}

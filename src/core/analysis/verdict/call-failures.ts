/** Why turns failed, by level: refusals of a provider or of a limit before the server, a full queue, memory, our own deadline. By status and words, nothing else. */
import type { TurnRow } from '../../sweep/turn-row.ts'
import { isCounted } from '../levels/measured-levels.ts'
import type { MeasuredFacts } from './case-file.ts'

export const FAILURE_KINDS = ['rate-limit', 'usage-limit', 'overloaded', 'too-many', 'busy', 'memory', 'deadline', 'other'] as const
export type FailureKind = (typeof FAILURE_KINDS)[number]

export type LevelFailures = {
  readonly n: number
  readonly sessions: number
  readonly counts: Readonly<Record<FailureKind, number>>
  /** Of those that ran into our deadline: how many had waited for the first token of their last call for most of its time. */
  readonly waitedToDeadline: number
}

/** A provider's own words: its load, not our rate. Claude's says so with "not your usage limit". */
const OVERLOAD = /overloaded|temporarily limiting|at capacity/i
const USAGE = /quota|billing|credit|usage limit|session limit|weekly limit|resets? (at )?\d/i
const RATE = /rate.?limit|per minute|retry.?after|asks to wait/i
const MEMORY =
  /context size (has been )?exceeded|out of memory|\bOOM\b|insufficient memory|(failed|unable|cannot) to? ?allocate|requires more (system )?memory|(no space|no room|failed to find a slot).*(kv|cache)|kv cache (is )?full/i

export function failureKind(row: TurnRow): FailureKind | null {
  if (row.outcome !== 'failed') return null
  const call = row.timeline?.calls.findLast(({ outcome }) => outcome === 'failed')
  const status = call?.httpStatus ?? null
  const text = `${call?.problem?.happened ?? ''} ${row.problem?.happened ?? ''}`
  if (MEMORY.test(text)) return 'memory'
  if (status === 529 || (status !== 503 && OVERLOAD.test(text))) return 'overloaded'
  if (status === 429) return USAGE.test(text) ? 'usage-limit' : RATE.test(text) ? 'rate-limit' : 'too-many'
  if (status === 503) return 'busy'
  return row.problem?.code === 'turn-deadline' ? 'deadline' : 'other'
}

export function levelFailures({ facts, summary }: MeasuredFacts): LevelFailures {
  const counts: Record<FailureKind, number> = {
    ...{ 'rate-limit': 0, 'usage-limit': 0, overloaded: 0, 'too-many': 0 },
    ...{ busy: 0, memory: 0, deadline: 0, other: 0 },
  }
  let waitedToDeadline = 0
  for (const { row } of facts.turns) {
    if (!isCounted(row)) continue
    const kind = failureKind(row)
    if (kind === null) continue
    counts[kind] += 1
    if (kind === 'deadline' && hasWaited(row)) waitedToDeadline += 1
  }
  return { n: summary.n, sessions: summary.sessions, counts, waitedToDeadline }
}

function hasWaited({ timeline }: TurnRow): boolean {
  const last = timeline?.calls.at(-1)
  if (last === undefined) return false
  return ((last.firstDeltaAtMs ?? last.endAtMs) - last.sentAtMs) * 2 > last.endAtMs - last.sentAtMs
}

/** Share of the sessions of a level from which failures of one kind are a finding; single ones happen. */
export const FAILURE_RATIO = 0.1

/** The first level at which this kind is a finding, and the highest below it; null when none is. */
export function firstWith(levels: readonly LevelFailures[], kinds: readonly FailureKind[]) {
  const countOf = (level: LevelFailures) => kinds.reduce((sum, kind) => sum + level.counts[kind], 0)
  const at = levels.findIndex((level) => countOf(level) > 0 && countOf(level) >= FAILURE_RATIO * level.sessions)
  const level = levels[at]
  if (level === undefined) return null
  return { level, count: countOf(level), below: levels[at - 1] ?? null, isFirst: at === 0 }
}

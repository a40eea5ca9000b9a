/** What a session of a workload is: its kind, its turns, the length of its prompts and answers. Follows from the plan and the session's place alone. */
import type { Cell, SweepPlan, Workload, WorkloadKind } from './plan.ts'
import { createSeededRandom } from './seeded-random.ts'

export type SessionPlay = {
  readonly kind: Exclude<WorkloadKind, 'mixed'>
  /** One after the other, in one conversation; each is a turn of the level. */
  readonly turns: number
  readonly promptTokens: number
  readonly outputTokens: number
  /** The session may read files with the runner's tools. */
  readonly tools: boolean
}

/** A prompt as retrieval makes them, answered in a sentence or two. */
const LONG_CONTEXT = { promptTokens: 1_500, outputTokens: 32 }
/** A question, then one that builds on its answer. */
const AGENT = { promptTokens: 40, outputTokens: 96 }
const AGENT_TURNS = 2
/** Longer recordings are cut: a session that goes on for ever is in nobody's burst. */
export const MOST_REPLAY_TURNS = 32
/** Of each ten sessions, shuffled by the seed: chat is what most people do. */
const MIXTURE: readonly SessionPlay['kind'][] = [
  ...(['short-chat', 'short-chat', 'short-chat', 'short-chat', 'short-chat'] as const),
  ...(['long-context', 'long-context', 'long-context', 'agent', 'agent'] as const),
]

/** What a kind says of the workload where the request says nothing. */
export function workloadDefaults(kind: WorkloadKind | undefined): Partial<Workload> {
  if (kind === 'long-context') return LONG_CONTEXT
  return kind === 'agent' ? AGENT : {}
}

export function playOf({ workload, seed }: Pick<SweepPlan, 'workload' | 'seed'>, cell: Cell, wave: number, session: number): SessionPlay {
  const { promptTokens, outputTokens } = workload
  const own = { promptTokens: cell.arm?.promptTokens ?? promptTokens, outputTokens }
  switch (workload.kind) {
    case 'mixed': {
      const place = wave * cell.n + session
      const block = createSeededRandom(`mixture/${seed}/${Math.floor(place / MIXTURE.length)}`).shuffle(MIXTURE)
      const kind = block[place % MIXTURE.length] ?? 'short-chat'
      if (kind === 'long-context') return { kind, turns: 1, ...LONG_CONTEXT, tools: false }
      // One turn: sessions of a mixture are to be alike in all but their kind.
      return kind === 'agent' ? { kind, turns: 1, ...AGENT, tools: true } : { kind, turns: 1, ...own, tools: false }
    }
    case 'agent':
      return { kind: 'agent', turns: AGENT_TURNS, ...own, tools: true }
    case 'replay':
      return { kind: 'replay', turns: Math.min(MOST_REPLAY_TURNS, Math.max(1, workload.prompts?.length ?? 1)), ...own, tools: false }
    default:
      return { kind: workload.kind ?? 'short-chat', turns: 1, ...own, tools: false }
  }
}

/** Turns that the longest session of the workload has. */
export function mostTurnsOf({ kind, prompts }: Workload): number {
  if (kind === 'agent') return AGENT_TURNS
  return kind === 'replay' ? Math.min(MOST_REPLAY_TURNS, Math.max(1, prompts?.length ?? 1)) : 1
}

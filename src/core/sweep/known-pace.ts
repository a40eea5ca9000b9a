/** What is known of a target's pace before it is measured: of our simulated server all, of others what earlier sweeps have shown, else a cautious guess. */
import { z } from 'zod'
import type { SweepPlan } from './plan.ts'
import type { ThoughtServer } from './simulate-sweep.ts'

export type Pace = {
  /** Wall of one session alone. */
  readonly sessionMs: number
  /** How many sessions the server carries at once without slowing them. */
  readonly slots: number
  /** From slot to first token; absent = a tenth of the answer. */
  readonly prefillMs?: number
}

/** Of the background note (load-driver/play-cell.ts caps it). */
const NOTE_TOKENS = 16
/** A session of the null leg, its share of a wave, on two cores. */
const NULL_SESSION_MS = 1.5
/** Sending, receiving and the runner, a model call. */
const CALL_OVERHEAD_MS = 4
const PREFILL_SHARE = 0.1

export function thoughtServer(plan: SweepPlan, pace: Pace | undefined): ThoughtServer {
  const { target } = plan.request
  if (pace === undefined && target.kind === 'built-in' && target.engine === 'simulated') return simulatedServer(plan, target)
  return pacedServer(plan, pace ?? guessedPace(plan))
}

function sharedOf({ workload }: SweepPlan) {
  const { promptTokens, outputTokens, memoryNote } = workload
  return { promptTokens, answerTokens: outputTokens, noteTokens: memoryNote ? NOTE_TOKENS : 0, nullSessionMs: NULL_SESSION_MS }
}

function pacedServer(plan: SweepPlan, { sessionMs, slots, prefillMs }: Pace): ThoughtServer {
  const shared = sharedOf(plan)
  const calls = shared.noteTokens > 0 ? 2 : 1
  const startMs = Math.min(prefillMs ?? (PREFILL_SHARE * sessionMs) / calls, sessionMs / calls)
  const perTokenMs = (sessionMs - calls * startMs) / (shared.answerTokens + shared.noteTokens)
  // A share of a slot is a server that slows down a little: as many whole ones, each that much quicker.
  const whole = Math.max(1, Math.round(slots))
  const scale = whole / Math.max(slots, 1e-9)
  const slowed = (busy: number) => (busy < whole ? 1 : scale)
  return {
    ...shared,
    slots: whole,
    prefillMs: (busy, tokens) => (startMs * slowed(busy) * (1 + tokens / shared.promptTokens)) / 2,
    decodeMs: (busy, tokens) => perTokenMs * tokens * slowed(busy),
  }
}

const settingsSchema = z.object({
  prefillMs: z.number().optional().catch(undefined),
  prefillTokensPerSec: z.number().positive().catch(2_000),
  decodeMs: z.number().positive().catch(10),
  decodeShape: z.enum(['flat', 'proportional', 'table']).catch('flat'),
  decodeTableMs: z.array(z.number().positive()).min(1).catch([10]),
  answerTokens: z.number().catch(64),
})

/** By its knobs (model-host/simulated/simulation-settings.ts); those that make it falter are left out of account. */
function simulatedServer(plan: SweepPlan, target: { readonly slots: number; readonly settings: Readonly<Record<string, unknown>> }): ThoughtServer {
  const settings = settingsSchema.parse(target.settings)
  const shared = sharedOf(plan)
  const tokenMs = (busy: number) => {
    if (settings.decodeShape === 'proportional') return settings.decodeMs * busy
    if (settings.decodeShape === 'table') return settings.decodeTableMs[Math.min(busy, settings.decodeTableMs.length) - 1] ?? settings.decodeMs
    return settings.decodeMs
  }
  const answerTokens = Math.min(shared.answerTokens, settings.answerTokens)
  return {
    ...shared,
    answerTokens,
    slots: target.slots,
    prefillMs: (_, tokens) => (settings.prefillMs ?? (1_000 * tokens) / settings.prefillTokensPerSec) + CALL_OVERHEAD_MS,
    decodeMs: (busy, tokens) => tokenMs(busy) * Math.max(0, tokens - 1),
  }
}

function guessedPace({ request: { target } }: SweepPlan): Pace {
  if (target.kind === 'server') return { sessionMs: 3_000, slots: 1 }
  return target.engine === 'llama' ? { sessionMs: 150, slots: 1 } : { sessionMs: NULL_SESSION_MS, slots: Math.max(1, target.slots) }
}

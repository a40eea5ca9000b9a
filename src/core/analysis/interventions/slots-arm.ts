/** The slot count changed on a server of ours: if the wait is for slots, it falls as the staircase predicts; if the engine is full, nothing moves. */
import type { VerdictCode } from '../analysis.ts'
import type { CaseFile, MeasuredFacts } from '../verdict/case-file.ts'
import type { Finding } from '../verdict/finding.ts'
import { count, duration, percent } from '../verdict/phrases.ts'
import type { ArmFacts } from './arm-facts.ts'
import type { InterventionOutcome } from './outcome.ts'

/** Of the gain that was predicted: this much and the prediction held, less than that and it did not; between, it says neither. */
const HELD_RATIO = 0.5
const FAILED_RATIO = 0.25
/** A turn that changes by less than this did not move. */
const STILL_RATIO = 0.2

export function slotsArm(file: CaseFile, finding: Finding, arm: ArmFacts): InterventionOutcome | null {
  const slots = arm.arm.slots
  const level = file.levels.find(({ summary }) => summary.n === arm.n)
  if (slots === null || level === undefined) return null
  const before = file.slots.plateau ? file.slots.n : null
  const wallMs = wallOf(level)
  const seen = `With ${count(slots, 'slot')} instead of ${before ?? 'those before'}, at ${arm.n} sessions, ${count(arm.streaming.lasting, 'answer')} streamed at once and a turn took ${duration(arm.wallMs)} instead of ${duration(wallMs)}`
  const queue = [finding.primary, finding.secondary].includes('model_server_queue')
  if (!queue || before === null) return { kind: 'slots', isProof: false, ...unmoved(finding.primary, seen, arm.wallMs / wallMs) }
  if (slots > before && arm.streaming.lasting <= before) {
    return { kind: 'slots', isProof: false, agrees: null, text: `${seen}: the new number had no effect, so something else holds it at ${before}.` }
  }
  const left = waits(arm.n, slots) / Math.max(1, waits(arm.n, before))
  const predictedMs = level.summary.partsMs.queue * (1 - left)
  const gained = predictedMs > 0 ? (wallMs - arm.wallMs) / predictedMs : 0
  const text = `${seen}; ${duration(wallMs - predictedMs)} was predicted if slots are all that is waited for.`
  if (gained >= HELD_RATIO) return { kind: 'slots', isProof: finding.primary === 'model_server_queue', agrees: true, text }
  if (gained > FAILED_RATIO) return { kind: 'slots', isProof: false, agrees: null, text: `${text} Part of the gain came: the engine takes the rest.` }
  return {
    kind: 'slots',
    isProof: finding.primary === 'model_server_queue',
    agrees: finding.primary === 'model_server_queue' ? false : null,
    text: `${text} More slots move nothing: each answer slows down by as much as more of them run.`,
    limit: {
      secondary: 'model_server_engine',
      sentence: `The queue is where the waiting happens, but the engine is the limit: with ${count(slots, 'slot')} instead of ${before} a turn took ${duration(arm.wallMs)} instead of ${duration(wallMs)} at ${arm.n} sessions (${percent(Math.max(0, gained))} of what slots alone would have gained).`,
      wouldMove: 'A faster engine, shorter answers, or fewer sessions at once.',
      wouldNotMove: `More slots: ${slots} instead of ${before} moved nothing. A higher limit in the runner.`,
    },
  }
}

/** Mean rounds that n sessions at once wait on so many slots, times n. */
function waits(n: number, slots: number): number {
  let sum = 0
  for (let place = 0; place < n; place += 1) sum += Math.floor(place / slots)
  return sum
}

/** A verdict that is not about slots predicts that they change nothing. */
function unmoved(primary: VerdictCode, seen: string, ratio: number): Pick<InterventionOutcome, 'agrees' | 'text'> {
  const isAbout = primary === 'model_server_engine' || primary === 'hardware' || primary === 'runner_process'
  if (!isAbout) return { agrees: null, text: `${seen}.` }
  if (ratio < 1 - STILL_RATIO) return { agrees: false, text: `${seen}: more slots were not expected to help, and did.` }
  return { agrees: true, text: `${seen}: as predicted, slots change little.` }
}

export const wallOf = ({ summary }: MeasuredFacts): number => Object.values(summary.partsMs).reduce((sum, ms) => sum + ms, 0)

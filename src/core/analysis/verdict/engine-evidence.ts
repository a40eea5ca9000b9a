/** How an engine gives way, and the evidence that engine and hardware share: pace of one answer, prompts, total rate, answers at once. */
import type { Evidence } from '../analysis.ts'
import { isBurstStep } from '../curves/rate-points.ts'
import type { CaseFile, MeasuredFacts } from './case-file.ts'
import { leavesOpen, supports } from './finding.ts'
import { count, percent, rate } from './phrases.ts'
import { paceLine } from './shared-evidence.ts'

/** One answer must have lost this much of its pace, or the prompt must take this much longer, to speak of an engine that gives way. */
export const SLOWER_RATIO = 0.75
/** Prompts, to count as the cause, must hold this share of the added time. */
const PROMPT_SHARE = 0.25
/** Above this share of the growth, one of prefill, neighbours' prefill and decode is what the engine is bound by. */
const BOUND_SHARE = 0.5

export type Slowdown = { readonly isSlower: boolean; readonly mechanism: string; readonly text: string }

export function slowdown(base: MeasuredFacts, top: MeasuredFacts): Slowdown {
  const [before, after] = [base.summary.decodeTokensPerSec, top.summary.decodeTokensPerSec]
  const prefill = (level: MeasuredFacts) => level.summary.partsMs.prefill + level.summary.partsMs.neighbourPrefill
  const addedMs = wallMs(top) - wallMs(base)
  const isPrefill = prefill(top) > prefill(base) / SLOWER_RATIO && prefill(top) - prefill(base) > PROMPT_SHARE * addedMs
  const isDecode = before !== null && after !== null && after < SLOWER_RATIO * before
  const prefillText = `Prompts took ${prefill(base).toFixed(0)} ms at ${base.summary.n} and ${prefill(top).toFixed(0)} ms at ${top.summary.n} sessions, neighbours' included.`
  return {
    isSlower: isDecode || isPrefill,
    mechanism: boundBy(base, top, isPrefill, isDecode),
    text: isDecode || !isPrefill ? paceLine(base, top) : prefillText,
  }
}

function boundBy(base: MeasuredFacts, top: MeasuredFacts, isPrefill: boolean, isDecode: boolean): string {
  const grown = (part: 'prefill' | 'neighbourPrefill' | 'decode') => Math.max(0, top.summary.partsMs[part] - base.summary.partsMs[part])
  const prompts = grown('prefill') + grown('neighbourPrefill')
  const all = prompts + grown('decode')
  if (all <= 0) return 'prefill and decode share the engine'
  if (isPrefill && grown('neighbourPrefill') > BOUND_SHARE * all) return 'prefill by neighbours: prompts are read in turn'
  if (isPrefill && prompts > BOUND_SHARE * all) return 'prefill-bound: prompts share the engine'
  return isDecode ? 'decode-bound: answers share the engine' : 'prefill and decode share the engine'
}

const wallMs = (level: MeasuredFacts) => Object.values(level.summary.partsMs).reduce((sum, ms) => sum + ms, 0)

export function overlapLine(top: MeasuredFacts): string {
  const { streaming, asked } = top.facts.overlap
  return `At ${top.summary.n} sessions ${count(streaming.lasting, 'answer')} streamed at once while the server held ${count(asked.lasting, 'request')}.`
}

export function readingLine({ summary }: MeasuredFacts): string {
  return `At ${summary.n} sessions prompts were read one after the other, without a pause, while earlier answers streamed on: they wait for each other, not for a slot.`
}

export function totalRateEvidence(base: MeasuredFacts, top: MeasuredFacts): Evidence[] {
  const [before, after] = [base.summary.tokensPerSec, top.summary.tokensPerSec]
  if (before === null || after === null || before <= 0) return []
  const text = `The total went from ${rate(before)} to ${rate(after)} tokens/s, from ${base.summary.n} to ${top.summary.n} sessions.`
  return [after / before < (0.7 * top.summary.n) / base.summary.n ? supports(text) : leavesOpen(text)]
}

export type EngineCliff = { readonly fromN: number; readonly toN: number; readonly text: string; readonly evidence: Evidence }

/**
 * A total that falls by a fifth and more from one level to the next, because each answer slows down by more than there are more of them: the engine takes
 * another path there. Falls that rounds of a burst, failures or the runner make of the total are none.
 */
export function engineCliff(file: CaseFile): EngineCliff | null {
  const { cliff, levels, slots } = file
  if (cliff === null || (slots.n !== null && slots.plateau && isBurstStep(cliff, slots.n))) return null
  const [from, to] = [cliff.fromN, cliff.toN].map((n) => levels.find(({ summary }) => summary.n === n))
  if (from === undefined || to === undefined || to.summary.failures > 0) return null
  const served = (level: MeasuredFacts) => (level.summary.decodeTokensPerSec ?? 0) * Math.max(1, level.facts.overlap.streaming.lasting)
  if (!(served(from) > 0) || served(to) > (1 - cliff.fallRatio / 2) * served(from)) return null
  const recovery = cliff.recovers ? ' Beyond that it recovers, so it is no gradual saturation.' : ''
  const text = `from ${cliff.fromN} to ${cliff.toN} sessions the total falls by ${percent(cliff.fallRatio)}, while one answer goes from ${rate(from.summary.decodeTokensPerSec ?? 0)} to ${rate(to.summary.decodeTokensPerSec ?? 0)} tokens/s`
  return { ...cliff, text, evidence: supports(`${text.charAt(0).toUpperCase()}${text.slice(1)}.${recovery}`) }
}

/** Prompts that came out of a cache: reading them took far less than it takes the same server to read a new one, so time to first token flatters (R24, M3). */
import type { ModelCall } from '../../../session/timeline.ts'
import { median } from '../../statistics/percentiles.ts'
import type { CaseFile, MeasuredFacts } from '../case-file.ts'
import { count, duration, percent } from '../phrases.ts'
import type { Doubt } from './doubt.ts'

/** Told by the server: this share of the prompts' tokens came from its cache. A common beginning (system prompt, tools) of half a prompt is usual. */
const CACHED_RATIO = 0.6
/** Read in less than this share of the time that new prompts took … */
const QUICK_RATIO = 0.5
/** … and sooner by at least this: less is noise of a busy machine. */
const QUICK_MS = 20
/** Decode of the same calls must have kept its pace: an engine that has warmed up, or a machine that has, reads quicker as well. */
const SAME_PACE = { least: 0.67, most: 1.5 }
/** Fewer calls of either kind are chance; more than this don't make a median better known. */
const FEWEST_CALLS = 2
const ENOUGH_CALLS = 1_000

export function cachedPrompts(file: CaseFile): Doubt | null {
  const { base, levels } = file
  if (base === null) return null
  return toldCached(levels) ?? twoKinds(base) ?? fallsWithN(base, levels) ?? tooQuick(file, base)
}

const SENTENCE = 'so time to first token says how fast the cache is, not the server'
const SETTLE = "Sweep with prompts that all begin differently, and with the server's prompt cache off or restarted before."

function doubt(sentence: string, evidence: readonly string[]): Doubt {
  return { mechanism: 'prefix cache answers', sentence, toSettle: SETTLE, evidence }
}

function toldCached(levels: readonly MeasuredFacts[]): Doubt | null {
  let [cached, all, calls] = [0, 0, 0]
  for (const call of firstCalls(levels)) {
    if (call.cachedPromptTokens === undefined || call.cachedPromptTokens === null || call.promptTokens === null) continue
    cached += Math.min(call.cachedPromptTokens, call.promptTokens)
    all += call.promptTokens
    calls += 1
  }
  if (all === 0 || cached < CACHED_RATIO * all) return null
  const share = percent(cached / all)
  return doubt(`The server answered from its prompt cache: ${share} of the prompts' tokens were not read anew, ${SENTENCE}.`, [
    `It says so itself for ${count(calls, 'request')}: ${cached} of ${all} prompt tokens came from the cache.`,
  ])
}

/** Within the lowest level: some prompts read in a fraction of the time of others, with nothing between. */
function twoKinds(base: MeasuredFacts): Doubt | null {
  const read = readings(base).sort((a, b) => a.perTokenMs - b.perTokenMs)
  const gap = read
    .map(({ perTokenMs }, at) => ({ at, ratio: at === 0 ? 1 : (read[at - 1]?.perTokenMs ?? 0) / perTokenMs }))
    .reduce((widest, one) => (one.ratio < widest.ratio ? one : widest), { at: 0, ratio: 1 })
  const [quick, slow] = [read.slice(0, gap.at), read.slice(gap.at)]
  if (quick.length < FEWEST_CALLS || slow.length < FEWEST_CALLS) return null
  return compared(slow, quick, `at ${count(base.summary.n, 'session')}`)
}

/** More sessions never read a prompt sooner than one alone does. */
function fallsWithN(base: MeasuredFacts, levels: readonly MeasuredFacts[]): Doubt | null {
  const above = levels.filter((level) => level !== base)
  if (above.length === 0) return null
  return compared(readings(base), above.flatMap(readings), `above ${count(base.summary.n, 'session')}`)
}

/**
 * Reading a prompt is bound by arithmetic, decode of one answer by memory: per token the first can be faster by no more than what a machine computes per
 * byte that it loads, about 295 for an H100 (990 TFLOPS in 16 bits, 3.35 TB/s), 165 for an RTX 4090, less with quantised weights.
 */
const MOST_TIMES_DECODE = 300
/** The very first prompt took at least so many times as long. Alone that says nothing: a first prompt also waits for the engine to warm up. */
const FIRST_TIMES = 4

/** Every prompt but the first, read faster than an engine that decodes at this pace can compute. */
function tooQuick({ state }: CaseFile, base: MeasuredFacts): Doubt | null {
  const warmUps = new Set(state.cells.filter(({ cell }) => cell.role === 'warm-up').map(({ cell }) => cell.index))
  const [first] = state.rows.filter((row) => warmUps.has(row.cell)).flatMap((row) => readingOf(row.timeline?.calls[0]) ?? [])
  const all = readings(base)
  const middle = (figure: (reading: Reading) => number | null) => median(all.flatMap((one) => figure(one) ?? []))
  const [readMs, tokenMs, wholeMs] = [middle((one) => one.perTokenMs), middle((one) => one.tokenMs), middle((one) => one.ms)]
  if (first === undefined || all.length < FEWEST_CALLS || readMs === null || tokenMs === null || wholeMs === null) return null
  if (first.perTokenMs < FIRST_TIMES * readMs || first.ms - wholeMs < QUICK_MS || tokenMs <= MOST_TIMES_DECODE * readMs) return null
  return doubt(
    `The prompts were answered out of a cache: reading one took ${duration(wholeMs)}, ${Math.round(tokenMs / readMs)} times as fast a token as decode, which no machine computes; the first of all took ${duration(first.ms)}, ${SENTENCE}.`,
    [`The first prompt took ${duration(first.ms)}, ${count(all.length, 'later one')} with ${count(base.summary.n, 'session')} ${duration(wholeMs)}.`],
  )
}

type Reading = { readonly perTokenMs: number; readonly ms: number; readonly tokenMs: number | null }

function compared(slow: readonly Reading[], quick: readonly Reading[], where: string): Doubt | null {
  if (slow.length < FEWEST_CALLS || quick.length < FEWEST_CALLS) return null
  const middle = (readings: readonly Reading[], figure: (reading: Reading) => number | null) => median(readings.flatMap((one) => figure(one) ?? []))
  const [slowMs, quickMs] = [middle(slow, (one) => one.ms) ?? 0, middle(quick, (one) => one.ms) ?? 0]
  const isQuick = (middle(quick, (one) => one.perTokenMs) ?? 0) < QUICK_RATIO * (middle(slow, (one) => one.perTokenMs) ?? 0)
  const [before, after] = [middle(slow, (one) => one.tokenMs), middle(quick, (one) => one.tokenMs)]
  const pace = before === null || after === null || before <= 0 ? null : after / before
  if (!isQuick || slowMs - quickMs < QUICK_MS || pace === null || pace < SAME_PACE.least || pace > SAME_PACE.most) return null
  return doubt(
    `Some prompts were answered out of a cache: ${where} reading one took ${duration(quickMs)}, a new one takes ${duration(slowMs)}, ${SENTENCE}.`,
    [
      `Reading a prompt took ${duration(slowMs)} for ${count(slow.length, 'request')} and ${duration(quickMs)} for ${quick.length}, of about the same length, while decode kept its pace.`,
    ],
  )
}

/** Only servers that tell their own times say what reading took; the rest holds queue and neighbours. */
function readings(level: MeasuredFacts): Reading[] {
  const calls = firstCalls([level])
  const step = Math.max(1, Math.ceil(calls.length / ENOUGH_CALLS))
  return calls.flatMap((call, at) => (at % step === 0 ? (readingOf(call) ?? []) : []))
}

function readingOf(call: ModelCall | undefined): Reading | null {
  if (call === undefined || call.server === null || call.promptTokens === null || call.promptTokens <= 0) return null
  const ms = call.server.promptEvalNs / 1e6
  const tokens = call.outputTokens ?? 0
  return { ms, perTokenMs: ms / call.promptTokens, tokenMs: tokens > 1 ? call.server.evalNs / 1e6 / tokens : null }
}

/** Of each turn the first call: later ones repeat the conversation so far, and may well come from a cache. */
function firstCalls(levels: readonly MeasuredFacts[]): ModelCall[] {
  const calls: ModelCall[] = []
  for (const { facts } of levels) {
    for (const { row } of facts.turns) {
      const first = row.timeline?.calls[0]
      if ((row.turn ?? 0) === 0 && first?.purpose === 'answer' && first.outcome === 'completed') calls.push(first)
    }
  }
  return calls
}

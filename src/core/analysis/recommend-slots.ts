/**
 * Which number of slots to set, from the same load on each. More slots cost memory and slow each answer down, so they must earn it: by a higher total
 * rate or a sooner first activity, beyond what the waves of one setting differ by anyway. Pure.
 */
import { formatBytes, formatMs, formatRate } from '../report/format-number.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { TuneAdvice, TuneFigures, TuneTrial } from '../sweep/tune.ts'
import { levelOverlap } from './calls/effective-slots.ts'
import { callsOf, isCompleted, isCounted, type MeasuredWave, measuredLevels } from './levels/measured-levels.ts'
import { median } from './statistics/percentiles.ts'

/** A gain below this is none, however steady: the same setting started anew differs by as much (research/real-servers.md section 2: 70 to 77 tokens/s). */
const RATE_GAIN = 0.05
const TTFA_GAIN = 0.1
/** Attainments that differ by less are alike: one session of 50. */
const SAME_HELD = 0.02
/** A setting that fails more of its sessions than this is not recommended. */
const MOST_FAILURES_RATIO = 0.01

/** @returns null when the largest level was not measured */
export function tuneFigures(
  state: SweepState,
  seen: { readonly vramBytes: number | null; readonly slots: number; readonly contextTokens: number | null },
): TuneFigures | null {
  const level = measuredLevels(state).findLast(({ leg }) => leg !== 'null')
  if (level === undefined || level.n !== Math.max(...state.plan.request.levels)) return null
  const rows = level.waves.flatMap((wave) => wave.rows).filter(isCounted)
  const rates = level.waves.flatMap((wave) => rateOf(wave) ?? [])
  const firsts = level.waves.flatMap(({ rows: ofWave }) => median(ofWave.map(ttfaMs)) ?? [])
  if (rates.length === 0) return null
  const decodes = callsOf(level).flatMap((call) => decodeRate(call) ?? [])
  const { slo } = state.plan
  const kv = state.facts?.kvBytesPerToken ?? null
  return {
    n: level.n,
    tokensPerSec: spreadOf(rates),
    ttfaMs: firsts.length === 0 || firsts.some((value) => !Number.isFinite(value)) ? null : spreadOf(firsts),
    decodeTokensPerSec: median(decodes),
    heldRatio: rows.length === 0 ? null : rows.filter((row) => isCompleted(row) && ttfaMs(row) <= slo.ttfaMs).length / rows.length,
    sessions: rows.length,
    failures: rows.filter((row) => !isCompleted(row)).length,
    slotsInUse: levelOverlap(level).streaming.lasting || null,
    memoryBytes: largestServerBytes(state),
    vramBytes: seen.vramBytes,
    contextBytes: kv === null || seen.contextTokens === null ? null : kv * seen.contextTokens * seen.slots,
  }
}

type Row = MeasuredWave['rows'][number]
/** A session without any activity waits for ever. */
const ttfaMs = (row: Row) => (row.firstActivityAtMs === null ? Number.POSITIVE_INFINITY : row.firstActivityAtMs - row.plannedAtMs)

function rateOf({ rows }: MeasuredWave): number | null {
  const tokens = rows.reduce((sum, row) => sum + (row.timeline?.calls ?? []).reduce((ofRow, call) => ofRow + (call.outputTokens ?? 0), 0), 0)
  const spanMs = Math.max(...rows.map((row) => row.endAtMs)) - Math.min(...rows.map((row) => row.plannedAtMs))
  return spanMs > 0 && tokens > 0 ? (1000 * tokens) / spanMs : null
}

function decodeRate(call: ReturnType<typeof callsOf>[number]): number | null {
  const { outputTokens, firstDeltaAtMs, lastDeltaAtMs } = call
  if (outputTokens === null || outputTokens < 2 || firstDeltaAtMs === null || lastDeltaAtMs === null || lastDeltaAtMs <= firstDeltaAtMs) return null
  return (1000 * (outputTokens - 1)) / (lastDeltaAtMs - firstDeltaAtMs)
}

function spreadOf(values: readonly number[]): { value: number; low: number; high: number } {
  return { value: median(values) ?? 0, low: Math.min(...values), high: Math.max(...values) }
}

function largestServerBytes({ samples }: SweepState): number | null {
  const sizes = samples.flatMap(({ processes }) =>
    processes.filter(({ role }) => role === 'model-server' || role === 'model-host').map(({ rssBytes }) => rssBytes),
  )
  return sizes.length === 0 ? null : Math.max(...sizes)
}

type Done = { readonly slots: number; readonly figures: TuneFigures }

/** @param setting as a person sets it: `OLLAMA_NUM_PARALLEL` */
export function recommendSlots(trials: readonly TuneTrial[], setting: string): TuneAdvice {
  const done = trials.flatMap(({ slots, figures }): Done[] => (figures === null ? [] : [{ slots, figures }])).sort((a, b) => a.slots - b.slots)
  const sound = done.filter(({ figures }) => figures.failures <= MOST_FAILURES_RATIO * figures.sessions)
  const notes = notesOn(done)
  const [base, ...more] = sound
  if (base === undefined)
    return { slots: null, engineIsLimit: false, sentence: 'It can’t be told: no setting came through the whole load without failures.', notes }
  if (more.length === 0)
    return {
      slots: base.slots,
      engineIsLimit: false,
      sentence: `Only ${setting}=${base.slots} came through the whole load: there is nothing to compare it with.`,
      notes,
    }
  if (!more.some((trial) => isFaster(trial, base) || isSooner(trial, base))) return stay(base, more, setting, notes)
  return choose(base, sound, setting, notes)
}

function isFaster({ figures }: Done, base: Done): boolean {
  const before = base.figures.tokensPerSec
  return figures.tokensPerSec.low > before.high && figures.tokensPerSec.value > (1 + RATE_GAIN) * before.value
}

function isSooner({ figures }: Done, base: Done): boolean {
  const before = base.figures.ttfaMs
  const now = figures.ttfaMs
  return before !== null && now !== null && now.high < before.low && now.value < (1 - TTFA_GAIN) * before.value
}

const rateText = ({ slots, figures }: Done) => `${formatRate(figures.tokensPerSec.value)} with ${slots}`
const ratesText = (trials: readonly Done[]) => `in tokens/s ${trials.map(rateText).join(', ')}`

function stay(base: Done, more: readonly Done[], setting: string, notes: readonly string[]): TuneAdvice {
  const { n } = base.figures
  return {
    slots: base.slots,
    engineIsLimit: true,
    sentence:
      `Leave ${setting} at ${base.slots}: with ${n} sessions at once more slots neither raise the total rate (${ratesText([base, ...more])}) ` +
      'nor bring the first activity sooner. The queue is where the waiting happens, but the engine is the limit: ' +
      'what a second slot computes is taken from the first.',
    notes: [...notes, ...more.slice(-1).flatMap((largest) => memoryNote(base, largest) ?? [])],
  }
}

function choose(base: Done, sound: readonly Done[], setting: string, notes: readonly string[]): TuneAdvice {
  const best = Math.max(...sound.map(({ figures }) => figures.tokensPerSec.value))
  const near = sound.filter(({ figures }) => figures.tokensPerSec.value >= (1 - RATE_GAIN) * best)
  const held = Math.max(...near.map(({ figures }) => figures.heldRatio ?? 0))
  const chosen = near.find(({ figures }) => (figures.heldRatio ?? 0) >= held - SAME_HELD) ?? base
  if (chosen === base)
    return {
      slots: base.slots,
      engineIsLimit: false,
      sentence: `Leave ${setting} at ${base.slots}: more slots bring the total rate no higher (${ratesText(sound)}), and no more sessions hold the limit.`,
      notes: [...notes],
    }
  const perAnswer = answerCost(base, chosen)
  return {
    slots: chosen.slots,
    engineIsLimit: false,
    sentence:
      `Set ${setting} to ${chosen.slots}: with ${chosen.figures.n} sessions at once the total rate rises (${ratesText(sound)})` +
      `${firstActivity(base, chosen)}.${perAnswer === null ? '' : ` ${perAnswer}`}`,
    notes: [...notes, ...(memoryNote(base, chosen) ?? [])],
  }
}

function firstActivity(base: Done, chosen: Done): string {
  const [before, after] = [base.figures.ttfaMs, chosen.figures.ttfaMs]
  return before === null || after === null ? '' : `, and the first activity comes after ${formatMs(after.value)} instead of ${formatMs(before.value)}`
}

function answerCost(base: Done, chosen: Done): string | null {
  const [before, after] = [base.figures.decodeTokensPerSec, chosen.figures.decodeTokensPerSec]
  if (before === null || after === null) return null
  if (after > 0.95 * before) return `Each answer streams as fast as with ${base.slots}.`
  return `Each answer then streams at ${formatRate(after)} tokens/s instead of ${formatRate(before)} while all slots are busy.`
}

/** What the larger one takes more; nothing where neither memory was seen. */
function memoryNote(base: Done, larger: Done): string[] | null {
  const texts: string[] = []
  const [from, to] = [base.figures, larger.figures]
  if (from.vramBytes !== null && to.vramBytes !== null && to.vramBytes > 0)
    texts.push(
      `On the GPU the model takes ${formatBytes(to.vramBytes)} with ${larger.slots} slots, ${formatBytes(from.vramBytes)} with ${base.slots}.`,
    )
  if (from.memoryBytes !== null && to.memoryBytes !== null)
    texts.push(
      `The server's processes take ${formatBytes(to.memoryBytes)} with ${larger.slots} slots, ${formatBytes(from.memoryBytes)} with ${base.slots}.`,
    )
  if (to.contextBytes !== null)
    texts.push(`Of that, the contexts of ${larger.slots} slots are ${formatBytes(to.contextBytes)}: each slot has its own.`)
  return texts.length === 0 ? null : texts
}

function notesOn(done: readonly Done[]): string[] {
  return done.flatMap(({ slots, figures }) => [
    ...(figures.failures > MOST_FAILURES_RATIO * figures.sessions
      ? [`With ${slots} slots ${figures.failures} ${figures.failures === 1 ? 'session' : 'sessions'} failed: it is left out.`]
      : []),
    ...(figures.slotsInUse !== null && figures.slotsInUse < slots
      ? [`With ${slots} set, ${figures.slotsInUse} streamed at once: the setting did not take full effect on this model.`]
      : []),
  ])
}

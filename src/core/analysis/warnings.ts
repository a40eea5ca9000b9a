/** Named doubts that travel with the numbers (M5, M8, M9, M10, M11): those the sweep noted, and those the analysis sees. */
import type { ModelCall } from '../session/timeline.ts'
import type { SweepState } from '../sweep/fold-sweep.ts'
import type { Analysis, LevelSummary } from './analysis.ts'
import { DRIFT_WARNING_RATIO, type Drift } from './levels/drift.ts'
import { isCompleted, isCounted } from './levels/measured-levels.ts'
import { FEWEST_SAMPLES } from './statistics/percentiles.ts'
import type { MeasuredFacts } from './verdict/case-file.ts'
import { commonest, count, percent } from './verdict/phrases.ts'
import { UNRESOLVED_LIMIT } from './verdict/shared-evidence.ts'

type Warning = Analysis['warnings'][number]

/** Gap between two counts of the turns in flight from which it is a warning (M9). */
const LITTLE_LIMIT = 0.15
/** More chunks in one read than this: something between server and client holds them back (R21). */
const BUFFERED_CHUNKS = 8
/** A hiccup of the machine does that to some answers; a proxy to most. */
const BUFFERED_RATIO = 0.05

export function warningsOf(state: SweepState, levels: readonly MeasuredFacts[], slots: Analysis['effectiveSlots'], drift: Drift | null): Warning[] {
  const noted = state.warnings.map(({ code, text }) => ({ code, text }))
  const seen = [
    fewSamples(levels.map((level) => level.summary)),
    failuresWarning(levels),
    driftWarning(drift),
    slotsWarning(slots),
    littleWarning(levels),
    ...unresolvedWarning(levels),
    bufferedWarning(levels),
    resentWarning(levels),
    estimatedWarning(levels),
    versionWarning(state),
  ].filter((warning) => warning !== null)
  const all = new Map([...noted, ...seen].map((warning) => [`${warning.code}/${warning.text}`, warning]))
  return [...all.values()]
}

function fewSamples(levels: readonly LevelSummary[]): Warning | null {
  const few = levels.filter((level) => level.leg !== 'null' && level.wallMs.count < FEWEST_SAMPLES.p50)
  if (few.length === 0) return null
  const places = [...new Set(few.map((level) => level.n))].sort((a, b) => a - b).join(', ')
  return { code: 'few-samples', text: `Levels ${places} have fewer than ${FEWEST_SAMPLES.p50} sessions: too few for a p50.` }
}

function failuresWarning(levels: readonly MeasuredFacts[]): Warning | null {
  const rows = levels.flatMap((level) => level.facts.turns.map((turn) => turn.row).filter(isCounted))
  const failed = rows.filter((row) => !isCompleted(row))
  const why = commonest(failed.flatMap((row) => row.problem?.happened ?? row.timeline?.problem?.happened ?? []))
  if (failed.length === 0) return null
  return {
    code: 'failures',
    text: `${failed.length} of ${count(rows.length, 'session')} failed${why === null ? '' : `, most often: ${why}`}`.replace(/\.?$/, '.'),
  }
}

function driftWarning(drift: Drift | null): Warning | null {
  if (drift === null || Math.abs(drift.value) <= DRIFT_WARNING_RATIO) return null
  const how = drift.value > 0 ? 'longer' : 'less'
  return { code: 'drift', text: `One session alone took ${percent(Math.abs(drift.value))} ${how} at the end than at the beginning (5 % is allowed).` }
}

function slotsWarning(slots: Analysis['effectiveSlots']): Warning | null {
  const { n, declared, plateau } = slots
  if (n === null || declared === null || n === declared || (!plateau && n < declared)) return null
  return { code: 'declared-slots-differ', text: `The server declares ${count(declared, 'slot')}, but ${count(n, 'answer')} streamed at once.` }
}

function littleWarning(levels: readonly MeasuredFacts[]): Warning | null {
  const off = levels.filter(({ summary }) => Math.abs(summary.littleGapRatio ?? 0) > LITTLE_LIMIT).map(({ summary }) => summary.n)
  return off.length === 0
    ? null
    : { code: 'little-gap', text: `At ${off.join(', ')} sessions, rows and the runner's gauge differ by more than 15 % on the turns in flight.` }
}

function unresolvedWarning(levels: readonly MeasuredFacts[]): Warning[] {
  return levels.flatMap(({ facts, summary }) => {
    let told = 0
    let unresolved = 0
    for (const { calls } of facts.turns) {
      for (const call of calls) {
        if (call.residualMs === null) continue
        told += 1
        if (call.isUnresolved) unresolved += 1
      }
    }
    const ratio = told === 0 ? 0 : unresolved / told
    if (ratio <= UNRESOLVED_LIMIT) return []
    const text = `At ${summary.n} sessions (${summary.leg} leg), queue waits are unresolved for ${percent(ratio)} of the requests: slot occupancy and the server's own durations differ by more than max(50 ms, 20 %).`
    return [{ code: 'queue-unresolved', text }]
  })
}

function countCalls(levels: readonly MeasuredFacts[], isMeant: (call: ModelCall) => boolean): number {
  let counted = 0
  for (const { facts } of levels) {
    for (const { row } of facts.turns) for (const call of row.timeline?.calls ?? []) if (isMeant(call)) counted += 1
  }
  return counted
}

function bufferedWarning(levels: readonly MeasuredFacts[]): Warning | null {
  const ofServer = levels.filter((level) => level.summary.leg !== 'null')
  const buffered = countCalls(ofServer, (call) => call.maxChunksPerRead > BUFFERED_CHUNKS)
  const all = countCalls(ofServer, (call) => call.firstDeltaAtMs !== null)
  if (buffered <= BUFFERED_RATIO * all) return null
  const text = `${buffered} of ${count(all, 'answer')} came with more than ${BUFFERED_CHUNKS} chunks in one read: something between server and runner, or a busy event loop, holds tokens back.`
  return { code: 'buffered-stream', text }
}

function resentWarning(levels: readonly MeasuredFacts[]): Warning | null {
  const resent = countCalls(levels, (call) => call.resent)
  return resent === 0
    ? null
    : { code: 'resent-requests', text: `${count(resent, 'request')} had to be sent again, since a reused connection had been closed.` }
}

function estimatedWarning(levels: readonly MeasuredFacts[]): Warning | null {
  const estimated = countCalls(levels, (call) => call.outcome === 'completed' && call.tokensEstimated)
  return estimated === 0
    ? null
    : { code: 'estimated-tokens', text: `The server gave no token count for ${count(estimated, 'answer')}: chunks were counted instead.` }
}

function versionWarning({ facts }: SweepState): Warning | null {
  if (facts === null || facts.kind !== 'ollama' || facts.versionKnown) return null
  return { code: 'unknown-version', text: `The server's version is unknown (${facts.version ?? 'it did not say'}), so nothing is assumed from it.` }
}

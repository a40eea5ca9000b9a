/** A proxy that holds tokens back, or a server that only pretends to stream: the answer comes in one piece, so time to first token and pace mean nothing (R21). */
import type { ModelCall } from '../../../session/timeline.ts'
import type { CaseFile, MeasuredFacts } from '../case-file.ts'
import { count, duration, percent } from '../phrases.ts'
import type { Doubt } from './doubt.ts'

/** Answers shorter than this may well come in one read (R21: more than 8 tokens). */
const FEWEST_TOKENS = 8
/** More chunks in one read than this are a clump (R21). */
const CLUMP_CHUNKS = 8
/** A clump must hold at least so much of the server's time: a fast engine sends many tokens within one turn of the loop. */
const CLUMP_MS = 40
/** First token within this share of the end (R21: 5 %). */
const LATE_RATIO = 0.05
/** The server was at it for this long while we saw it stream for less than a third of that. */
const TOLD_MS = 40
const TOLD_RATIO = 0.3
/** A stream of a whole answer faster than this is not being generated as it comes: no engine known gives one answer 5,000 tokens/s. */
const PIECE_TOKENS_PER_MS = 5
/** A proxy can't make an answer stream for longer than the server decodes; a reader that lags behind does. */
const LONGER_RATIO = 1.05
/** Main's loop at the lowest level, busy for more than this share of the time, reads late by itself. */
const BUSY_RATIO = 0.5
/** Shorter calls are answered at once, by whatever means. */
const SHORTEST_CALL_MS = 100
/** Share of the answers of the lowest level, and of all, that have to show it. */
const BASE_RATIO = 0.8
const ALL_RATIO = 0.5

export function bufferedStream({ levels, base }: CaseFile): Doubt | null {
  if (base === null || (base.hardware.loopUtilizationMean ?? 0) > BUSY_RATIO) return null
  // At the lowest level the event loop is free: clumps there are not our own doing.
  const [lowest, all] = [countIn([base]), countIn(levels)]
  if (lowest.judged === 0 || lowest.held < BASE_RATIO * lowest.judged || all.held < ALL_RATIO * all.judged || all.judged < 3) return null
  const { call } = all
  const seen =
    call === undefined
      ? ''
      : `One of them: ${call.outputTokens} tokens, up to ${call.maxChunksPerRead} in one read, the first ${duration((call.firstDeltaAtMs ?? call.endAtMs) - call.sentAtMs)} after the request and the last ${duration((call.lastDeltaAtMs ?? 0) - (call.firstDeltaAtMs ?? 0))} later${call.server === null ? '' : `, while the server says that it decoded for ${duration(call.server.evalNs / 1e6)}`}.`
  return {
    mechanism: 'proxy buffers the stream',
    sentence: `Something between the model server and Plimsoll holds the tokens back: ${percent(all.held / all.judged)} of the answers come in one piece at their end, so time to first token, pace and slots can't be told.`,
    toSettle: "Sweep the model server's own port, or switch off buffering in the proxy between.",
    evidence: [
      `${all.held} of ${count(all.judged, 'answer')} came in one piece, ${lowest.held} of ${lowest.judged} with ${count(base.summary.n, 'session')} alone.`,
      seen,
    ].filter((text) => text !== ''),
  }
}

function countIn(levels: readonly MeasuredFacts[]): { judged: number; held: number; call: ModelCall | undefined } {
  let [judged, held] = [0, 0]
  let example: ModelCall | undefined
  for (const { facts } of levels) {
    for (const { row } of facts.turns) {
      for (const call of row.timeline?.calls ?? []) {
        if (!isJudged(call)) continue
        judged += 1
        if (!isHeldBack(call)) continue
        held += 1
        example ??= call
      }
    }
  }
  return { judged, held, call: example }
}

/** A tool call arrives whole on a server that streams as it should. */
function isJudged(call: ModelCall): boolean {
  return (
    call.outcome === 'completed' &&
    call.purpose === 'answer' &&
    call.firstTextAtMs !== null &&
    (call.outputTokens ?? 0) > FEWEST_TOKENS &&
    call.endAtMs - call.sentAtMs >= SHORTEST_CALL_MS
  )
}

function isHeldBack(call: ModelCall): boolean {
  if (call.firstDeltaAtMs === null || call.lastDeltaAtMs === null) return false
  const streamMs = call.lastDeltaAtMs - call.firstDeltaAtMs
  const evalMs = call.server === null ? null : call.server.evalNs / 1e6
  const tokens = call.outputTokens ?? 0
  if (evalMs !== null && evalMs >= TOLD_MS && streamMs < TOLD_RATIO * evalMs) return true
  const clumpMs = (call.maxChunksPerRead * (evalMs ?? streamMs)) / tokens
  if (evalMs !== null && streamMs > LONGER_RATIO * evalMs) return false
  if (call.maxChunksPerRead > CLUMP_CHUNKS && clumpMs >= CLUMP_MS) return true
  const isLate = streamMs <= LATE_RATIO * (call.endAtMs - call.sentAtMs)
  return evalMs === null && isLate && (call.maxChunksPerRead > CLUMP_CHUNKS || streamMs * PIECE_TOKENS_PER_MS < tokens)
}

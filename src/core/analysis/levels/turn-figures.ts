/** All figures of a level's turns, gathered in one walk: a hundred thousand rows are too many to be walked once a figure. */
import type { ModelCall } from '../../session/timeline.ts'
import type { Slo } from '../../sweep/plan.ts'
import type { TurnRow } from '../../sweep/turn-row.ts'
import { type AttributedTurn, wallMsOf } from './level-facts.ts'
import { isCompleted, isCounted } from './measured-levels.ts'

/** Each list ascending. Milliseconds from the planned moment where nothing else is said; of completed turns but for the lags, which all uncut ones have. */
export type TurnFigures = {
  /** Started and not cut by us. */
  readonly sessions: number
  readonly failures: number
  readonly held: number
  readonly ttfaMs: Float64Array
  readonly firstModelRequestMs: Float64Array
  /** Of the turn's first model call, from sent to the first delta of any channel. */
  readonly ttftMs: Float64Array
  readonly doneMs: Float64Array
  readonly wallMs: Float64Array
  readonly queueMs: Float64Array
  /** Of the answers' calls: (tokens - 1) / (last - first), a second. */
  readonly decodeRates: Float64Array
  readonly submitLagMs: Float64Array
  readonly receiveLagMs: Float64Array
}

export function holdsSlo(row: TurnRow, slo: Slo): boolean {
  return isCompleted(row) && row.firstActivityAtMs !== null && row.firstActivityAtMs - row.plannedAtMs <= slo.ttfaMs
}

export function turnFigures(turns: readonly AttributedTurn[], slo: Slo): TurnFigures {
  const list = () => createNumbers(turns.length)
  const [ttfa, firstRequest, ttft, done, wall, queue, decode, submitLag, receiveLag] = [
    list(),
    list(),
    list(),
    list(),
    list(),
    list(),
    list(),
    list(),
    list(),
  ]
  let [sessions, failures, held] = [0, 0, 0]
  for (const { row, queueMs } of turns) {
    if (!isCounted(row)) continue
    const { plannedAtMs, timeline } = row
    sessions += 1
    submitLag.add(row.submitAtMs - plannedAtMs)
    if (row.receiveLagMs !== null) receiveLag.add(row.receiveLagMs)
    if (!isCompleted(row)) {
      failures += 1
      continue
    }
    if (holdsSlo(row, slo)) held += 1
    if (row.firstActivityAtMs !== null) ttfa.add(row.firstActivityAtMs - plannedAtMs)
    if (row.doneAtMs !== null) done.add(row.doneAtMs - plannedAtMs)
    wall.add(wallMsOf(row))
    queue.add(queueMs)
    if (timeline === null) continue
    if (timeline.firstModelRequestAtMs !== null) firstRequest.add(timeline.firstModelRequestAtMs - plannedAtMs)
    let isFirst = true
    for (const call of timeline.calls) {
      if (call.purpose !== 'answer') continue
      if (isFirst && call.firstDeltaAtMs !== null) ttft.add(call.firstDeltaAtMs - call.sentAtMs)
      isFirst = false
      const rate = decodeRate(call)
      if (rate !== null) decode.add(rate)
    }
  }
  return {
    sessions,
    failures,
    held,
    ttfaMs: ttfa.sorted(),
    firstModelRequestMs: firstRequest.sorted(),
    ttftMs: ttft.sorted(),
    doneMs: done.sorted(),
    wallMs: wall.sorted(),
    queueMs: queue.sorted(),
    decodeRates: decode.sorted(),
    submitLagMs: submitLag.sorted(),
    receiveLagMs: receiveLag.sorted(),
  }
}

function decodeRate(call: ModelCall): number | null {
  const { firstDeltaAtMs, lastDeltaAtMs, outputTokens } = call
  if (firstDeltaAtMs === null || lastDeltaAtMs === null || outputTokens === null || outputTokens < 2) return null
  const streamMs = lastDeltaAtMs - firstDeltaAtMs
  return streamMs > 0 ? (1000 * (outputTokens - 1)) / streamMs : null
}

/** @param expected about how many there will be; it grows beyond that */
function createNumbers(expected: number): { add(value: number): void; sorted(): Float64Array } {
  let values = new Float64Array(Math.max(1, expected))
  let count = 0
  return {
    add(value) {
      if (count === values.length) {
        const longer = new Float64Array(2 * count)
        longer.set(values)
        values = longer
      }
      values[count] = value
      count += 1
    },
    sorted: () => values.subarray(0, count).sort(),
  }
}

/** Verdicts from who decodes when: queue against shared decode, prefill, waits for the first token. */
import type { Evidence } from '../analysis.ts'
import { leavesOpen, supports } from '../verdict/finding.ts'
import type { Curve, Level } from './level-curve.ts'
import type { Series } from './series.ts'
import { FLAT_GAIN, finding, rateText, type TableFacts, type TableRule } from './table-finding.ts'
import { decimal, percent, plural, span, times, tokens } from './table-words.ts'

/** Below the slots one answer has lost this much of its pace: the hardware gave way before the queue did. */
const SHARED_RATIO = 0.6

/** Decode together or not: the fact that tells queue from shared decode. */
export const occupancyRule: TableRule = (facts) => {
  const { curve, occupancy, said } = facts
  if (curve === null || occupancy === null || occupancy.together === null || said.isEngineOnly) return null
  if (occupancy.pinned && prefillGrows(curve)) return prefillFinding(facts, curve)
  const isPrefillFull = occupancy.pinned && prefillIsFull(facts, curve)
  if (isPrefillFull && prefillNotSlots(facts, curve)) return serialPrefillFinding(facts, curve)
  if (occupancy.pinned) {
    const found = pinnedFinding(facts, curve)
    if (!isPrefillFull || found === null || found.primary !== 'model_server_queue') return found
    return {
      ...found,
      confidence: 'suspected',
      missing: ['Prefill time as the server reports it: prompts read one after another would give nearly the same figures.'],
    }
  }
  return occupancy.together ? togetherFinding(facts, curve) : null
}

/** The smallest level is one alone only where it is n=1. */
const paceOf = ({ n }: Level): string => (n === 1 ? 'of one alone' : `at n=${n}`)

function paceAt(curve: Curve, slots: number): Level | null {
  return curve.levels.filter(({ n, decode }) => decode !== null && n <= slots + 0.5).at(-1) ?? null
}

function pinnedFinding(facts: TableFacts, curve: Curve): ReturnType<TableRule> {
  const { occupancy, said } = facts
  const { base, top } = curve
  const slots = Math.round(occupancy?.slots ?? 1)
  const inside = slots > 1 ? (paceAt(curve, slots) ?? top) : base
  const reference = slots > 1 && inside.n === base.n ? top : inside
  const kept = base.decode === null || reference.decode === null ? 1 : reference.decode / base.decode
  const isSeenInside = reference !== top
  const isHardwareFirst = kept < SHARED_RATIO && slots > 1 && (isSeenInside || waitShare(curve) < 0.5)
  const overlapLine = `Overlap (${facts.series.decodeFrom === 'latency less first token' ? 'n times the share of a request that comes after its first token' : 'total rate over decode rate of one request'}) is ${decimal(occupancy?.overlapTop ?? 0)} at n=${top.n}: ${(occupancy?.overlapTop ?? 0) < 0.7 ? `on average fewer than one of ${top.n} decodes, so most of a service time is something else than decoding` : `only about ${slots} of ${top.n} decode at a time`}.`
  const evidence: Evidence[] = [supports(overlapLine)]
  if (reference.decode !== null && top.decode !== null && kept > SHARED_RATIO)
    evidence.push(supports(paceLine(facts.series, reference === top ? base : reference, top)))
  if (facts.series.slots === slots) evidence.push(supports(`The configured slot count is ${slots} as well.`))
  if (isHardwareFirst) {
    const below = `Up to ${slots} the ${said.hardwareWord} gives way first: ${plural(reference.n, 'request')} decode together, and each runs at ${percent(kept)} of the pace ${paceOf(base)}.`
    return finding('hardware', 'likely', {
      secondary: 'model_server_queue',
      mechanism: `shared decode up to ${slots}, then model_server_queue beyond ${slots}`,
      sentence: `${below} Beyond ${slots} the rest queue in the model server.`,
      slots,
      claims: [below, overlapLine, `Beyond ${slots} the model server queues: ${slots} slots, first come first served.`],
      evidence: [supports(below), ...evidence],
    })
  }
  // At n=1 something besides decoding takes time, and nothing here says whether it is prompts being read, one after another perhaps.
  const mayBePrefill = slots > 1 && facts.series.slots !== slots && base.firstMs === null && base.n === 1 && (base.overlap ?? 1) < 0.8
  if (mayBePrefill) evidence.push(leavesOpen('Time to first token or prefill time is missing: prompts read one after another could look alike.'))
  return finding('model_server_queue', evidence.length > 1 && !mayBePrefill ? 'likely' : 'suspected', {
    missing: mayBePrefill ? ['Time to first token at each n, or prefill time as the server reports it.'] : [],
    secondary: kept < 0.8 && slots > 1 ? 'hardware' : null,
    mechanism: slots === 1 ? 'one slot, first come first served' : `${slots} slots, first come first served; the rest wait`,
    sentence: `Beyond ${plural(slots, 'session')} requests queue in the model server: it has ${slots === 1 ? 'one effective slot' : `${slots} effective slots`}, and ${kept > 0.85 ? `one answer is written no slower at n=${top.n}` : `${percent(waitShare(curve))} of the time added up to n=${top.n} is waiting`}.`,
    slots,
    claims: [
      slots === 1
        ? 'One effective slot: the server decodes one request at a time.'
        : `${slots} effective slots: the server decodes ${slots} requests at a time.`,
      overlapLine,
    ],
    evidence,
  })
}

/** Of the time that one request takes longer at the top, the share that is neither decoding nor what surrounds it at the smallest n. */
function waitShare({ base, top }: Curve): number {
  const latency = top.n / top.total / (base.n / base.total)
  const decodeShare = Math.min(1, (base.overlap ?? base.n) / base.n)
  const slower = base.decode === null || top.decode === null ? 1 : base.decode / top.decode
  const added = latency - 1
  return added <= 0 ? 0 : Math.max(0, 1 - (decodeShare * (slower - 1)) / added)
}

export function paceLine({ decodeFrom }: Series, base: Level, top: Level): string {
  const [before, after] = [base.decode ?? 0, top.decode ?? 0]
  const ratio = after / before
  const change = ratio > 0.93 && ratio < 1.07 ? 'is unchanged' : ratio <= 0.93 ? `falls only to ${percent(ratio)}` : 'does not fall'
  const isParts = decodeFrom === 'latency less first token'
  const figures = isParts
    ? `${span(base.answerMs ?? 0)} and ${span(top.answerMs ?? 0)} from first token to end`
    : `${tokens(before)} and ${tokens(after)}`
  const line = `Decode rate per request ${change} from n=${base.n} to n=${top.n} (${figures})`
  if (ratio >= 0.8) return `${line}: decode is not being shared, so the time added is waiting in a queue.`
  return `${line.replace('falls only to', 'falls to')}: decode is shared by those that have a slot and no further, and the rest of the time added is waiting in a queue.`
}

/** The server's own prefill time grows with n and makes up most of what latency gained. */
function prefillGrows({ base, top }: Curve): boolean {
  const [before, after] = [base.row.prefillMs, top.row.prefillMs]
  if (before === undefined || after === undefined || after < 3 * before || top.row.queueMs !== undefined) return false
  const latency = (level: Level) => level.latencyMs ?? level.row.wallMs ?? level.firstMs
  const [first, last] = [latency(base), latency(top)]
  // Nothing else is timed: a prefill that grows with n is no wait for a slot, whatever the rates look like.
  if (first == null || last == null) return true
  return last > first && after - before > 0.5 * (last - first)
}

function prefillFinding(facts: TableFacts, curve: Curve): ReturnType<TableRule> {
  const { base, top } = curve
  const claim = `Prefill grows from ${span(base.row.prefillMs ?? 0)} at n=${base.n} to ${span(top.row.prefillMs ?? 0)} at n=${top.n} and is most of the time added: prompts are read one after another by the ${facts.said.hardwareWord}, answers start late and then run well.`
  return finding('hardware', 'likely', {
    mechanism: 'prefill is compute-bound and grows with n',
    sentence: `The ${facts.said.hardwareWord} gives way first, in prefill: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [claim, 'Shorter prompts or a warm prefix would move it; more slots would not.'],
    evidence: [supports(claim)],
    missing: ['The same levels with short prompts.'],
  })
}

/** One request after another has its prompt read, all the time: rate times the time that one alone needs to its first token is the whole. */
const PREFILL_FULL = { least: 0.85, most: 1.15 }

function prefillIsFull({ occupancy, series }: TableFacts, { base, top }: Curve): boolean {
  const slots = occupancy?.slots ?? 1
  const [alone, latency] = [base.firstMs, top.latencyMs]
  if (base.n !== 1 || alone === null || base.latencyMs === null || latency === null || slots < 2 || series.slots === slots) return false
  const busy = (top.n / latency) * alone
  return alone >= 0.15 * base.latencyMs && busy >= PREFILL_FULL.least && busy <= PREFILL_FULL.most
}

/**
 * With slots nobody waits up to their number, and their number is mostly a power of two or one that was tested for; with prompts read one after another
 * somebody waits long before, and the number is any.
 */
function prefillNotSlots({ occupancy }: TableFacts, { base, levels }: Curve): boolean {
  const slots = occupancy?.slots ?? 1
  const inside = levels.filter(({ n, firstMs }) => n > 1 && n <= slots && firstMs !== null).at(-1)
  if (inside !== undefined && (inside.firstMs ?? 0) > 1.25 * (base.firstMs ?? 0)) return true
  return !levels.some(({ n }) => n === slots) && !Number.isInteger(Math.log2(slots))
}

function serialPrefillFinding(facts: TableFacts, { base, top }: Curve): ReturnType<TableRule> {
  const perSec = (1000 * top.n) / (top.latencyMs ?? 1)
  const claim = `One prompt alone takes ${span(base.firstMs ?? 0)} to its first token, and at n=${top.n} ${decimal(perSec)} answers a second are begun: reading prompts one after another fills the whole time (${percent((perSec * (base.firstMs ?? 0)) / 1000)}), while answers are still written at their pace.`
  return finding('hardware', 'suspected', {
    mechanism: 'prefill is serial and fills the whole time',
    sentence: `The ${facts.said.hardwareWord} gives way first, in prefill: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [claim, 'Shorter prompts or a warm prefix would move it; more slots would not.'],
    evidence: [supports(claim), leavesOpen('A queue before as many slots would look alike; prefill times from the server would tell.')],
    missing: ['Prefill time as the server reports it, or the same levels with short prompts.'],
  })
}

function togetherFinding(facts: TableFacts, curve: Curve): ReturnType<TableRule> {
  const { occupancy, said } = facts
  const { base, top } = curve
  const overlap = occupancy?.overlapTop ?? 0
  const isFlat = curve.isReached || curve.lastGain < FLAT_GAIN
  const kept = base.decode === null || top.decode === null ? null : top.decode / base.decode
  if (!isFlat) return null
  if (kept !== null && kept > 0.8) return null
  const waited = top.firstMs !== null && base.firstMs !== null
  const first = waited ? ` and first token in ${span(top.firstMs ?? 0)}` : ''
  const isQuick = waited && (top.firstMs ?? 0) < 0.2 * (top.latencyMs ?? Number.POSITIVE_INFINITY)
  const claims = [
    `Overlap ${decimal(overlap)} at n=${top.n}${isQuick ? first : ''}: no queue. Requests run together (overlap ratio about n), so this is not the queue.`,
    `Total ${rateText(facts, top)} at n=${top.n} against ${rateText(facts, base)} at n=${base.n} (${times(top.total / base.total)}): the ${said.hardwareWord} is the ceiling now, shared by all that decode.`,
    ...(kept === null
      ? []
      : [
          `Each answer runs at ${percent(kept)} of the pace ${paceOf(base)}${facts.series.decodeFrom === 'latency less first token' ? '' : ` (${tokens(base.decode ?? 0)} to ${tokens(top.decode ?? 0)})`}.`,
        ]),
  ]
  return finding('hardware', 'likely', {
    mechanism: curve.isReached
      ? `shared decode: all n run together, total flat from n=${curve.knee.n}`
      : `all ${top.n} decode together; total only ${times(top.total / base.total)} ${base.n === 1 ? 'of one' : `of that at n=${base.n}`}`,
    sentence: `The ${said.hardwareWord} gives way first: ${top.n} requests decode together, each at ${kept === null ? 'a fraction' : percent(kept)} of the pace ${paceOf(base)}, and total ${curve.isReached ? `rises no further from n=${curve.knee.n} on (${times(top.total / base.total)} of n=${base.n})` : `gains only ${times(top.total / base.total)}`}.`,
    slots: occupancy?.slots ?? null,
    claims,
    evidence: claims.map(supports),
    missing: curve.isReached ? [] : [`Levels above ${top.n}: the last step still gained a little.`],
  })
}

/** First token and answer apart, without a decode rate: where did the added time go? */
export const firstTokenRule: TableRule = (facts) => {
  const { curve, said } = facts
  if (curve === null || said.isEngineOnly || !curve.isReached) return null
  const { knee, top } = curve
  const base = knee.n === top.n ? curve.base : knee
  if (
    base.firstMs === null ||
    top.firstMs === null ||
    base.answerMs === null ||
    top.answerMs === null ||
    top.latencyMs === null ||
    base.latencyMs === null
  )
    return null
  const added = top.latencyMs - base.latencyMs
  if (added < 0.3 * base.latencyMs) return null
  const waitShare = (top.firstMs - base.firstMs) / added
  if (waitShare < 0.4) {
    const claim = `From n=${base.n} to n=${top.n} the answer itself takes longer (${span(base.answerMs)} to ${span(top.answerMs)} after the first token): decode is shared.`
    return finding('hardware', 'suspected', {
      mechanism: 'shared decode',
      sentence: `The ${said.hardwareWord} gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
      claims: [claim],
      evidence: [supports(claim)],
      missing: ['Decode rate per request as the server reports it.'],
    })
  }
  return null
}

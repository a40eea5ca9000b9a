/** Verdicts from curves over n: engine cliffs, queue against shared decode, waits for the first token, and totals alone. */
import type { Evidence } from '../analysis.ts'
import { leavesOpen, speaksAgainst, supports } from '../verdict/finding.ts'
import type { Curve, Level } from './level-curve.ts'
import type { Series } from './series.ts'
import { finding, type TableFacts, type TableRule } from './table-finding.ts'
import { decimal, elasticity, percent, plural, span, times, tokens } from './table-words.ts'

/** Below the slots one answer has lost this much of its pace: the hardware gave way before the queue did. */
const SHARED_RATIO = 0.6
/** A doubling that brings less than a quarter more: the last step gained next to nothing. */
export const FLAT_GAIN = 0.3

const rateText = (facts: TableFacts, level: Level): string =>
  facts.series.unit === 'tok/s' ? tokens(level.total) : `${decimal(level.total)} requests/s`

/** A fall from the best total: another path in the engine. */
export const cliffRule: TableRule = (facts) => {
  const { curve, said } = facts
  const cliff = curve?.cliff
  if (curve === null || cliff === undefined) return null
  if (cliff === null) return negativeScaling(facts, curve)
  if (failsMore(cliff.before, cliff.after)) return null
  const { before, after } = cliff
  const fall = `Total falls ${percent(cliff.fallRatio)} from n=${before.n} to n=${after.n} (${rateText(facts, before)} to ${rateText(facts, after)})`
  const claims = [
    `${fall}: operate at ${before.n}${cliff.worseThan === null ? '' : `; ${after.n} is worse than ${cliff.worseThan.n}`}.`,
    cliff.recovers
      ? `A cliff with recovery on the far side (total rises again to ${rateText(facts, curve.top)} at ${curve.top.n}) is an engine path, not gradual saturation: beyond ${before.n} the engine works another way.`
      : `A cliff in one step is an engine path, not gradual saturation: a resource that runs out costs a little more with each session.`,
  ]
  if (said.isSpeculative) claims.push('Speculative decoding is on: measure again with it off, for it is a path that batches badly.')
  return finding('model_server_engine', cliff.recovers ? 'likely' : 'suspected', {
    mechanism: `engine switches path above batch ${before.n}: total falls ${percent(cliff.fallRatio)}`,
    sentence: `Above ${before.n} the server's engine gives way: ${fall.charAt(0).toLowerCase()}${fall.slice(1)}, which no queue and no full machine does in one step.`,
    claims,
    evidence: [
      supports(claims[0] ?? ''),
      cliff.recovers ? supports(claims[1] ?? '') : leavesOpen('It was not seen whether the total recovers beyond.'),
    ],
    missing: [`Levels between ${before.n} and ${after.n}, and the engine's log or settings for batches above ${before.n}.`],
  })
}

/** Each session more makes the whole slower, though never by much at once: neither waiting nor sharing takes from a total what one alone had. */
function negativeScaling({ said }: TableFacts, { base, top, best, levels }: Curve): ReturnType<TableRule> {
  if (best !== base || top.total > 0.7 * base.total || levels.length < 3 || failsMore(base, top)) return null
  const claim = `Total at n=${top.n} is ${percent(top.total / base.total)} of that at n=${base.n}: operate at ${base.n}. Neither a queue nor shared hardware takes from a total what one session alone had; the engine batches badly${said.isSpeculative ? ' with speculative decoding on: measure again with it off' : ''}.`
  return finding('model_server_engine', 'suspected', {
    mechanism: 'the engine’s total falls with every session',
    sentence: `The server's engine gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [claim],
    evidence: [supports(claim)],
    missing: ['The same with speculative decoding and other batch paths off.'],
  })
}

const failsMore = (before: Level, after: Level): boolean =>
  (after.row.failures ?? after.row.failurePercent ?? 0) > 2 * (before.row.failures ?? before.row.failurePercent ?? 0) + 1

/** No server, or nobody who batches: whatever the curve, it can't tell missing batching from a full machine. */
export const unbatchedRule: TableRule = (facts) => {
  const { said, curve } = facts
  if (!said.isUnbatched || (curve !== null && !curve.isReached && curve.lastGain > FLAT_GAIN)) return null
  const points = curve === null ? 'too few points' : curve.levels.length === 2 ? 'two points' : `${curve.levels.length} points`
  const claims = [
    `${cap(points)}, no batching: this cannot separate missing batching from exhausted hardware. Streams that nobody batches read the weights once each, so their total need not rise whatever the machine could do.`,
    ...(curve === null
      ? []
      : [
          `Total went from ${rateText(facts, curve.base)} at ${curve.base.n} to ${rateText(facts, curve.top)} at ${curve.top.n}, without an arm that batches beside it.`,
        ]),
  ]
  return finding('inconclusive', 'cannot-tell', {
    mechanism: 'no batching: unbatched streams re-read the weights once each',
    sentence: `What gives way can't be told: ${claims[0]?.charAt(0).toLowerCase()}${claims[0]?.slice(1)}`,
    ceilingN: null,
    claims,
    evidence: [leavesOpen(claims[0] ?? '')],
    missing: ['The same streams through a server that batches them, on the same machine.'],
  })
}

/** Totals that were added up from rates: only the rates themselves can speak. */
export const unverifiableRule: TableRule = (facts) => {
  const { curve, series, said } = facts
  if (curve === null || !series.isUnverifiable) return null
  const { base, top } = curve
  if (base.decode === null || top.decode === null) return null
  const kept = top.decode / base.decode
  const missing = ['Wall time of each level (or output tokens over it): only that shows whether requests ran together or one after another.']
  if (kept > 0.85) {
    const claim = `Decode rate per request is the same at every n, and the totals are only n times it: one slot with a queue and perfect scaling give these same figures.`
    return finding('inconclusive', 'cannot-tell', {
      mechanism: 'totals added up from rates per request',
      sentence: `What gives way can't be told: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
      ceilingN: null,
      claims: [claim],
      evidence: [leavesOpen(claim)],
      missing,
    })
  }
  if (elasticity(base.n, base.n * base.decode, top.n, top.n * top.decode) > FLAT_GAIN) return null
  const claim = `Decode rate per request falls to ${percent(kept)} from n=${base.n} to n=${top.n} (${tokens(base.decode)} to ${tokens(top.decode)}): waiting in a queue does not slow an answer down, so requests are decoded together and share the ${said.hardwareWord}.`
  return finding('hardware', 'suspected', {
    mechanism: 'shared decode',
    sentence: `The ${said.hardwareWord} gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [claim],
    evidence: [supports(claim)],
    missing,
  })
}

const cap = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

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
  const overlapLine = `Overlap (${facts.series.decodeFrom === 'latency less first token' ? 'n times the share of a request that comes after its first token' : 'total rate over decode rate of one request'}) is ${decimal(occupancy?.overlapTop ?? 0)} at n=${top.n}: only about ${slots} of ${top.n} decode at a time.`
  const evidence: Evidence[] = [supports(overlapLine)]
  if (reference.decode !== null && top.decode !== null && kept > SHARED_RATIO)
    evidence.push(supports(paceLine(facts.series, reference === top ? base : reference, top)))
  if (facts.series.slots === slots) evidence.push(supports(`The configured slot count is ${slots} as well.`))
  if (isHardwareFirst) {
    const below = `Up to ${slots} the ${said.hardwareWord} gives way first: ${plural(reference.n, 'request')} decode together, and each runs at ${percent(kept)} of the pace of one alone.`
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
  return `Decode rate per request ${change} from n=${base.n} to n=${top.n} (${figures}): decode is not being shared, so the time added is waiting in a queue.`
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
          `Each answer runs at ${percent(kept)} of the pace of one alone${facts.series.decodeFrom === 'latency less first token' ? '' : ` (${tokens(base.decode ?? 0)} to ${tokens(top.decode ?? 0)})`}.`,
        ]),
  ]
  return finding('hardware', 'likely', {
    mechanism: curve.isReached
      ? `shared decode: all n run together, total flat from n=${curve.knee.n}`
      : `all ${top.n} decode together; total only ${times(top.total / base.total)} of one`,
    sentence: `The ${said.hardwareWord} gives way first: ${top.n} requests decode together, each at ${kept === null ? 'a fraction' : percent(kept)} of the pace of one alone, and total gains only ${times(top.total / base.total)}.`,
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

/** Only totals, and a limit that is known: what flattens below a limit is not the queue at it. */
export const knownLimitRule: TableRule = (facts) => {
  const { curve, series, said } = facts
  const limit = series.slots
  if (curve === null || limit === null || !curve.isReached || limit >= curve.top.n || said.isEngineOnly) return null
  const inside = curve.levels.filter(({ n }) => n <= limit)
  const beyond = curve.levels.filter(({ n }) => n > limit)
  const at = inside.at(-1)
  if (at === undefined || beyond.length === 0 || inside.length < 2) return null
  const perOne = at.total / at.n / (curve.base.total / curve.base.n)
  const bestBeyond = Math.max(...beyond.map(({ total }) => total))
  if (bestBeyond > 1.15 * at.total) return null
  const worst = Math.min(...beyond.map(({ total }) => total))
  const loss = 1 - bestBeyond / curve.best.total
  const lost =
    worst < 0.97 * curve.best.total
      ? `, and total drops ${percent(Math.max(0.01, loss))} to ${percent(1 - worst / curve.best.total)} beyond it`
      : ', and nothing is gained beyond it'
  if (perOne >= SHARED_RATIO)
    return finding('model_server_queue', 'suspected', {
      mechanism: `admission limit of ${limit}: the rest wait`,
      sentence: `Beyond ${limit} requests queue in the model server: total rises to its limit of ${limit}${lost}.`,
      slots: limit,
      claims: [
        `Total rises in proportion up to the configured limit of ${limit} (each stream still has ${percent(perOne)} of one alone)${lost}: the admission limit queues the rest.`,
      ],
      evidence: [
        supports(`The bend stands at the configured limit of ${limit}.`),
        leavesOpen('Without decode rates or first-token times the queue itself was not seen.'),
      ],
      missing: ['Decode rate per request, or time to first token, below and above the limit.'],
    })
  const claims = [
    `Knee ${curve.knee.n}, limit ${limit}, loss beyond: total gains little from about ${curve.knee.n} on (all ${curve.knee.n} are admitted, so that is the ${said.hardwareWord}), the admission limit of ${limit} queues what exceeds it${lost}.`,
    `Stay at or below ${limit}; ${curve.knee.n} has ${percent(curve.knee.total / curve.best.total)} of the best total (${rateText(facts, curve.best)} at ${curve.best.n}).`,
  ]
  return finding('hardware', 'suspected', {
    secondary: 'model_server_queue',
    mechanism: `diminishing returns from about ${curve.knee.n}; beyond ${limit} the admission limit queues${lost}`,
    sentence: `The ${said.hardwareWord} gives way first, from about ${curve.knee.n}: below the limit of ${limit} every request is admitted, and still each gets only ${percent(perOne)} of one alone; beyond ${limit} the rest queue${lost}.`,
    slots: limit,
    claims,
    evidence: [supports(claims[0] ?? ''), leavesOpen('Decode rates would show the sharing directly.')],
    missing: ['Decode rate per request or time to first token at each level.'],
  })
}

export const noneReachedRule: TableRule = (facts) => {
  const { curve, occupancy, said } = facts
  if (curve === null || curve.isReached) return null
  const { top } = curve
  if (occupancy !== null && occupancy.sharing !== null && occupancy.sharing < 0.5) return null
  const before = curve.levels.at(-2) ?? curve.base
  const gain = top.total / before.total - 1
  const claims = [
    `Ceiling above ${top.n}, not reached: the highest level tested is ${top.n}, and total still rose by ${gainWords(gain)} from ${before.n} to ${top.n} (${rateText(facts, before)} to ${rateText(facts, top)}); it is still scaling at ${top.n}.`,
    ...(said.isEngineOnly
      ? ['No server stands between: nothing of a queue can be read from this table, neither that there is one nor that there is none.']
      : []),
  ]
  return finding('none_reached', occupancy?.together === true || curve.lastGain > 0.5 ? 'likely' : 'suspected', {
    mechanism: said.isEngineOnly ? 'decode keeps batching' : 'continuous batching, still gaining at the last step',
    sentence: `Nothing gives way up to ${top.n}: total still rose by ${gainWords(gain)} from ${before.n} to ${top.n}. The ceiling lies above.`,
    ceilingN: null,
    claims,
    evidence: claims.map(supports),
    missing: [`Levels above ${top.n}.`],
  })
}

const gainWords = (gain: number): string => (gain > 0.42 && gain < 0.58 ? `about half (${percent(gain)})` : percent(gain))

/** A plateau of totals, and nothing that tells one cause from another. */
export const totalsOnlyRule: TableRule = (facts) => {
  const { curve, series } = facts
  if (curve === null || !curve.isReached) return null
  const { knee, best } = curve
  const tested = curve.levels.length
  const lacking = [curve.top.decode === null ? 'per-request decode time' : '', curve.top.firstMs === null ? 'TTFT' : ''].filter((part) => part !== '')
  const why = lacking.length === 0 ? 'what the table has does not tell them apart' : `no ${lacking.join(' or ')}`
  const last = `Total stays at about ${facts.series.unit === 'tok/s' ? tokens(best.total) : `${decimal(best.total)} requests/s`} at best`
  const claims = [
    tested < 3
      ? `Two points only: total is flat between ${curve.base.n} and ${curve.top.n}, and where it bends cannot be told.`
      : `Throughput ceiling found at ${knee.n}, cause not separable: ${why}. Queue and shared decode give the same totals.`,
    `${last} from n=${knee.n} on.`,
  ]
  const perRequest = series.points.some((point) => point.row.effectiveTokensPerSecPerRequest !== undefined)
  if (perRequest) claims.push('The per-stream column is only total divided by n: it holds no word of how fast an answer was decoded.')
  return finding('inconclusive', 'cannot-tell', {
    mechanism: `throughput ceiling at n=${knee.n}; queue or shared decode cannot be told apart from totals alone`,
    sentence: `A ceiling stands at ${knee.n}, but what makes it can't be told: ${why}, and a queue gives the same totals as shared hardware.`,
    ...(tested < 3 ? { ceilingN: null } : {}),
    claims,
    evidence: [leavesOpen(claims[0] ?? ''), speaksAgainst('A curve’s shape alone never names a cause.')],
    missing: [
      'Decode rate per request (or time per token) at each level: unchanged means a queue, falling means shared hardware.',
      'Time to first token at each level.',
    ],
  })
}

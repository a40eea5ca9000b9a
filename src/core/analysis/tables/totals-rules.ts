/** Verdicts from totals over n: cliffs, limits that are known, what still rises, and what totals alone can't tell. */
import { leavesOpen, speaksAgainst, supports } from '../verdict/finding.ts'
import type { Curve, Level } from './level-curve.ts'
import { FLAT_GAIN, finding, rateText, type TableFacts, type TableRule } from './table-finding.ts'
import { decimal, elasticity, percent, tokens } from './table-words.ts'

/** Below the limit each stream has less than this of one alone: it is shared before it is queued. */
const SHARED_RATIO = 0.6

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

/** An engine by itself: nothing is there that could queue. */
export const engineOnlyRule: TableRule = (facts) => {
  const { curve, said } = facts
  if (curve === null || !said.isEngineOnly || !curve.isReached) return null
  const claim = `Total stops rising at n=${curve.knee.n} in the engine itself: no server is between, so this is no queue but the ${said.hardwareWord} or the engine's batching.`
  return finding('hardware', 'suspected', {
    mechanism: 'the engine’s batch stops gaining',
    sentence: claim,
    claims: [claim],
    evidence: [supports(claim)],
    missing: ['The same through the server, with its slots.'],
  })
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
  const { curve, occupancy, said, series } = facts
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
    mechanism: said.isEngineOnly
      ? 'decode keeps batching'
      : occupancy?.together === true && !said.isJobs && series.unit === 'tok/s'
        ? 'decoded together, still gaining at the last step'
        : 'still gaining at the last step',
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

/** What a careful reader would say of any table, whatever the verdict: each a whole sentence with its figures, said only where its columns are there. */

import type { Curve, Level } from './level-curve.ts'
import { paceLine } from './occupancy-rules.ts'
import { type ClaimMaker, isQueue, SETUP_CLAIMS } from './setup-claims.ts'
import type { TableFacts, TableFinding } from './table-finding.ts'
import { decimal, percent, plural, share, span, times, tokens } from './table-words.ts'

export function claimsOf(facts: TableFacts, found: TableFinding): string[] {
  return [...new Set([...found.claims, ...MAKERS.flatMap((make) => make(facts, found))])]
}

const sumOfRates: ClaimMaker = ({ series }) => {
  if (series.isUnverifiable)
    return [
      'The published total is n times the mean per-request rate, which holds whether requests run together or one after another: it is no measurement of a total. Recompute it as tokens / wall.',
    ]
  if (series.sumOfRates === null) return []
  const { low, high } = series.sumOfRates
  const over = [low, high].map((ratio) => Math.round((ratio - 1) * 100))
  const totals = series.points.filter((point) => point.total !== null).map((point) => `${tokens(point.total ?? 0)} at n=${point.n}`)
  return [
    `Recompute total from tokens / wall: the published totals are ${over[0] === over[1] ? over[0] : `${over[0]}-${over[1]}`}% too high, because each is n times the mean per-request rate; by the wall clock it is ${totals.join(', ')}.`,
  ]
}

/** Wait and pace, from one level to another beyond the slots. */
const queueGrowth: ClaimMaker = ({ curve, occupancy, series }, found) => {
  if (curve === null || !isQueue(found)) return []
  const claims: string[] = []
  const { base, top, levels } = curve
  const slots = found.slots ?? 1
  if (base.decode !== null && top.decode !== null && found.primary === 'model_server_queue') {
    const from = levels.filter(({ n, decode }) => decode !== null && n <= slots).at(-1) ?? base
    claims.push(paceLine(series, from === top ? base : from, top))
    if (top.decode / base.decode > 0.95 && series.decodeFrom !== 'latency less first token')
      claims.push(
        `Queue wait explains the growth: the server's decode rate per request is constant over n (${tokens(base.decode)} at n=${base.n}, ${tokens(top.decode)} at n=${top.n}).`,
      )
  }
  const inside = levels.filter(({ n }) => n <= slots).at(-1)
  const grown = (level: Level) => level.row.wallMs ?? level.latencyMs
  if (found.slots === null) return claims
  if (inside !== undefined && inside !== top && found.primary === 'hardware' && inside.decode !== null && top.decode !== null) {
    const [before, after] = [grown(inside), grown(top)]
    if (before != null && after != null)
      claims.push(
        `From n=${inside.n} to n=${top.n} wall ${Math.abs(after / before - 2) < 0.15 ? 'doubles' : `grows ${times(after / before)}`} (${span(before)} to ${span(after)}) while per-request decode is flat${series.decodeFrom === 'latency less first token' ? '' : ` (${tokens(inside.decode)} and ${tokens(top.decode)})`}, so the extra wait is queue.`,
      )
  }
  if (occupancy?.overlapTop != null && slots === 1)
    claims.push(
      `Overlap ${occupancy.overlapTop.toFixed(occupancy.overlapTop > 0.96 && occupancy.overlapTop < 1.04 ? 1 : 2)} at n=${top.n}: ${occupancy.overlapTop < 0.7 ? 'on average fewer than one request decodes; the rest of a service time is something else' : 'one request decodes at a time'}.`,
    )
  return claims
}

function served({ base, top }: Curve, ms: number): string {
  const alone = base.row.wallMs ?? base.latencyMs
  const each = `${span(ms)} = ${top.n} x ${span(ms / top.n)}`
  return `Wall at n=${top.n} is ${top.n} service times (${each}${base.n === 1 && alone !== null ? `; at n=1 the wall is ${span(alone)}, ${decimal(ms / alone)} of which it is` : ''}): they are served one after another.`
}

const serviceTimes: ClaimMaker = ({ curve }, found) => {
  if (curve === null || found.primary !== 'model_server_queue' || found.slots !== 1) return []
  const { top, base, levels } = curve
  const claims: string[] = []
  const ms = top.row.wallMs ?? top.latencyMs
  if (ms != null) claims.push(served(curve, ms))
  const pace = base.decode
  const filled = levels.find(({ total, n }) => n > base.n && pace !== null && Math.abs(total / pace - 1) < 0.12)
  if (filled !== undefined && pace !== null && base.total < 0.85 * pace)
    claims.push(
      `Aggregate at n=${filled.n} (${tokens(filled.total)}) equals the solo decode rate (${tokens(pace)}): one request decodes at a time, and the step from ${base.n} to ${filled.n} only fills the gap that one client leaves between its requests.`,
    )
  return claims
}

/** With one slot and gaps: what of a cycle at n=1 is the client's. */
const residual: ClaimMaker = ({ curve, said, series }, found) => {
  if (curve === null || !isQueue(found) || series.unit !== 'tok/s') return []
  const { base, best } = curve
  const count = base.row.tokensPerRequest ?? said.tokensPerRequest
  if (
    base.n !== 1 ||
    count === null ||
    base.decode === null ||
    base.total > 0.8 * base.decode ||
    base.firstMs !== null ||
    base.row.toolMs !== undefined
  )
    return []
  const [cycle, decode] = [(1000 * count) / base.total, (1000 * count) / base.decode]
  const gap = cycle - ((found.slots ?? 1) * 1000 * count) / best.total
  return [
    `At n=1 a large part of each cycle is outside decode and is not queue: of ${span(cycle)} for ${count} tokens ${span(decode)} are decode, ${span(cycle - decode)} are not${gap > 50 ? `; about ${span(Math.round(gap / 50) * 50)} of it vanish as soon as other requests fill them, so they lie between client and server` : ''}. Subtract the n=1 residual before naming queue wait.`,
  ]
}

const clientHabits: ClaimMaker = ({ said }) => [
  ...(said.newClientPerRequest
    ? ['The client makes a new connection per request: measure its cost separately, or reuse connections, before it is booked to the server.']
    : []),
  ...(said.newClientPerRequest && said.usesLocalhostName
    ? ['The address uses the name localhost: its look-up can cost time on each new connection; use the literal address 127.0.0.1.']
    : []),
]

/** First-token wait against one request's time. */
const firstTokenWait: ClaimMaker = ({ curve, series, said }, found) => {
  if (curve === null || !isQueue(found) || series.stat === null) return []
  const { top, base, levels } = curve
  const inside = levels.filter(({ n }) => n <= (found.slots ?? 1)).at(-1) ?? base
  if (top.firstMs === null || inside.firstMs === null || inside === top) return []
  if (inside.n > (found.slots ?? 1))
    return [
      `First token goes from ${span(inside.firstMs)} at n=${inside.n}, where some wait already, to ${span(top.firstMs)} at n=${top.n}; lower n were not measured.`,
    ]
  const claims: string[] = []
  const service = inside.answerMs
  const name = series.stat.toLowerCase()
  if (service !== null && top.answerMs !== null) {
    const turns = (top.firstMs - inside.firstMs) / (service + inside.firstMs)
    const amount = turns > 0.75 && turns < 1.25 ? 'one full request time' : `${decimal(turns)} request times`
    const change = top.answerMs / service
    claims.push(
      `The ${name} first-token wait at n=${top.n} (${span(top.firstMs)}) is ${amount} (${span(inside.latencyMs ?? 0)} at n=${inside.n}, less ${span(inside.firstMs)} to its first token), and the decode part ${change < 1.12 && change > 0.88 ? 'is unchanged' : `changes ${times(change)}`} (${span(service)} at n=${inside.n}, ${span(top.answerMs)} at n=${top.n}): a queue, not a saturated ${said.hardwareWord === 'hardware' ? 'machine' : said.hardwareWord}.`,
    )
  } else claims.push(`First token goes from ${span(inside.firstMs)} at n=${inside.n} to ${span(top.firstMs)} at n=${top.n}: the wait for a slot.`)
  return claims
}

const checkLimit: ClaimMaker = ({ series }, found) => {
  if (found.primary !== 'model_server_queue' || (found.slots ?? 1) < 2 || series.axis !== 'n') return []
  return [
    `Check the server's admission limit and its waiting count: it should read ${found.slots} (max_num_seqs and num_requests_waiting on vLLM, the slots and requests_deferred of llama-server, the slot count in Ollama's log).`,
  ]
}

const moreSlots: ClaimMaker = ({ curve, series }, found) => {
  if (found.primary !== 'model_server_queue' || found.slots !== 1 || curve === null || (series.slots ?? 1) > 1 || curve.base.n !== 1) return []
  const { base, top } = curve
  if (base.firstMs === null || top.firstMs === null) return []
  return [
    `What more slots would bring here must be compared, not assumed: with a slot each the first token would come far sooner (${span(top.firstMs)} towards ${span(base.firstMs)}, up to ${times(top.firstMs / base.firstMs)} sooner), but a finished answer only as much sooner as the total rate rises with shared decode; repeat these levels with 2 and with 4 slots.`,
  ]
}

const idleStep: ClaimMaker = ({ curve }, found) => {
  const step = found.primary === 'invalid_measurement' ? null : curve?.idleStep
  if (step === null || step === undefined) return []
  const { from, to, later } = step
  const isDearest = Math.abs(later.total / to.total / (later.n / to.n) - 1) < 0.15
  return [
    `n=${to.n} ${to.total < 0.95 * from.total ? 'is slower than' : 'gains nothing over'} n=${from.n} (total ${decimal(from.total)} and ${decimal(to.total)}), and n=${later.n} then gains (${decimal(later.total)})${isDearest ? `: a batch of ${to.n} costs as much as a batch of ${later.n} here` : ''}. The non-monotone gain is real, do not smooth it.`,
  ]
}

/** What more throughput costs each session. */
const latencyPrice: ClaimMaker = ({ curve, series }, found) => {
  if (
    curve === null ||
    found.primary !== 'none_reached' ||
    series.axis !== 'n' ||
    series.totalFrom === 'fixed work' ||
    curve.base.row.sumJobMs !== undefined
  )
    return []
  const { base, top } = curve
  const ratio = top.total / top.n / (base.total / base.n)
  const latency = top.row.wallMs ?? top.latencyMs
  const before = base.row.wallMs ?? base.latencyMs
  const claims =
    ratio > 0.97 || series.totalFrom === 'decode phase'
      ? []
      : [
          `Per-agent speed fell to ${share(ratio)} of that at n=${base.n}${latency != null && before != null ? `, and one request takes ${span(latency)} instead of ${span(before)}` : ''}: state the latency price with the throughput (total ${times(top.total / base.total)} for ${times(top.n / base.n)} the sessions).`,
        ]
  return claims
}

/** Prefill and decode apart, where both are timed. */
const prefillApart: ClaimMaker = ({ curve }) => {
  if (curve === null) return []
  const { base, top } = curve
  const [before, after] = [base.row.prefillMs, top.row.prefillMs]
  if (before === undefined || after === undefined || base.row.decodeMs === undefined || top.row.decodeMs === undefined || after < 2 * before)
    return []
  const ratio = after / before / (top.n / base.n)
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`
  const gains = top.total > 1.1 * base.total && (!curve.isReached || curve.lastGain > 0.15)
  return [
    `First token for a burst grows ${ratio > 0.7 && ratio < 1.4 ? 'linearly' : `${times(after / before)}`} (${seconds(before)} to ${seconds(after)} from n=${base.n} to n=${top.n})${gains ? ' although decode still scales' : ''}: report prefill and decode ceilings apart. Prefill is compute-bound and grows in proportion to n, decode gains ${times(top.total / base.total)}.`,
  ]
}

const promptReuse: ClaimMaker = ({ said }) => {
  if (said.promptReuse === 'identical') return ['The prompts are identical: prompt reuse is not excluded, and prefill may look cheaper than it is.']
  return said.promptReuse === 'cache'
    ? [
        'Prompt reuse is not excluded: the set-up mentions a prompt cache or slots reused by common prefix, so prefill may look cheaper than with fresh prompts.',
      ]
    : []
}

const failures: ClaimMaker = ({ series }) => {
  const failing = series.points.filter((point) => (point.row.failures ?? point.row.failurePercent ?? 0) > 0)
  const [first] = failing
  return first === undefined
    ? []
    : [
        `Failures begin at ${series.axis === 'n' ? `n=${first.n}` : decimal(first.at)}: an error ceiling stands below it, and latencies of those that succeeded leave the failed ones out.`,
      ]
}

const finishedAtTop: ClaimMaker = ({ series }, found) => {
  if (found.primary === 'runner_process') return []
  const cut = series.points.flatMap((point) => {
    const [seen, n] = [point.row.observedInFlight, point.n]
    return seen === undefined || n === null || seen > 0.8 * n ? [] : [{ seen, n }]
  })
  const worst = cut.at(-1)
  return worst === undefined
    ? []
    : [
        `At n=${worst.n} only ${decimal(worst.seen)} requests were in flight on average: too few requests for that level, so its means lean towards lower n.`,
      ]
}

const slotsSaid: ClaimMaker = ({ series }, found) => {
  if (
    series.slots === null ||
    found.slots === null ||
    series.slots === found.slots ||
    series.axis !== 'n' ||
    ['job_scheduler', 'runner_process', 'load_generator'].includes(found.primary)
  )
    return []
  return [
    `Configured ${plural(series.slots, 'slot')}, observed ${found.slots}: compare the server's log line that reports the slot count.${series.slots > found.slots && found.primary === 'model_server_queue' ? ` The setting did not take effect, or the server forces this model's family (its architecture) to ${plural(found.slots, 'slot')}: then no slot setting will move it.` : ''}`,
  ]
}

const perRequestCheck: ClaimMaker = ({ series }) =>
  series.totalFrom === 'per-request rates'
    ? ['There is no total in the table: it was taken as n times tokens over wall of one request, waiting included.']
    : []

const cliffPercent: ClaimMaker = ({ curve }, found) => {
  if (curve?.idleStep != null || curve === null || found.primary === 'model_server_engine') return []
  const dip = curve.levels.find((level, index) => index > 0 && level.total < 0.8 * (curve.levels[index - 1]?.total ?? 0) && level.n < curve.best.n)
  return dip === undefined
    ? []
    : [
        `n=${dip.n} is slower than the level before it (${percent(1 - dip.total / (curve.levels[curve.levels.indexOf(dip) - 1]?.total ?? 1))} less total) although higher n gain again: the engine takes another path for that batch size; do not smooth it away.`,
      ]
}

const MAKERS: readonly ClaimMaker[] = [
  sumOfRates,
  queueGrowth,
  serviceTimes,
  residual,
  clientHabits,
  firstTokenWait,
  checkLimit,
  moreSlots,
  idleStep,
  latencyPrice,
  prefillApart,
  promptReuse,
  ...SETUP_CLAIMS,
  failures,
  finishedAtTop,
  slotsSaid,
  perRequestCheck,
  cliffPercent,
]

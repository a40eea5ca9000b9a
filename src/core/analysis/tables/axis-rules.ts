/** Verdicts where something else than n was varied: arrivals, think time, slots; and jobs whose sum and wall are known. */
import { leavesOpen, supports } from '../verdict/finding.ts'
import type { Point, Series } from './series.ts'
import { finding, type TableFacts, type TableRule } from './table-finding.ts'
import { decimal, elasticity, listed, median, percent, plural, span, times, tokens } from './table-words.ts'

/** A setting that moves nothing by more than this moved nothing. */
const SAME = 0.12
/** Waiting this many times the service: arrivals exceed what is carried. */
const OVERLOADED_TIMES = 4

const latencyOf = ({ row }: Point): number | null =>
  row.latencyMeanMs ?? row.latencyP50Ms ?? row.latencyP95Ms ?? row.wallMs ?? row.ttftMeanMs ?? row.ttftP50Ms ?? row.ttftP95Ms ?? null

export const arrivalRule: TableRule = (facts) => {
  const { all, said, series } = facts
  if (series.axis !== 'arrival') return null
  const [first, last] = [series.points[0], series.points.at(-1)]
  const [low, high] = [first === undefined ? null : latencyOf(first), last === undefined ? null : latencyOf(last)]
  if (first === undefined || last === undefined || low === null || high === null) return null
  const serviceMs = said.serviceMs ?? low
  if (high < 2 * low) return calm(facts, first, last, low, high)
  const kept = first.decode === null || last.decode === null ? null : last.decode / first.decode
  if (kept !== null && kept < 0.7) return sharedArrivals(facts, first, last, kept)
  const carried = series.points.filter((point) => (latencyOf(point) ?? 0) < OVERLOADED_TIMES * serviceMs).at(-1)
  const exceeded = series.points.find((point) => (latencyOf(point) ?? 0) >= OVERLOADED_TIMES * serviceMs)
  const slots = slotsFromCompleted(series, low) ?? slotsFromArrivals(carried, exceeded, serviceMs)
  const ineffective = ineffectiveSlots(all.map((one) => one.series))
  const claims = [...settingClaims(ineffective), ...arrivalClaims(first, last, low, high, carried, exceeded)]
  if (kept === null)
    return finding('inconclusive', 'cannot-tell', {
      mechanism: 'open loop beyond what is carried; queue or shared decode cannot be told apart from latency alone',
      sentence: `Arrivals exceed what is carried, but what gives way can't be told: there is no decode rate per request.`,
      ceilingN: null,
      claims,
      evidence: claims.map(leavesOpen),
      missing: ['Decode rate per request at each arrival rate.', 'Completed requests a second.'],
    })
  const flat = `${inFlightWords(
    all.map((one) => one.series),
    first,
    last,
  )} (${tokens(first.decode ?? 0)} and ${tokens(last.decode ?? 0)}): what waits is not being decoded.`
  const seen = ineffective === null ? slots : (slots ?? ineffective.least)
  return finding('model_server_queue', ineffective === null && seen === null ? 'suspected' : 'likely', {
    mechanism:
      ineffective === null
        ? `waiting grows with arrivals, decode does not slow`
        : `effective slots stay ${seen ?? ineffective.least} whatever was configured`,
    sentence: `Requests queue in the model server: latency grows from ${span(low)} to ${span(high)} with the arrivals while each answer is decoded at the same rate${seen === null ? '' : `; it has ${seen === 1 ? 'one effective slot' : `${seen} effective slots`}`}.`,
    slots: seen,
    ceilingN: null,
    claims: [flat, ...claims],
    evidence: [supports(flat), ...claims.slice(0, 1).map(supports)],
    missing: ['Completed requests a second, and the slot count as the server’s log reports it.'],
  })
}

/** Over all series, by their median: where several settings were tried, the words hold for all of them. */
function inFlightWords(all: readonly Series[], first: Point, last: Point): string {
  const at = (place: number) => {
    const values = all.flatMap(({ points }) =>
      points.filter((point) => point.at === place).map(({ row }) => row.inFlightAtSubmit ?? row.observedInFlight),
    )
    const known = values.filter((value) => value !== undefined)
    return known.length === 0 ? undefined : median(known)
  }
  const [before, after] = [at(first.at), at(last.at)]
  return before === undefined || after === undefined
    ? `Same decode rate at ${decimal(last.at)} arrivals a second as at ${decimal(first.at)}`
    : `Same decode rate at ${Math.round(after)} in flight as at ${decimal(before)} proves nothing was batched`
}

function calm(facts: TableFacts, first: Point, last: Point, low: number, high: number): ReturnType<TableRule> {
  const claim = `Up to ${decimal(last.at)} arrivals a second latency stays near ${span(low)} (${span(high)} at the highest): what arrives is carried, no limit was reached.`
  return finding('none_reached', 'likely', {
    mechanism: 'open loop below saturation',
    sentence: `Nothing gives way up to ${decimal(last.at)} requests a second.`,
    ceilingN: null,
    claims: [claim],
    evidence: [supports(claim)],
    missing: [
      `Arrival rates above ${decimal(last.at)} a second${facts.series.points.length < 3 ? ', and between those measured' : ''}; ${decimal(first.at)} to ${decimal(last.at)} were tested.`,
    ],
  })
}

function sharedArrivals(facts: TableFacts, first: Point, last: Point, kept: number): ReturnType<TableRule> {
  const claim = `Each answer slows down with the arrivals, to ${percent(kept)} of its pace (${tokens(first.decode ?? 0)} to ${tokens(last.decode ?? 0)}): requests are decoded together and share the ${facts.said.hardwareWord}.`
  return finding('hardware', 'likely', {
    mechanism: 'shared decode under open load',
    sentence: `The ${facts.said.hardwareWord} gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    ceilingN: null,
    claims: [claim],
    evidence: [supports(claim)],
    missing: ['Completed requests a second.'],
  })
}

/** Completed requests a second times the time of one that did not wait, where it comes to a whole number. */
function slotsFromCompleted({ points }: Series, lowMs: number): number | null {
  const first = points[0]?.row
  const isWhole = first?.latencyMeanMs !== undefined || first?.latencyP50Ms !== undefined
  const best = Math.max(0, ...points.map(({ row }) => row.requestsPerSec ?? 0))
  const value = (best * lowMs) / 1000
  return isWhole && best > 0 && Math.round(value) >= 1 && Math.abs(value - Math.round(value)) < 0.12 ? Math.round(value) : null
}

/** Stable up to λ means slots ≥ λ·S; beyond, slots < λ·S. One whole number between: that is it. */
function slotsFromArrivals(carried: Point | undefined, exceeded: Point | undefined, serviceMs: number): number | null {
  if (carried === undefined || exceeded === undefined) return null
  const least = Math.max(1, Math.ceil((carried.at * serviceMs) / 1000 - 0.05))
  const below = (exceeded.at * serviceMs) / 1000
  const most = Math.max(least, Math.ceil(below) - 1)
  return least === most ? least : null
}

function arrivalClaims(first: Point, last: Point, low: number, high: number, carried?: Point, exceeded?: Point): string[] {
  const claims = [`Latency grows from ${span(low)} at ${decimal(first.at)} arrivals a second to ${span(high)} at ${decimal(last.at)}.`]
  if (carried !== undefined && exceeded !== undefined)
    claims.push(
      `The rate that is carried lies between ${decimal(carried.at)} and ${decimal(exceeded.at)} requests a second; beyond it the queue grows as long as the test lasts, so its latencies say how long the test was.`,
    )
  return claims
}

type Ineffective = { readonly least: number; readonly most: number; readonly change: number }

/** Series that differ in the configured slots and in nothing that was measured. */
export function ineffectiveSlots(all: readonly Series[]): Ineffective | null {
  const withSlots = all.filter((one) => one.slots !== null).toSorted((a, b) => (a.slots ?? 0) - (b.slots ?? 0))
  const [fewest, most] = [withSlots[0], withSlots.at(-1)]
  if (fewest === undefined || most === undefined || fewest.slots === most.slots || fewest.slots === null || most.slots === null) return null
  const changes = fewest.points.flatMap((point) => {
    const other = most.points.find(({ at }) => at === point.at)
    const [before, after] = [latencyOf(point), other === undefined ? null : latencyOf(other)]
    if (before !== null && after !== null) return [after / before]
    return point.total !== null && other?.total != null ? [point.total / other.total] : []
  })
  const busiest = changes.slice(-Math.max(1, Math.ceil(changes.length / 2)))
  if (busiest.length === 0) return null
  const change = median(busiest)
  return Math.abs(change - 1) <= SAME ? { least: fewest.slots, most: most.slots, change } : null
}

function settingClaims(found: Ineffective | null): string[] {
  if (found === null) return []
  return [
    `Configured ${found.most}, observed ${found.least}: with ${found.most} slots configured the latencies are those of ${found.least} (${percent(found.change)}), so the setting did not take effect, or the model forbids it; check the server log line that reports the slot count.`,
  ]
}

/** n clients that pause: which number of slots makes the rate of one slot the same at every pause? */
export const thinkRule: TableRule = (facts) => {
  const { series } = facts
  const n = series.points[0]?.n ?? null
  if (series.axis !== 'think' || n === null || n < 2) return null
  const points = series.points.flatMap((point) => {
    const latency = latencyOf(point)
    return latency === null || point.total === null ? [] : [{ point, latency, total: point.total }]
  })
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return null
  const fits = Array.from({ length: n }, (_, index) => ({ slots: index + 1, ...spreadOf(points, n, index + 1) })).toSorted(
    (a, b) => a.spread - b.spread,
  )
  const [best] = fits
  const slots = best?.slots ?? 1
  const profile = `The ceiling depends on think time: state the profile (tool time, user pause) with every ceiling. Here a pause of ${span(last.point.at)} takes latency from ${span(first.latency)} to ${span(last.latency)}.`
  if (slots === n || last.latency > 0.85 * first.latency)
    return finding('inconclusive', 'cannot-tell', {
      mechanism: 'pauses change nothing that was measured',
      sentence: 'What gives way can’t be told: pauses between requests did not change the latency.',
      ceilingN: null,
      claims: [profile],
      missing: ['The same over n.', 'Decode rate per request.'],
    })
  const solo = best?.rate ?? 0
  const claims = [
    profile,
    `Think time empties the queue: with pauses fewer requests wait at a time, and sustained output stays at ${tokens(first.total)} as long as any waits (${listed(points.map(({ total, point }) => `${tokens(total)} at ${span(point.at)}`))}).`,
    `Any aggregate above slots x decode rate (${slots} x about ${tokens(solo)}) is a computation error: sustained output is tokens over wall time, pauses included.`,
    `Whether 1 or all ${n} are in flight, the total while anything is in flight is the same (about ${tokens(solo * slots)}): ${slots === 1 ? 'one request is served at a time' : `${slots} are served at a time`}.`,
  ]
  const isClear = (best?.spread ?? 1) < 0.08
  return finding('model_server_queue', isClear ? 'likely' : 'suspected', {
    mechanism: 'think time empties the queue',
    sentence: `Requests queue in the model server: with ${n} clients it has ${slots === 1 ? 'one effective slot' : `${slots} effective slots`}, and pauses only empty its queue; sustained output does not rise.`,
    slots,
    ceilingN: null,
    claims,
    evidence: [supports(claims[3] ?? ''), leavesOpen('The decode rate per request was not given; it would settle it.')],
    missing: ['Decode rate per request.', 'The same over n, without pauses.'],
  })
}

type Pause = { readonly point: Point; readonly latency: number; readonly total: number }

function spreadOf(points: readonly Pause[], n: number, slots: number): { spread: number; rate: number } {
  const rates = points.map(({ point, latency, total }) => total / busySlots(n, latency / (latency + point.at), slots))
  const mean = rates.reduce((sum, rate) => sum + rate, 0) / rates.length
  return { spread: (Math.max(...rates) - Math.min(...rates)) / mean, rate: mean }
}

/** Mean of min(k, slots) when each of n clients is in flight with this probability. */
function busySlots(n: number, probability: number, slots: number): number {
  let sum = 0
  let weight = (1 - probability) ** n
  if (probability >= 1) return Math.min(n, slots)
  for (let k = 0; k <= n; k += 1) {
    sum += Math.min(k, slots) * weight
    weight *= ((n - k) / (k + 1)) * (probability / (1 - probability))
  }
  return sum
}

/** The slots themselves were varied at one n: the intervention that settles it. */
export const slotSweepRule: TableRule = (facts) => {
  const { series, said } = facts
  if (series.axis !== 'slots') return null
  const points = series.points.filter((point) => point.total !== null || latencyOf(point) !== null)
  const [first, last] = [points[0], points.at(-1)]
  if (first === undefined || last === undefined || points.length < 2) return null
  const speed = (point: Point) => point.total ?? 1 / (latencyOf(point) ?? 1)
  const gain = speed(last) / speed(first)
  const within = elasticity(first.at, speed(first), Math.min(last.at, first.n ?? last.at), speed(last))
  const line = `From ${plural(first.at, 'slot')} to ${last.at} at n=${first.n ?? '?'} total changes ${times(gain)}`
  const kept = first.decode === null || last.decode === null ? null : last.decode / first.decode
  if (within > 0.6)
    return finding('model_server_queue', 'confirmed', {
      mechanism: 'slots were the limit: more of them moved the total',
      sentence: `The model server's queue was the limit: ${line}.`,
      ceilingN: null,
      claims: [`${line}: more slots moved it, so with fewer the wait is queue.`],
      evidence: [supports(`${line}.`)],
    })
  if (kept !== null && kept > 0.85 && gain < 1 + SAME)
    return finding('model_server_queue', 'suspected', {
      mechanism: 'the slot setting has not taken effect',
      sentence: `${line} and decode rate per request is the same: the setting did not take effect.`,
      slots: first.at === 1 ? 1 : null,
      ceilingN: null,
      claims: [
        `Configured ${last.at}, yet nothing changes and each answer is decoded as fast as with ${first.at}: the setting did not take effect, or the model forbids it; check the server log line that reports the slot count.`,
      ],
      evidence: [supports(`${line}.`)],
    })
  return finding('hardware', kept === null ? 'suspected' : 'likely', {
    mechanism: 'more slots share the same hardware',
    sentence: `The ${said.hardwareWord} is the limit: ${line}, so more slots only share it.`,
    ceilingN: null,
    claims: [
      `${line}${kept === null ? '' : `, while each answer falls to ${percent(kept)} of its pace`}: ${gain < 1 + SAME ? 'more slots bring the first token sooner, but hardly more output' : `each slot more brings less (${listed(points.map((point) => `${times(speed(point) / speed(first))} with ${point.at}`))})`}.`,
    ],
    evidence: [supports(`${line}.`)],
    missing: kept === null ? ['Decode rate per request, to be sure that the setting took effect.'] : [],
  })
}

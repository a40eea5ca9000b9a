/** Verdicts from what was configured against what was seen, and from counters that name their cause: they come before any curve. */
import { supports } from '../verdict/finding.ts'
import type { Figure, Figures } from './measured-table.ts'
import { isOption } from './series.ts'
import { finding, type TableFacts, type TableFinding, type TableRule } from './table-finding.ts'
import { decimal, listed, plural, span } from './table-words.ts'

const rowsOf = ({ table }: TableFacts): Figures[] => table.rows.map(({ figures }) => figures)
const numbers = (rows: readonly Figures[], figure: Figure): number[] => rows.map((row) => row[figure]).filter((value) => value !== undefined)

/** Limits that HTTP clients come with, or that people set: browsers 6, then tens and powers of two. */
const POOL_SIZES = new Set([1, 2, 4, 5, 6, 8, 10, 15, 16, 20, 25, 30, 32, 40, 50, 60, 64, 100, 128, 150, 200, 250, 256, 500, 512, 1000, 1024])

/** Slots seen below slots set: forced, or the setting never arrived. */
export const forcedSlotsRule: TableRule = (facts) => {
  const pairs = facts.table.rows.flatMap(({ figures, labels }) => {
    const configured = figures.configuredSlots ?? facts.said.slots
    return figures.observedSlots === undefined || configured === null ? [] : [{ configured, observed: figures.observedSlots, labels }]
  })
  const low = pairs.filter(({ configured, observed }) => observed < configured)
  const [first] = low
  if (first === undefined) return null
  const slots = Math.min(...low.map(({ observed }) => observed))
  const kept = pairs.find(({ configured, observed, labels }) => observed >= configured && nameOf(labels) !== nameOf(first.labels))
  const names = [...new Set(low.map(({ labels }) => nameOf(labels)).filter((name) => name !== ''))]
  const who = names.length === 0 ? 'the model server' : `the model server for ${listed(names)}`
  const claims = [
    `Configured ${first.configured}, observed ${slots}: ${who} serves ${plural(slots, 'request')} at once whatever was set, and everything beyond waits in its queue.`,
  ]
  if (kept !== undefined && names.length > 0)
    claims.push(
      `The slot count is per model family, not per server setting: with the same ${first.configured} configured, ${nameOf(kept.labels)} got ${kept.observed} and ${listed(names)} got ${slots}; the server forces this architecture to ${plural(slots, 'slot')}.`,
      `Ask the server's log which architectures it does not serve in parallel (it warns when it forces the slot count), and plan each model by the slots observed for it.`,
    )
  else claims.push('The setting did not take effect, or the model forbids it: check the server log line that reports the slot count.')
  return finding('model_server_queue', 'likely', {
    mechanism: kept === undefined ? 'fewer slots than configured' : 'the server forces the slot count of this model family (architecture block list)',
    sentence: `Beyond ${plural(slots, 'session')} requests queue in ${who}: ${first.configured} slots are configured, ${slots} observed.`,
    slots,
    ceilingN: slots,
    claims,
    evidence: [supports(claims[0] ?? '')],
    missing: ['Total rate and latency over n, to see what the missing slots cost.'],
  })
}

const nameOf = (labels: Readonly<Record<string, string>>): string => labels.model ?? Object.values(labels).join(' ')

/** Jobs or workers running below those configured: a lock in the scheduler. */
export const jobSchedulerRule: TableRule = (facts) => {
  const rows = rowsOf(facts)
  const low = rows.flatMap((row) => {
    const configured = row.configuredLimit ?? numberSetting(facts, /^(max[_ ]?)?(concurrent[_ ]?)?(workers|jobs)$/i) ?? row.n
    return row.observedRunning === undefined || configured === undefined || row.observedRunning > 0.7 * configured
      ? []
      : [{ configured, running: row.observedRunning }]
  })
  if (
    low.length === 0 ||
    !(facts.said.isJobs || namesJobs(facts) || rows.some((row) => row.observedRunning !== undefined && row.serverWaiting === undefined))
  )
    return null
  const running = Math.max(...low.map((row) => row.running))
  const configured = Math.max(...low.map((row) => row.configured))
  const slots = Math.max(1, Math.round(running))
  const text = `${facts.table.context.load ?? ''} ${facts.table.context.server ?? ''}`.toLowerCase()
  const lock = /repositor|repo\b|checkout|worktree|clone/.test(text) ? 'repository lock' : 'lock'
  const claims = [
    `Configured ${configured}, observed ${decimal0(running)}: the jobs hold each other up in the scheduler; the blocked reason is a ${lock}, and the scheduler must say it with the name of the job that holds it.`,
    'Measure running jobs over time, not the setting: the configured number says how many may run, not how many do.',
    `What would move it: let jobs run that do not share the ${lock === 'lock' ? 'locked thing' : 'checkout'} (a private worktree each, disjoint paths), never dropping the lock without isolation.`,
  ]
  return finding('job_scheduler', 'likely', {
    mechanism: lock === 'lock' ? 'jobs wait for a lock' : 'per-repository lock',
    sentence: `The job scheduler gives way first: ${configured} jobs may run and ${decimal0(running)} runs at a time, because of a ${lock}.`,
    slots,
    ceilingN: slots,
    claims,
    evidence: [supports(claims[0] ?? '')],
    missing: ['The blocked reason and holder of each waiting job, over time.'],
  })
}

/** Columns may say it where the table has no words beside it: "queued_jobs". */
const namesJobs = ({ table }: TableFacts) => table.understood.some(({ column }) => /(^|[^a-z])jobs?([^a-z]|$)/i.test(column))

const decimal0 = (value: number): string => (Number.isInteger(value) ? String(value) : decimal(value))

function numberSetting({ table }: TableFacts, key: RegExp): number | undefined {
  const value = Object.entries(table.context.settings).find(([name]) => key.test(name))?.[1]
  return typeof value === 'number' ? value : undefined
}

/** In flight at the server below n: the rest never left the client. */
export const clientPoolRule: TableRule = (facts) => {
  const rows = rowsOf(facts)
  const seen = rows.flatMap((row) => {
    const n = row.n ?? row.configuredLimit
    // With a few requests for each that shall be in flight, the mean is that of a test that was ending.
    const isShort = row.requests !== undefined && n !== undefined && row.requests < 4 * n
    return row.observedInFlight === undefined || n === undefined || isShort ? [] : [{ n, inFlight: row.observedInFlight }]
  })
  const low = seen.filter(({ n, inFlight }) => inFlight < 0.7 * n)
  if (low.length === 0) return null
  const most = Math.max(...seen.map(({ inFlight }) => inFlight))
  const limit = Math.round(most)
  // A limit is the same at every n beyond it, and up to it all that was asked for is in flight.
  const isLimit = seen.every(({ n, inFlight }) => inFlight >= 0.9 * Math.min(n, limit))
  if (!isLimit) return null
  const isSaid = facts.said.clientLimit === limit
  const isRound = POOL_SIZES.has(limit) && Math.abs(most - limit) < 0.05 * limit
  const topN = Math.max(...low.map(({ n }) => n))
  const claims = [
    `In-flight at the server is pinned at ${limit} although ${topN} are configured: in-flight pinned at a round number (6, 10, 50, 100) below n is a client pool, here ${isSaid ? `the configured limit of ${limit}` : 'the connection pool of the calling process'}.`,
    'Time waiting for a socket is not server time: count it apart from latency, or the server is blamed for the client’s own queue.',
    `What would move it: a connection pool at least as large as n in the client; a faster server would not.`,
  ]
  return finding('runner_process', isSaid || isRound ? 'likely' : 'suspected', {
    mechanism: 'client connection pool',
    sentence: `The calling process gives way first: it has ${limit} requests in flight where ${topN} were configured, so a connection pool of ${limit} in the client holds the rest back.`,
    slots: limit,
    ceilingN: limit,
    claims,
    evidence: [supports(claims[0] ?? ''), ...(isSaid ? [supports(`The settings name a client limit of ${limit}.`)] : [])],
    missing: ['Time that requests waited for a connection, and the server’s own count of requests in flight.'],
  })
}

/** The server's own gauges: running pinned below n while others wait. */
export const serverGaugeRule: TableRule = (facts) => {
  const rows = rowsOf(facts)
  const waiting = rows.filter((row) => (row.serverWaiting ?? 0) >= 1 && row.serverRunning !== undefined)
  const top = waiting.at(-1)
  if (top?.serverRunning === undefined) return null
  const running = Math.max(...numbers(rows, 'serverRunning'))
  const pinned = waiting.every((row) => (row.serverRunning ?? 0) > 0.9 * running)
  if (!pinned || (top.n !== undefined && running > 0.9 * top.n)) return null
  const [base, last] = [facts.curve?.base, facts.curve?.top]
  const isSlower = base?.decode != null && last?.decode != null && last.decode < 0.6 * base.decode
  if (isSlower) return null
  const slots = Math.round(running)
  const text = `The server counts ${slots} requests running and ${decimal0(top.serverWaiting ?? 0)} waiting${top.n === undefined ? '' : ` at n=${top.n}`}: its admission limit is ${slots}, and the rest queue.`
  return finding('model_server_queue', 'likely', {
    mechanism: `admission limit of ${slots} running requests`,
    sentence: `Beyond ${slots} sessions requests queue in the model server: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
    slots,
    claims: [text],
    evidence: [supports(text)],
  })
}

/** Refusals for the rate: the provider's limit. */
export const providerRule: TableRule = (facts) => {
  const rows = rowsOf(facts)
  const refused = rows.filter((row) => (row.rateLimited ?? 0) > 0)
  const text = `${facts.table.context.load ?? ''} ${Object.values(facts.table.context.settings).join(' ')}`.toLowerCase()
  const failing = rows.filter((row) => (row.failures ?? row.failurePercent ?? 0) > 0)
  const isNamed = /\b429\b|\b529\b|rate[- ]limit|too many requests|temporarily limiting|overloaded_error/.test(text)
  const hit = refused.length > 0 ? refused : isNamed ? failing : []
  const [first] = hit.toSorted((a, b) => (a.n ?? 0) - (b.n ?? 0))
  if (first === undefined) return null
  const clean = rows.filter((row) => !hit.includes(row) && row.n !== undefined && row.n < (first.n ?? 0)).map((row) => row.n ?? 0)
  const last = clean.length === 0 ? null : Math.max(...clean)
  const claim = `From n=${first.n ?? '?'} on requests are refused for their rate (429 or 529)${last === null ? '' : `, at n=${last} none is`}: the limit is the provider's.`
  return finding('provider_limit', 'likely', {
    mechanism: 'the provider refuses what exceeds its rate',
    sentence: claim,
    ceilingN: last,
    claims: [
      claim,
      'Tell three refusals apart: 429 with a retry time (your rate), 429 with a usage limit (stop until it resets), 529 (the provider is overloaded); and ramp the starts before calling this the ceiling.',
    ],
    evidence: [supports(claim)],
    missing: ['Status, retry-after and message of the refusals.'],
  })
}

/** The client's own delay before it sends: the instrument is measured. */
export const loadGeneratorRule: TableRule = (facts) => {
  const late = rowsOf(facts).filter((row) => {
    const latency = row.latencyMeanMs ?? row.latencyP50Ms ?? row.latencyP95Ms
    return row.dispatchDelayMs !== undefined && latency !== undefined && row.dispatchDelayMs > 0.5 * latency
  })
  const worst = late.toSorted((a, b) => (b.dispatchDelayMs ?? 0) - (a.dispatchDelayMs ?? 0))[0]
  if (worst?.dispatchDelayMs === undefined) return null
  const latency = worst.latencyMeanMs ?? worst.latencyP50Ms ?? worst.latencyP95Ms ?? 0
  const claim = `Requests left up to ${span(worst.dispatchDelayMs)} after their planned moment, against a reported latency of ${span(latency)}: the load generator was the limit, and its own queue is missing from the latency.`
  return finding('load_generator', 'likely', {
    mechanism: 'coordinated omission: waiting in the client is not counted',
    sentence: claim,
    ceilingN: null,
    claims: [claim, 'Start the clock at the scheduled moment, and report the dispatch delay separately.'],
    evidence: [supports(claim)],
  })
}

/** field-reports B2: our threshold for a loop that holds everybody up. */
const LOOP_LAG_MS = 100

export const loopLagRule: TableRule = (facts) => {
  const lags = rowsOf(facts).filter((row) => (row.loopLagMs ?? 0) > LOOP_LAG_MS)
  const worst = Math.max(...numbers(lags, 'loopLagMs'))
  if (lags.length === 0) return null
  const accepts = rowsOf(facts)
    .toSorted((a, b) => (a.n ?? 0) - (b.n ?? 0))
    .flatMap((row) => row.acceptMs ?? [])
  const [least, most] = [accepts[0], accepts.at(-1)]
  const held =
    least === undefined || most === undefined || most < 3 * least
      ? null
      : `From accepting a session to its first model request it takes ${span(least)} at the smallest n and ${span(most)} at the largest: the time is lost before anything reaches the server.`
  const claim = `The runner's event loop was blocked for up to ${span(worst)}: every session of that process waits while it lasts, before its request has left.`
  return finding('runner_process', held === null ? 'suspected' : 'likely', {
    mechanism: 'blocked event loop',
    sentence: claim,
    claims: held === null ? [claim] : [claim, held],
    evidence: held === null ? [supports(claim)] : [supports(claim), supports(held)],
    missing: held === null ? ['Time from accepting a session to its first model request.'] : [],
  })
}

/** Options (context length above all) whose cell is not the same in all rows, or holds several. */
function optionsThatDiffer({ table }: TableFacts): string[] {
  const names = new Set(table.rows.flatMap(({ labels }) => Object.keys(labels)).filter((name) => isOption(name) || name === 'model'))
  return [...names].filter((name) => new Set(table.rows.map(({ labels }) => labels[name] ?? '')).size > 1)
}

/** DESIGN M4: a load above this in a warm level is a load. */
const LOAD_MS = 1000

/** Loads that recur in levels that were warm. */
export const reloadRule: TableRule = (facts) => {
  const rows = rowsOf(facts)
  const loads = rows.filter((row) => (row.loadMs ?? 0) > LOAD_MS)
  if (loads.length < 2 || (loads.length === 2 && rows.length > 6)) return null
  const worst = Math.max(...numbers(loads, 'loadMs'))
  const differing = optionsThatDiffer(facts)
  const claim = `The model is loaded again in ${loads.length} of ${rows.length} rows (up to ${span(worst)}): models or options take turns, and each change costs a load.`
  return finding('model_server_reload', 'likely', {
    mechanism: 'models or options are swapped in and out',
    sentence: claim,
    claims: [
      claim,
      ...(differing.length === 0 ? [] : [`${listed(differing)} differs between the rows or requests: each change of it is a reload.`]),
      'Pin the options that force a reload for all requests (context length above all), or keep one model; rows with a load say nothing of concurrency.',
    ],
    evidence: [supports(claim)],
    ceilingN: null,
    missing: differing.length === 0 ? ['Which option or model differs between the requests.'] : [],
  }) satisfies TableFinding
}

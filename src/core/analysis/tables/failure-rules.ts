/** Verdicts from requests that fail: what their words say of the cause, and never "nothing reached" where many fail. */

import { formatCount } from '../../report/format-number.ts'
import type { VerdictCode } from '../analysis.ts'
import { leavesOpen, supports } from '../verdict/finding.ts'
import { contextText, type MeasuredRow } from './measured-table.ts'
import { isNoteOfFailure } from './series.ts'
import { finding, type TableFacts, type TableFinding, type TableRule } from './table-finding.ts'
import { decimal, median, percent, plural, span } from './table-words.ts'

/** A level where more than this fails is no level that is carried. */
const MANY = 0.05
const HARDLY_ANY = 0.01

type Kind = { readonly pattern: RegExp; readonly primary: VerdictCode; readonly mechanism: string; readonly says: readonly string[] }

const KINDS: readonly Kind[] = [
  {
    pattern: /\b(429|529)\b|rate[- _]?limit|too many requests|temporarily limiting|overloaded_error|quota/,
    primary: 'provider_limit',
    mechanism: 'the provider refuses what exceeds its rate',
    says: [
      'Tell three refusals apart: 429 with a retry time (your rate), 429 with a usage limit (stop until it resets), 529 or "temporarily limiting" (the provider, or a burst at launch); ramp the starts and test again before calling this the ceiling.',
    ],
  },
  {
    pattern: /server busy|maximum pending|queue (is )?full|admission|max[- ]queue|loading model|\b503\b/,
    primary: 'model_server_queue',
    mechanism: 'the model server turns away what exceeds its pending queue',
    says: [
      'A server that is warm queues; refusals of this kind come while a model is being loaded or its pending queue is full: load the model first (warm it), then measure, and count refusals apart from latency.',
    ],
  },
  {
    pattern:
      /context size has been exceeded|out of memory|\boom\b|cuda error|kv[- _](cache|pool|pressure)|\bkv 100|no space left|insufficient memory|memory (full|exhausted)|out of vram/,
    primary: 'hardware',
    mechanism: 'memory: what all requests need together does not fit',
    says: [
      'This is a memory ceiling, not the length of a prompt: fewer sessions, shorter contexts or more memory move it; where slots share a pool of context, compare the sum of the prompts with it, not each with the advertised context.',
    ],
  },
  {
    pattern: /could not lock|index\.lock|lock file|worktree|locked by|lock wait|\bis locked\b|lock timeout|deadlock/,
    primary: 'job_scheduler',
    mechanism: 'jobs race for a lock when they start',
    says: ['Jobs that start at once race for one lock: create them one after another, and clean up before a retry.'],
  },
  {
    pattern: /time ?d? ?-?out|timeout|deadline exceeded|etimedout|\babort(ed)? after/,
    primary: 'inconclusive',
    mechanism: 'requests run out of time',
    says: [
      'The client gave up: a limit of time in the client is no failure of the server; switch it off, or set it above the longest wait, to see what the server does.',
    ],
  },
  {
    pattern: /econnreset|connection reset|socket hang ?up|epipe|emfile|stale socket|keep-?alive/,
    primary: 'runner_process',
    mechanism: 'the client’s own connections are reset',
    says: [
      'A reset on a reused connection before the first byte was never executed: repeat it once on a fresh socket and count it apart, before it is called the server’s failure.',
    ],
  },
]

type Failing = { readonly row: MeasuredRow; readonly n: number | null; readonly share: number }

export const failureRule: TableRule = (facts) => {
  const levels = facts.table.rows.map(
    (row): Failing => ({ row, n: row.figures.n ?? row.figures.configuredLimit ?? facts.said.n, share: failedShare(row) }),
  )
  const failing = levels.filter(({ share }) => share > MANY).toSorted((a, b) => (a.n ?? 0) - (b.n ?? 0))
  const [first] = failing
  if (first === undefined) return null
  const below = levels.filter(({ n, share }) => n !== null && first.n !== null && n < first.n && share <= HARDLY_ANY).map(({ n }) => n ?? 0)
  const ceilingN = below.length === 0 ? null : Math.max(...below)
  const sameClean = levels.some(({ n, share }) => n === first.n && share <= HARDLY_ANY)
  const claim = `${first.n === null ? '' : `From n=${first.n} on `}requests fail, ${worstOf(failing)} at worst${ceilingN === null ? '' : `, at n=${ceilingN} none does`}${sameClean ? `; another run at n=${first.n} had none, so n is not what decides` : ''}: a level where many fail is not carried, whatever the total of the others.`
  const words = messagesOf(failing)
  const found = kindOf(facts, failing, words)
  if (found === undefined)
    return finding('inconclusive', 'cannot-tell', {
      mechanism: words === null ? 'requests fail, and nothing says why' : 'requests fail with words that name no known cause',
      sentence:
        words === null
          ? `Requests fail${first.n === null ? '' : ` from n=${first.n} on`}, and the table does not say why.`
          : `Requests fail${first.n === null ? '' : ` from n=${first.n} on`} with "${words}", which names no cause by itself.`,
      ceilingN,
      claims: [claim],
      evidence: [leavesOpen(claim)],
      missing: words === null ? ['Status and message of the failures.'] : ['The server’s own log at the moment of the failures.'],
    })
  const capital = claim.charAt(0).toUpperCase() + claim.slice(1)
  const quoted = words === null ? [] : [`The failures read "${words}".`]
  return finding(found.primary, found.confidence ?? 'likely', {
    secondary: found.secondary ?? null,
    mechanism: found.mechanism,
    slots: found.slots ?? null,
    sentence: `${capital} The failures say the cause: ${found.mechanism}.`,
    ceilingN,
    claims: [capital, ...quoted, ...found.says],
    evidence: [supports(capital), supports(`The failures say: ${found.mechanism}.`)],
  })
}

type Found = Omit<Kind, 'pattern'> & {
  readonly secondary?: VerdictCode
  readonly slots?: number | null
  readonly confidence?: TableFinding['confidence']
}

function kindOf(facts: TableFacts, failing: readonly Failing[], words: string | null): Found | undefined {
  const text = `${contextText(facts.table.context)} ${failing.map(({ row }) => Object.values(row.labels).join(' ')).join(' ')}`.toLowerCase()
  // What the failures say themselves comes before what is said around them.
  const said = words?.toLowerCase() ?? ''
  const kind = failing.some(({ row }) => (row.figures.rateLimited ?? row.figures.rateLimitedPercent ?? 0) > 0)
    ? KINDS[0]
    : failing.some(({ row }) => (row.figures.preemptions ?? 0) > 0)
      ? KINDS[2]
      : (KINDS.find(({ pattern }) => pattern.test(said)) ?? KINDS.find(({ pattern }) => pattern.test(text)))
  if (kind === undefined) return undefined
  if (kind.primary === 'provider_limit') return refusalOf(facts, failing, text)
  if (kind.primary === 'inconclusive') return timeoutOf(facts, failing, kind, said)
  const isLoading = failing.some(({ row }) => (row.figures.loadMs ?? 0) > 1000) || /\bcold\b|loading/.test(text)
  return kind.primary === 'model_server_queue' && isLoading
    ? { ...kind, secondary: 'model_server_reload', mechanism: 'the pending queue fills up while the model is being loaded' }
    : kind
}

/** Whose limit is it: a refusal from a server that the table describes as one's own is its admission limit, and no provider's. */
function refusalOf(facts: TableFacts, failing: readonly Failing[], text: string): Found {
  const isHosted =
    /\bhosted\b|\bprovider|\bcloud\b|subscription|account|retry[- ]after|rate_limit_error|overloaded_error|usage limit|session limit|quota/.test(text)
  const passed = failing.map(({ row }) => row.figures.succeeded).filter((value) => value !== undefined)
  const [one] = passed
  const constant = one !== undefined && one >= 1 && passed.length >= 2 && passed.every((value) => Math.abs(value - one) <= 0.02 * one) ? one : null
  const burst = failing.every(({ row, n }) => (row.figures.succeeded ?? 0) + (row.figures.failures ?? row.figures.rateLimited ?? 0) === n)
  const named = /limit(?: of| is|:|=)? ?(\d+)/.exec(text)?.[1]
  const limit = constant !== null && burst ? constant : named === undefined || !/concurren/.test(text) ? null : Number(named)
  const isOwn =
    !isHosted &&
    (facts.said.slots !== null || facts.said.hardwareWord !== 'hardware' || constant !== null || /\b(own|local|self-hosted|on-prem)\b/.test(text))
  if (isOwn)
    return {
      primary: 'model_server_queue',
      slots: limit,
      mechanism: `an admission limit${limit === null ? (facts.said.slots === null ? '' : ` (set to ${facts.said.slots})`) : ` of ${limit}`} in the server, or in what stands in front of it, answers 429 instead of queueing`,
      says: [
        `It is the limit of this set-up (429 means "more than I admit"), not a rate sold by somebody: raise the limit, or keep sessions below it.${constant === null || !burst ? '' : ` Exactly ${constant} come through at every level above it.`}`,
      ],
    }
  const rules =
    'Tell three refusals apart: 429 with a retry time (your rate), 429 with a usage limit (stop until it resets), 529 or "temporarily limiting" (the provider, or a burst at launch); ramp the starts and test again before calling this the ceiling.'
  const isOverload =
    facts.table.understood.some(({ column, figure }) => figure === 'rateLimited' && /529/.test(column)) ||
    (/\b529\b|overloaded/.test(text) && !/\b429\b/.test(text))
  const resets = /(?:usage|session|weekly|daily)[^.]{0,20}limit[^"]{0,60}?(resets?[^"\n,;]{0,30})?$/m.exec(text)
  const isUsage = /(usage|session|weekly|daily|5-hour) limit|quota/.test(text)
  const perMin = Math.max(0, ...facts.table.rows.map(({ figures }) => figures.requestsPerSec ?? 0)) * 60
  const mechanism = isUsage
    ? `a usage quota is spent${resets?.[1] === undefined ? '' : ` (${resets[1].trim()})`}, whatever the concurrency`
    : isOverload
      ? 'the provider is overloaded (529), which ramping and retrying may pass'
      : limit !== null
        ? `the provider admits ${limit} requests at once`
        : 'the provider refuses what exceeds its rate'
  return {
    primary: 'provider_limit',
    slots: isUsage || named === undefined ? null : limit,
    mechanism,
    says: [rules, ...(perMin > 0 && !isUsage ? [`At best ${decimal(perMin)} requests a minute come through: that is the rate to stay below.`] : [])],
  }
}

/** Time that ran out with answers written as fast as ever is time spent in a queue. */
function timeoutOf({ table }: TableFacts, failing: readonly Failing[], kind: Kind, said: string): Found {
  const rows = table.rows.map(({ figures }) => figures).toSorted((a, b) => (a.n ?? 0) - (b.n ?? 0))
  const limit = /(\d+) ?(s|sec|seconds|m|min|minutes|ms)\b/.exec(said)?.[0]
  const paces = rows.flatMap((row) => row.decodeTokensPerSecPerRequest ?? (row.tpotMs === undefined ? [] : [1000 / row.tpotMs]))
  const [firstPace, lastPace] = [paces[0], paces.at(-1)]
  const isPaceKept = firstPace !== undefined && lastPace !== undefined && paces.length >= 2 && lastPace > 0.85 * firstPace
  const timeOf = (row: (typeof rows)[number]) =>
    row.slowestMs ?? row.wallMs ?? row.latencyP99Ms ?? row.latencyP95Ms ?? row.latencyP50Ms ?? row.latencyMeanMs
  const [base] = rows
  const alone = base?.n === 1 ? timeOf(base) : undefined
  const whole = rows.filter((row) => (row.n ?? 0) > 1 && !failing.some(({ row: other }) => other.figures === row))
  const ratios =
    alone === undefined
      ? []
      : whole.flatMap((row) => {
          const ms = timeOf(row)
          return ms === undefined || ms < 1.5 * alone ? [] : [((row.n ?? 1) * alone) / ms]
        })
  const slots = ratios.length === 0 ? null : Math.max(1, Math.round(median(ratios)))
  if (!isPaceKept)
    return {
      ...kind,
      confidence: 'cannot-tell',
      mechanism: `requests run out of time${limit === undefined ? '' : ` (${limit})`}, in a queue or because answers are slow`,
    }
  const stairs =
    alone === undefined || slots === null
      ? []
      : [`The slowest takes ${listedTimes(rows, timeOf)}: a staircase of ${span(alone)} with ${plural(slots, 'slot')}.`]
  return {
    primary: 'model_server_queue',
    secondary: 'runner_process',
    slots,
    confidence: stairs.length > 0 ? 'likely' : 'suspected',
    mechanism: `requests wait in the server’s queue until the client gives up${limit === undefined ? '' : ` after ${limit}`}`,
    says: [
      `Decode rate per request is unchanged (${decimal(firstPace)} and ${decimal(lastPace)} tok/s): what is added is waiting in a queue.`,
      ...stairs,
      ...kind.says,
    ],
  }
}

const listedTimes = <T extends { readonly n?: number }>(rows: readonly T[], timeOf: (row: T) => number | undefined): string =>
  rows
    .flatMap((row) => {
      const ms = timeOf(row)
      return ms === undefined ? [] : [`${span(ms)} at n=${row.n ?? '?'}`]
    })
    .slice(0, 5)
    .join(', ')

/** What the failing rows themselves say, as it stands there. */
function messagesOf(failing: readonly Failing[]): string | null {
  const said = failing.flatMap(({ row }) =>
    Object.entries(row.labels).flatMap(([name, text]) => (isNoteOfFailure(name) && !/^(ok|success|passed|0|200)$/i.test(text) ? [text] : [])),
  )
  const texts = [...new Set(said)].slice(0, 3)
  return texts.length === 0 ? null : texts.join('"; "').slice(0, 300)
}

function worstOf(failing: readonly Failing[]): string {
  const worst = failing.reduce((a, b) => (b.share > a.share ? b : a))
  const { failures, rateLimited, succeeded, requests } = worst.row.figures
  const failed = (failures ?? 0) > 0 ? failures : rateLimited
  const all =
    worst.row.figures.failurePercent !== undefined || failed === undefined
      ? undefined
      : succeeded !== undefined
        ? succeeded + failed
        : requests !== undefined && requests > failed
          ? requests
          : undefined
  return all === undefined ? percent(worst.share) : `${failed} of ${all} (${percent(worst.share)})`
}

/** Part of the model lies outside the fast memory: whatever else is true, this half is slowed by that. */
export const spillRule: TableRule = ({ series, curve, all }) => {
  const ratio = curve?.top.row.vramRatio
  if (curve === null || ratio === undefined || ratio >= 0.97) return null
  const whole = all.find((one) => one.series !== series && one.curve !== null && (one.curve.top.row.vramRatio ?? 0) >= 0.99)
  const best = whole?.curve?.best.total
  const isWorse = best !== undefined && best > 1.1 * curve.best.total
  const name = (label: string) => (label === '' ? 'here' : `with ${label}`)
  const claim = `${percent(1 - ratio)} of the model lies outside the GPU's memory (on the CPU) ${name(series.label)}${best === undefined ? '' : `: at best ${decimal(curve.best.total)} in total against ${decimal(best)} ${name(whole?.series.label ?? '')}, where all of it fits`}.`
  return finding('hardware', isWorse ? 'likely' : 'suspected', {
    secondary: whole === undefined ? null : 'model_server_queue',
    mechanism: 'memory: part of the model is pushed to the CPU',
    sentence: `Memory gives way first: ${claim}`,
    ceilingN: null,
    claims: [claim, 'Fewer slots, a shorter context or a smaller model would bring it back into memory; more slots make it worse.'],
    evidence: [supports(claim)],
    missing: isWorse ? [] : ['The same with fewer slots or a shorter context, so that all of it fits.'],
  })
}

/** Requests that are thrown out and begun anew: the memory for their contexts is full. */
export const preemptionRule: TableRule = ({ series, curve, table }) => {
  const counts = table.rows
    .flatMap(({ figures }) => (figures.preemptions === undefined ? [] : [{ n: figures.n ?? 0, count: figures.preemptions }]))
    .toSorted((a, b) => a.n - b.n)
  const first = counts.find(({ count }) => count > 0)
  const worst = counts.at(-1)
  if (first === undefined || worst === undefined || worst.count === 0 || series.axis !== 'n') return null
  const full = table.rows
    .filter(({ figures }) => (figures.kvCacheRatio ?? 0) >= 0.99 && (figures.kvCacheRatio ?? 0) <= 1.01)
    .map(({ figures }) => figures.n ?? 0)
  const claim = `From n=${first.n} on requests are preempted and computed again (${formatCount(worst.count)} at n=${worst.n}): the memory for their contexts is full${full.length === 0 ? '' : ` (KV cache at 100 % from n=${Math.min(...full)} on)`}, and work is done twice.`
  return finding('hardware', curve?.isReached === true ? 'likely' : 'suspected', {
    mechanism: 'memory: contexts are thrown out and computed again',
    sentence: `Memory gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [claim, 'More memory for contexts, shorter ones, or fewer sessions would move it.'],
    evidence: [supports(claim)],
  })
}

export function failedShare({ figures }: MeasuredRow): number {
  if (figures.failurePercent !== undefined) return figures.failurePercent / 100
  if (figures.rateLimitedPercent !== undefined) return figures.rateLimitedPercent / 100
  const failed = (figures.failures ?? 0) > 0 ? (figures.failures ?? 0) : (figures.rateLimited ?? 0)
  if (failed === 0) return 0
  if (figures.succeeded !== undefined) return failed / (failed + figures.succeeded)
  const good = figures.requests
  // "requests" may count all or only those that came through.
  return good === undefined
    ? Math.min(1, failed / Math.max(failed, figures.n ?? failed))
    : failed / Math.max(failed, good >= failed ? good : good + failed)
}

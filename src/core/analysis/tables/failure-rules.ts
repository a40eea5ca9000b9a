/** Verdicts from requests that fail: what their words say of the cause, and never "nothing reached" where many fail. */

import type { VerdictCode } from '../analysis.ts'
import { leavesOpen, supports } from '../verdict/finding.ts'
import { contextText, type MeasuredRow } from './measured-table.ts'
import { finding, type TableRule } from './table-finding.ts'
import { percent } from './table-words.ts'

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
    pattern:
      /context size has been exceeded|out of memory|\boom\b|cuda error|kv[- _](cache|pool|pressure)|\bkv 100|no space left|insufficient memory|memory (full|exhausted)|out of vram/,
    primary: 'hardware',
    mechanism: 'memory: the context of all requests together does not fit',
    says: [
      'This is a memory ceiling, not the length of a prompt: compare the sum of the prompts over all slots with the pool, not each with the advertised context.',
    ],
  },
  {
    pattern: /could not lock|index\.lock|lock file|worktree|locked by|lock wait/,
    primary: 'job_scheduler',
    mechanism: 'jobs race for a lock when they start',
    says: ['Jobs that start at once race for one lock: create them one after another, and clean up before a retry.'],
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

export const failureRule: TableRule = (facts) => {
  const levels = facts.table.rows.map((row) => ({ row, n: row.figures.n ?? row.figures.configuredLimit ?? facts.said.n, share: failedShare(row) }))
  const failing = levels.filter(({ share }) => share > MANY).toSorted((a, b) => (a.n ?? 0) - (b.n ?? 0))
  const [first] = failing
  if (first === undefined) return null
  const text = `${contextText(facts.table.context)} ${failing.map(({ row }) => Object.values(row.labels).join(' ')).join(' ')}`.toLowerCase()
  const kind = failing.some(({ row }) => (row.figures.rateLimited ?? 0) > 0)
    ? KINDS[0]
    : failing.some(({ row }) => (row.figures.preemptions ?? 0) > 0)
      ? KINDS[1]
      : KINDS.find(({ pattern }) => pattern.test(text))
  const below = levels.filter(({ n, share }) => n !== null && first.n !== null && n < first.n && share <= HARDLY_ANY).map(({ n }) => n ?? 0)
  const ceilingN = below.length === 0 ? null : Math.max(...below)
  const worst = Math.max(...failing.map(({ share }) => share))
  const claim = `${first.n === null ? '' : `From n=${first.n} on `}${percent(worst)} of the requests fail at worst${ceilingN === null ? '' : `, at n=${ceilingN} none does`}: a level where many fail is not carried, whatever the total of the others.`
  if (kind === undefined)
    return finding('inconclusive', 'cannot-tell', {
      mechanism: 'requests fail, and nothing says why',
      sentence: `Requests fail${first.n === null ? '' : ` from n=${first.n} on`}, and the table does not say why.`,
      ceilingN,
      claims: [claim],
      evidence: [leavesOpen(claim)],
      missing: ['Status and message of the failures.'],
    })
  return finding(kind.primary, 'likely', {
    mechanism: kind.mechanism,
    sentence: `${claim} The failures say the cause: ${kind.mechanism}.`,
    ceilingN,
    claims: [claim, ...kind.says],
    evidence: [supports(claim), supports(`The failures say: ${kind.mechanism}.`)],
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
  const claim = `From n=${first.n} on requests are preempted and computed again (${worst.count} at n=${worst.n}): the memory for their contexts is full, and work is done twice.`
  return finding('hardware', curve?.isReached === true ? 'likely' : 'suspected', {
    mechanism: 'memory: contexts are thrown out and computed again',
    sentence: `Memory gives way first: ${claim.charAt(0).toLowerCase()}${claim.slice(1)}`,
    claims: [claim, 'More memory for contexts, shorter ones, or fewer sessions would move it.'],
    evidence: [supports(claim)],
  })
}

export function failedShare({ figures }: MeasuredRow): number {
  if (figures.failurePercent !== undefined) return figures.failurePercent / 100
  const failed = (figures.failures ?? 0) > 0 ? (figures.failures ?? 0) : (figures.rateLimited ?? 0)
  if (failed === 0) return 0
  const good = figures.requests
  // "requests" may count all or only those that came through.
  return good === undefined
    ? Math.min(1, failed / Math.max(failed, figures.n ?? failed))
    : failed / Math.max(failed, good >= failed ? good : good + failed)
}

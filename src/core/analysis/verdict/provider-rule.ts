/** provider_limit: requests are refused by rate, by quota or for overload. Three kinds, of which only the first is about our own rate (field reports B5); and a limit that stands before a server of one's own. */

import { type FailureKind, firstWith, type LevelFailures } from './call-failures.ts'
import type { CaseFile } from './case-file.ts'
import { type Finding, supports, type VerdictRule, weigh } from './finding.ts'
import { commonest, count } from './phrases.ts'

const KINDS = ['rate-limit', 'usage-limit', 'overloaded', 'too-many'] as const satisfies readonly FailureKind[]
type Kind = (typeof KINDS)[number]

export const providerRule: VerdictRule = {
  code: 'provider_limit',
  needs: ['a tenth of a level and more come back with 429, 529, or words that say the same'],
  rivals: {
    model_server_queue: 'a server of one’s own lets wait, or refuses with 503',
    runner_process: 'a pool of the client’s holds back, and nothing is refused',
  },
  refutedBy: ['the same requests, started one after the other, are refused as well'],
  judge: judgeProvider,
}

const refusedOf = ({ counts }: LevelFailures) => KINDS.reduce((sum, kind) => sum + counts[kind], 0)

function judgeProvider(file: CaseFile): Finding | null {
  const found = firstWith(file.failures, KINDS)
  if (found === null) return null
  const { level, count: refused, below } = found
  const kind = KINDS.toSorted((a, b) => level.counts[b] - level.counts[a])[0] ?? 'rate-limit'
  const evidence = file.failures
    .filter((one) => refusedOf(one) > 0)
    .map((one) => supports(`At ${count(one.n, 'session')} ${refusedOf(one)} of ${one.sessions} were refused.`))
  if (below !== null)
    evidence.push(weigh(refusedOf(below) === 0 ? true : null, `At ${count(below.n, 'session')} ${refusedOf(below)} of ${below.sessions} were.`))
  const said = commonest(refusals(file))
  if (said !== null) evidence.push(supports(`It says: ${said}`))
  const words = wordsOf(kind, file)
  return {
    primary: 'provider_limit',
    mechanism: words.mechanism,
    confidence: below !== null && refusedOf(below) > 0 ? 'suspected' : 'likely',
    sentence: `From ${count(level.n, 'session')} on ${words.who} refuses requests: ${refused} of ${level.sessions} came back with ${words.status}. ${words.meaning}`,
    wouldMove: words.wouldMove,
    wouldNotMove: words.wouldNotMove,
    toSettle: null,
    evidence,
  }
}

function refusals(file: CaseFile): string[] {
  return file.all.flatMap(({ facts }) =>
    facts.turns.flatMap(({ row }) => row.timeline?.calls.flatMap((call) => (call.outcome === 'failed' ? (call.problem?.happened ?? []) : [])) ?? []),
  )
}

type Words = {
  readonly mechanism: string
  readonly who: string
  readonly status: string
  readonly meaning: string
  readonly wouldMove: string
  readonly wouldNotMove: string
}

function wordsOf(kind: Kind, file: CaseFile): Words {
  const held = mostServed(file)
  switch (kind) {
    case 'rate-limit':
      return {
        mechanism: 'rate limit 429',
        who: 'the provider',
        status: '429',
        meaning: 'That is the limit of our own rate.',
        wouldMove: 'A higher rate limit, fewer sessions at once, and waiting as long as the provider says (retry-after).',
        wouldNotMove: 'Anything on this machine.',
      }
    case 'usage-limit':
      return {
        mechanism: 'usage limit 429, until it resets',
        who: 'the provider',
        status: '429 for a quota that is used up',
        meaning: 'That is no limit of sessions at once: nothing helps until the quota resets.',
        wouldMove: 'Waiting for the reset, or a larger quota; then sweep again.',
        wouldNotMove: 'Fewer sessions at once, a slower ramp, or anything on this machine.',
      }
    case 'overloaded':
      return {
        mechanism: 'overload 529 / burst limiter',
        who: 'the provider',
        status: '529 or a word of overload',
        meaning: 'That is its load or a limit of bursts, not the usage of this account: started one by one, the same sessions may succeed.',
        wouldMove: 'A slower ramp of starts (one every 2 s, for instance), and trying again later.',
        wouldNotMove: 'A higher quota, or anything on this machine.',
      }
    case 'too-many':
      return {
        mechanism: `middleware limit 429${held === null ? '' : `: ${held} requests at once`}`,
        who: 'something before the model',
        status: '429',
        meaning: `${held === null ? 'It names no rate' : `It lets ${count(held, 'request')} in at once and names no rate`}: a limit of requests in a proxy or gateway, not of the model server.`,
        wouldMove: 'Raising that limit in the proxy or gateway, or going to the model server itself.',
        wouldNotMove: 'More slots of the model server: these requests never reach it.',
      }
  }
}

/** Largest number of requests that were served at once at the levels where some were refused. */
function mostServed(file: CaseFile): number | null {
  const refusing = new Set(file.failures.filter((level) => refusedOf(level) > 0).map((level) => level.n))
  const served = file.levels.filter(({ summary }) => refusing.has(summary.n)).map(({ facts }) => facts.overlap.streaming.lasting)
  return served.length === 0 ? null : Math.max(...served)
}

/** From a column's name to the figure it holds and its unit: words and their synonyms, never a tool's or server's name. */
import type { Figure } from './measured-table.ts'
import { mibPer, msPer } from './parse-cell.ts'

export type ColumnMeaning = {
  readonly figure: Figure
  /** What a bare number is multiplied by. */
  readonly scale: number
  /** The name says no unit, where it could be another. */
  readonly unitGuessed: boolean
  /** Rates per request without a word that says whether waiting is in them: the data decide. */
  readonly ambiguousRate: boolean
  readonly derived: boolean
}

export type ColumnReading =
  | { readonly kind: 'figure'; readonly meaning: ColumnMeaning }
  | { readonly kind: 'label' }
  | { readonly kind: 'ignored'; readonly why: string }

const GERMAN = new Map(
  Object.entries({
    anzahl: 'n',
    nebenläufigkeit: 'concurrency',
    gleichzeitig: 'concurrent',
    gleichzeitige: 'concurrent',
    parallele: 'parallel',
    nutzer: 'users',
    benutzer: 'users',
    anfrage: 'request',
    anfragen: 'requests',
    sitzung: 'session',
    sitzungen: 'sessions',
    je: 'per',
    pro: 'per',
    gesamt: 'total',
    gesamtdurchsatz: 'total throughput',
    durchsatz: 'throughput',
    laufzeit: 'wall',
    dauer: 'wall',
    antwortzeit: 'latency',
    wartezeit: 'wait',
    auslastung: 'util',
    sekunde: 'second',
    sekunden: 'seconds',
    speicher: 'memory',
    fehler: 'failures',
    bemerkung: 'note',
    modell: 'model',
  }),
)

/** Lower-case words, camelCase and punctuation parted: `decodeTok/s (per req)` → `decode tok s per req`. */
export function wordsOf(name: string): string {
  return name
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .replace(/%/g, ' percent ')
    .replace(/[^a-z\dµäöüß]+/g, ' ')
    .trim()
    .split(' ')
    .map((word) => GERMAN.get(word) ?? word)
    .join(' ')
}

const PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\btime to (the )?first (output )?token\b|\bfirst token( (time|latency|wait))?\b|\btt ?ft\b|\btime to first byte\b|\bttfa\b/g, 'ttft'],
  [/\binter token (latency|time)\b|\bitl\b|\btime per (output )?token\b|\bms per token\b|\btpot\b/g, 'tpot'],
  [/\blat\b/g, 'latency'],
  [/\bend to end( latency)?\b|\be2el?( latency)?\b|\bresponse time\b|\brequest (latency|time|duration)\b|\bturnaround\b/g, 'latency'],
  [/\b(output |generated |completion )?(tokens?|toks?) (per|a) (second|sec|s)\b/g, ' tokps '],
  [/\b(tokens?|toks?) (s|sec|second)\b|\btps\b|\btoks\b|\bt s\b/g, ' tokps '],
  [/\b(ok|requests?|reqs?|completed|succeeded|jobs) (per|a) min(ute)?\b/g, ' reqpm '],
  [/\b(requests?|reqs?|queries|jobs) (per|a) (second|sec|s)\b|\b(requests?|reqs?) (s|sec|second)\b|\brps\b|\bqps\b/g, ' reqps '],
  [/\bin flight\b|\binflight\b|\boutstanding\b/g, 'inflight'],
  [/\bper (req(uest)?|stream|agent|user|session|client|call|sequence|seq|slot|worker)s?\b|\beach\b|\bsingle stream\b|\bindividual\b/g, 'perone'],
  [/\btokps +(req(uest)?|stream|agent|user|session|client|seq(uence)?)s?\b/g, 'tokps perone'],
]

const N_NAMES =
  /^(n|c|bs|b|pl|conc|concurrency|concurrent|parallel|parallelism|users?|agents?|clients?|streams?|sessions?|vus?|threads?|workers?|cap|batch|batch size|level|in flight target|max concurrency|max concurrent|(num|number of|no of|concurrent|parallel|simultaneous|max concurrent|active|virtual) (n|users?|agents?|clients?|streams?|sessions?|requests?|calls?|connections?|conversations?|jobs?|workers?)|(n|num) (concurrent|parallel)|concurrency level|request concurrency|target concurrency|load level|connections?|nebenläufigkeit)$/
/** With one of these it is no number of sessions. */
const NO_COUNT =
  /\b(tokps|reqps|perone|latency|ttft|tpot|ms|s|sec|seconds|rate|speed|throughput|num parallel|observed|achieved|actual|effective|server|real|configured|limit|allowed|decode|slots?|max num seqs|overlap|speedup|ratio|percent)\b/
const LABELS =
  /^(model|server|engine|backend|framework|runtime|arm|variant|config(uration)?|setup|host|machine|gpu|device|quant(isation|ization)?|dataset|series|stack|family|mode|name|test|case|scenario|prompt|notes?|remarks?|comments?|num ctx|n ctx|ctx( size)?|context( length| size)?|reused( sockets?| connections?)?|keep alive|status|http status|error|errors? (text|type|message|kind)|error_?type|reason|message|failure reason|outcome)$/
const STATS: readonly (readonly [RegExp, string])[] = [
  [/\bp ?50\b|\bmedian\b|\bmed\b|\b50th\b/, 'P50'],
  [/\bp ?9[0-4]\b|\b90th\b/, 'P90'],
  [/\bp ?9[5-8]\b|\b95th\b/, 'P95'],
  [/\bp ?99( ?9)?\b|\b99th\b/, 'P99'],
  [/\bmean\b|\bavg\b|\baverage\b/, 'Mean'],
]
const USELESS = /\b(std|stdev|stddev|sd|variance|var|cv|ci|error bar|min|minimum)\b/

/** `wall_min` counts minutes; `ttft_min` is the least. */
const MINUTES = /\b(\d+|wall|elapsed|duration|makespan|runtime|sum|sum jobs?|slowest jobs?|longest jobs?|job time) min(utes)?$/

export function readColumnName(name: string): ColumnReading {
  let words = wordsOf(name)
  if (words === '') return { kind: 'ignored', why: 'it has no name' }
  if (LABELS.test(words)) return { kind: 'label' }
  const derived = /\b(derived|recomputed|computed|calculated)\b/.test(words)
  for (const [pattern, word] of PHRASES) words = words.replace(pattern, word)
  words = words.replace(/\s+/g, ' ').trim()
  if (N_NAMES.test(words)) return figure('n')
  if (/\b(concurren(t|cy)|parallel(ism)?|simultaneous)\b/.test(words) && !NO_COUNT.test(words)) return figure('n')
  if (USELESS.test(words) && !MINUTES.test(words)) return { kind: 'ignored', why: 'a spread or an extreme, not needed here' }
  const found = figureOf(words, derived)
  if (found === undefined) return { kind: 'ignored', why: 'no figure is known by this name' }
  return found
}

function figure(name: Figure, scale = 1, more: Partial<ColumnMeaning> = {}): ColumnReading {
  return { kind: 'figure', meaning: { figure: name, scale, unitGuessed: false, ambiguousRate: false, derived: false, ...more } }
}

function figureOf(words: string, derived: boolean): ColumnReading | undefined {
  return countOf(words) ?? rateOf(words, derived) ?? shareOf(words) ?? timeOf(words)
}

function countOf(words: string): ColumnReading | undefined {
  const has = (pattern: RegExp) => pattern.test(words)
  if (has(/\boverlap\b/)) return { kind: 'ignored', why: 'overlap is worked out anew from total and decode rate' }
  if (has(/\bslots?\b/)) return figure(has(/\b(observed|effective|actual|used|busy|real|measured|seen)\b/) ? 'observedSlots' : 'configuredSlots')
  if (has(/\bnum parallel\b|^np$|\bn parallel\b|\bmax num seqs\b|\bmax batch( size)?\b|\badmission limit\b|\bmax running\b/))
    return figure('configuredSlots')
  if (has(/\binflight\b.*\b(at|on|when) (submit|arrival|send|start)\b|\bat submit\b/)) return figure('inFlightAtSubmit')
  if (has(/\b(waiting|queued|deferred|pending)\b/) && !has(/\b(ms|s|sec|time|latency|wait ms)\b/)) return figure('serverWaiting')
  if (has(/\b(configured|allowed|limit|requested|target|nominal)\b/) && !has(/tokps|reqps|\brate\b|latency|ttft|\bms\b/))
    return figure('configuredLimit')
  if (has(/\bdecode concurrency\b/)) return figure('decodeOverlap')
  if (has(/\b(requests?|seqs|sequences) running\b|\brunning (requests?|seqs|sequences)\b/)) return figure('serverRunning')
  if (
    has(
      /\b(running|busy|active)\b.*\b(jobs?|workers?|agents?)\b|\b(jobs?|workers?|agents?)\b.*\b(running|busy|active)\b|\bobserved running\b|^running$/,
    )
  )
    return figure('observedRunning')
  if (
    has(/\binflight\b|\b(observed|achieved|actual|effective|server|real) (concurrency|connections|parallel(ism)?)\b|\bopen (connections|sockets)\b/)
  )
    return figure('observedInFlight')
  if (has(/\b429s?\b|\b529s?\b|\brate limited\b|\bthrottled\b|\btoo many requests\b/))
    return figure(has(/\b(pct|percent)\b/) ? 'rateLimitedPercent' : 'rateLimited')
  if (has(/\bresets?\b|\beconnreset\b/)) {
    if (has(/\bmin\b/)) return { kind: 'ignored', why: 'the largest share says more' }
    return figure(has(/\b(pct|percent|rate|share)\b/) ? 'resetPercent' : 'resets')
  }
  if (has(/\bpreempt(ion|ions|ed)?\b/)) return figure('preemptions')
  return undefined
}

function rateOf(words: string, derived: boolean): ColumnReading | undefined {
  const has = (pattern: RegExp) => pattern.test(words)
  if (has(/\b(arrival|arrivals|offered|lambda)\b/) || has(/\b(request|target|input|send) rate\b/)) return figure('arrivalPerSec')
  if (has(/\breqpm\b/)) return figure('requestsPerSec', 1 / 60)
  if (has(/reqps/) || has(/\b(request|requests|jobs?) throughput\b/)) return figure('requestsPerSec')
  if (!has(/tokps|\bthroughput\b|\b(eval|decode|generation|gen|token|tg) (rate|speed)\b|\bspeed\b/)) return undefined
  if (has(/\b(prompt|prefill|input|pp|total token|read)\b/)) return { kind: 'ignored', why: 'a rate of prompt tokens, which says nothing of answers' }
  const isDecode = has(/\b(decode|eval|generation|gen|tg|decoding)\b/)
  const isAll = has(/\b(agg|aggregate|aggregated|total|sum|system|overall|combined|batch|all|sustained|server|cluster)\b/)
  if (has(/\bperone\b/) && !isAll)
    return isDecode
      ? figure('decodeTokensPerSecPerRequest', 1, { derived })
      : figure('effectiveTokensPerSecPerRequest', 1, { derived, ambiguousRate: !has(/\b(eff|effective)\b/) })
  if (isDecode && has(/\bthroughput\b/)) return figure(derived ? 'recomputedTokensPerSec' : 'totalTokensPerSec', 1, { derived })
  if (isDecode && isAll) return figure('decodeTotalTokensPerSec', 1, { derived })
  if (isDecode) return figure('decodeTokensPerSecPerRequest', 1, { derived })
  return figure(derived ? 'recomputedTokensPerSec' : 'totalTokensPerSec', 1, { derived })
}

function shareOf(words: string): ColumnReading | undefined {
  const has = (pattern: RegExp) => pattern.test(words)
  if (has(/\bgpu\b/) && has(/\b(util|utilisation|utilization|usage|busy|percent|load)\b/)) return figure('gpuPercent')
  if (has(/\bcpu\b/) && has(/\b(util|utilisation|utilization|usage|busy|percent|pct|load|core)\b/)) {
    if (has(/\b(client|generator|load ?gen|driver|harness)\b/)) return figure('clientCpuPercent')
    if (has(/\b(one|single|per|1) core\b/))
      return has(/\b(server|engine|api)\b/) ? figure('serverCorePercent') : { kind: 'ignored', why: 'one core, and not said of which process' }
    return figure('cpuPercent')
  }
  if (has(/\bkv\b/) && has(/\b(usage|util|utilization|utilisation|percent|perc|pct|cache)\b/) && !has(/\b(mib|gib|mb|gb|ms)\b/))
    return figure('kvCacheRatio', has(/\b(percent|pct)\b/) ? 0.01 : 1)
  if (has(/\b(bandwidth|bw)\b/))
    return has(/\b(percent|pct|util|utilisation|utilization)\b/)
      ? figure('bandwidthPercent')
      : { kind: 'ignored', why: 'a bandwidth without its share of what there is' }
  if (has(/\b(vram|memory|mem|ram)\b/) && has(/\b(ratio|share)\b/)) return figure('vramRatio')
  if (has(/\b(vram|memory|mem|ram)\b/) && has(/\b(percent|pct|util|utilisation|utilization)\b/))
    return { kind: 'ignored', why: 'a share of memory, not an amount' }
  if (has(/\b(rss|vram|memory|mem|ram)\b/))
    return figure(
      'memoryMib',
      words
        .split(' ')
        .map(mibPer)
        .find((per) => per !== undefined) ?? 1,
    )
  if (has(/\bsuccess(ful)?\b/) && has(/\b(rate|percent|pct|ratio|share)\b/)) return figure('successPercent', has(/\b(percent|pct|rate)\b/) ? 1 : 100)
  if (has(/\b(error|failure|fail)\b/) && has(/\b(rate|percent|pct|ratio|share)\b/))
    return figure('failurePercent', has(/\b(percent|pct)\b/) ? 1 : 100)
  if (has(/\b(failed|failures?|errors?|errored|timeouts?)\b/)) return figure('failures')
  if (
    has(
      /\b(tokens?|toks?)\b.*\bperone\b|\b(output|completion|generated|new) tokens( (avg|mean|average|p50|median))?$|\bosl\b|\bavg tokens\b|\boutput (len|length)\b/,
    )
  )
    return has(/\btotal\b/) ? figure('totalTokens') : figure('tokensPerRequest')
  if (has(/\btotal (output |completion |generated )?tokens\b/)) return figure('totalTokens')
  if (has(/^(requests?|count|samples|num requests|started|request count|total requests)$/)) return figure('requests')
  if (has(/^(completed|successful|completed requests|successful requests|ok|succeeded|success|passed|finished|jobs done|http 200)$/))
    return figure('succeeded')
  if (has(/^(jobs?|num jobs|number of jobs|total jobs)$/)) return figure('jobs')
  return undefined
}

function timeOf(words: string): ColumnReading | undefined {
  const has = (pattern: RegExp) => pattern.test(words)
  const unit = words.split(' ').findLast((word) => msPer(word) !== undefined)
  const given = unit === undefined ? undefined : msPer(unit)
  const stat = STATS.find(([pattern]) => pattern.test(words))?.[1]
  const time = (name: Figure, guess: number) => figure(name, given ?? guess, { unitGuessed: given === undefined })
  // A number without a unit: milliseconds where times are short, seconds where a wall is; the reader checks it against the other columns.
  if (has(/\baccept(ed|ing|ance)?\b/) && has(/\bfirst\b/)) return time('acceptMs', 1)
  if (has(/\btools?\b/) && given !== undefined) return time('toolMs', 1)
  if (has(/\bthink\b|\bpause\b/)) return time('thinkMs', 1)
  if (has(/\bjobs?\b/) && has(/\b(sum|total|cumulative)\b/)) return time('sumJobMs', 1000)
  if (has(/\bjobs?\b/) && has(/\b(slowest|longest|max|maximum)\b/)) return time('slowestJobMs', 1000)
  if (has(/\b(dispatch|schedule|scheduling|send|start) (delay|lag)\b/)) return time('dispatchDelayMs', 1)
  if (has(/\bloop (lag|delay|block)\b/)) return time('loopLagMs', 1)
  if (has(/\bconnect(ion)?\b/) && given !== undefined) return time('connectMs', 1)
  if (has(/\bttft\b/) && has(/\b(max|slowest|longest)\b/)) return { kind: 'ignored', why: 'a spread or an extreme, not needed here' }
  if (has(/\bttft\b/) && has(/\bserver\b/)) return time('ttftServerMs', 1)
  if (has(/\b(slowest|longest)\b/) || (has(/\bmax(imum)?\b/) && has(/\blatency\b/))) return time('slowestMs', 1)
  if (has(/\bttft\b/)) return time(`ttft${stat ?? 'P50'}Ms` as Figure, 1)
  if (has(/\btpot\b/)) return stat === 'P95' || stat === 'P99' || stat === 'P90' ? undefined : time('tpotMs', 1)
  if (has(/\b(queue|queued|queueing|wait|waiting)\b/)) return time('queueMs', 1)
  if (has(/\bload(ing)?\b/) && given !== undefined) return time('loadMs', 1)
  if (has(/\b(prefill|prompt eval|prompt processing|pp)\b/)) return time('prefillMs', 1)
  if (has(/\b(decode|eval|generation|tg)\b/)) return time('decodeMs', 1)
  if (has(/\b(wall|elapsed|makespan|batch time|total time|duration|wallclock)\b/)) return time('wallMs', 1000)
  if (has(/\blatency\b|\bservice\b/)) return time(`latency${stat ?? 'P50'}Ms` as Figure, 1)
  if (given !== undefined && stat !== undefined && /^(p ?\d+|mean|median|avg|average|med) (ms|s|sec|seconds)$/.test(words))
    return time(`latency${stat}Ms` as Figure, 1)
  return undefined
}

/** What the words and settings around a table say that bears on its verdict: limits, lengths, jobs, cores, and how the load was made. */
import { contextText, type Setting, type TableContext } from './measured-table.ts'

export type SaidSettings = {
  /** Requests that the server is said to serve at once. */
  readonly slots: number | null
  /** The setting's own name, for sentences. */
  readonly slotsName: string | null
  /** Connections that the client is said to open at most. */
  readonly clientLimit: number | null
  readonly tokensPerRequest: number | null
  readonly serviceMs: number | null
  readonly n: number | null
  readonly jobs: number | null
  readonly cores: number | null
  readonly requestsPerLevel: number | null
  readonly isBurst: boolean
  readonly isOpenLoop: boolean
  /** Engine alone: nothing there that could queue. */
  readonly isEngineOnly: boolean
  /** Streams that nobody batches: separate calls or processes without a server. */
  readonly isUnbatched: boolean
  readonly isSpeculative: boolean
  readonly isJobs: boolean
  readonly newClientPerRequest: boolean
  readonly usesLocalhostName: boolean
  /** Prompts or caches that may be reused, in the words of the table. */
  readonly promptReuse: 'identical' | 'cache' | null
  readonly hardwareWord: string
}

const SLOT_KEYS =
  /^(ollama[_ ]?)?num[_ ]?parallel$|^(n|max)?[_ ]?parallel([_ ]?slots)?$|^np$|^(configured[_ ]?|num[_ ]?|n[_ ]?)?slots$|^max[_ ]?num[_ ]?seqs$|^max[_ ]?batch[_ ]?size$|^max[_ ]?running[_ ]?requests$|^max[_ ]?concurrent[_ ]?(requests|predictions)$/i
const POOL_KEYS = /limit[_ ]?per[_ ]?host|pool|max[_ ]?conn|max[_ ]?sockets|connection[_ ]?limit|connector|keepalive[_ ]?connections/i
const TOKEN_KEYS =
  /^(num[_ ]?predict|max[_ ]?(new[_ ]?|completion[_ ]?|output[_ ]?)?tokens|n[_ ]?predict|output[_ ]?(tokens|len|length)|random[_ ]?output[_ ]?len|osl|tg|tokens[_ ]?out|out)$/i

export function readSettings(context: TableContext): SaidSettings {
  const text = contextText(context)
  const entries = Object.entries(context.settings)
  const slot = firstNumber(entries, SLOT_KEYS) ?? slotIn(text)
  return {
    slots: slot?.value ?? null,
    slotsName: slot?.name ?? null,
    clientLimit: firstNumber(entries, POOL_KEYS)?.value ?? null,
    tokensPerRequest:
      firstNumber(entries, TOKEN_KEYS)?.value ?? numberIn(text, /(\d+)[ -](?:max |output |completion |new |generated |answer )*tokens?\b/) ?? null,
    serviceMs: firstNumber(entries, /service[_ ]?(time[_ ]?)?ms$/i)?.value ?? scaled(firstNumber(entries, /service[_ ]?(time[_ ]?)?s$/i)?.value),
    n: firstNumber(entries, /^(n|concurrency|clients|agents|users|streams)$/i)?.value ?? null,
    jobs:
      firstNumber(entries, /^(jobs|num[_ ]?jobs|n[_ ]?jobs)$/i)?.value ??
      numberIn(text, /(\d+) (?:independent |queued |browser |equal |identical |build |test )*(?:jobs|tasks)\b/),
    cores: numberIn(text, /(\d+)[ -]*(?:physical |cpu |v)?(?:cores?|cpus?|vcpus?)\b/),
    requestsPerLevel: numberIn(text, /(\d+) requests per (?:agent|cell|level|client|user|point)/),
    isBurst: /\bburst|at once|all together|simultaneous/.test(text),
    isOpenLoop: /open[- ]loop|poisson|arrival/.test(text),
    isEngineOnly: /\bno http\b|engine batch|batched[- ]bench|no server\b|without (a |any )?server/.test(text),
    isUnbatched:
      /no server\b|without (a |any )?server|no batching|unbatched|not batched|independent (streams|processes)|separate (generate|process|calls)|one process (each|per)/.test(
        text,
      ) && !/batched[- ]bench|engine batch|batch of|continuous batching/.test(text),
    isSpeculative: /speculative|\bmtp|draft model|eagle|medusa|multi[- ]token prediction|spec(ulative)?[- ]dec/.test(text),
    isJobs: /\bjobs?\b|\bscheduler\b/.test(text),
    newClientPerRequest:
      /new (http[s]? )?(client|connection|session|socket)s? (per|for each|for every|each|every)|connection per request|no keep-?alive|without keep-?alive|keepalive=(false|off)/.test(
        text,
      ),
    usesLocalhostName: /localhost/.test(text),
    promptReuse: /identical (requests|prompts)|same prompt|repeated prompt/.test(text)
      ? 'identical'
      : /prefix|cache[_ ]?prompt|prompt[_ ]cache|slot reuse|reuse/.test(text)
        ? 'cache'
        : null,
    hardwareWord: hardwareWord(context.hardware?.toLowerCase() ?? '', text),
  }
}

const scaled = (seconds: number | undefined): number | null => (seconds === undefined ? null : seconds * 1000)

function hardwareWord(hardware: string, text: string): string {
  if (
    /\bno gpu\b|without (a )?gpu|cpu[- ]only|docker desktop|\bvcpus?\b/.test(hardware) &&
    !/\b(a100|h100|h200|b200|rtx|gtx|l4|l40s?|t4|v100)\b/.test(hardware)
  )
    return 'CPU'
  if (/\b(rtx|gtx|tesla|a100|h100|h200|b200|l4|l20|l40s?|gpu|gpus|p40|v100|radeon|mi\d+|apple|m[1-5]|mac|geforce|cuda)\b/.test(hardware)) return 'GPU'
  if (/\bcores?\b|\bcpus?\b|\bvcpus?\b|container|xeon|epyc|ryzen|n_threads/.test(`${hardware} ${text}`)) return 'CPU'
  return 'hardware'
}

function firstNumber(entries: readonly (readonly [string, Setting])[], key: RegExp): { name: string; value: number } | null {
  for (const [name, value] of entries) {
    if (!key.test(name)) continue
    const number = typeof value === 'number' ? value : typeof value === 'string' && /^\s*\d+(\.\d+)?\s*$/.test(value) ? Number(value) : null
    if (number !== null && Number.isFinite(number) && number > 0) return { name, value: number }
  }
  return null
}

function slotIn(text: string): { name: string; value: number } | null {
  const match = /\b(max[_-]num[_-]seqs|num_parallel|ollama_num_parallel|--parallel|-np)[ =:]+(\d+)/.exec(text)
  return match === null ? null : { name: match[1] ?? '', value: Number(match[2]) }
}

function numberIn(text: string, pattern: RegExp): number | null {
  const match = pattern.exec(text)
  return match === null ? null : Number(match[1])
}

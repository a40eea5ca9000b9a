/** A server with known slots, sharing and prefill, played in virtual time: what a client would have measured at each n, so that a table's truth is known. */
import { createSeededRandom } from '../src/core/sweep/seeded-random.ts'

export type PlayedServer = {
  readonly slots: number
  /** Milliseconds for one token while `active` requests decode. */
  readonly tokenMs: (active: number) => number
  readonly prefillMs: number
  /** Prompts are read one after another, whatever the slots. */
  readonly serialPrefill?: boolean
  readonly tokens: number
  /** What the client does between two requests. */
  readonly gapMs?: number
  /** Relative noise on every figure. */
  readonly noise?: number
  readonly seed?: number
}

export type PlayedLevel = {
  readonly n: number
  readonly total: number
  readonly decode: number
  readonly ttftMeanMs: number
  readonly ttftP50Ms: number
  readonly ttftP95Ms: number
  readonly latencyMeanMs: number
  readonly latencyP50Ms: number
  readonly latencyP95Ms: number
  readonly requestsPerSec: number
}

type Running = { sentMs: number; firstMs: number; prefillLeft: number; tokensLeft: number; client: number }

const STEP_MS = 1

/** A closed loop of n clients, stepped through: coarse, but everything overlaps as it would. */
export function playLevel(server: PlayedServer, n: number, requestsPerClient = 12): PlayedLevel {
  const wanted = n * requestsPerClient
  const nextMs = Array.from({ length: n }, (_, client) => client * 0.1)
  const waiting: Running[] = []
  const running: Running[] = []
  const done: { ttft: number; latency: number; decodeMs: number }[] = []
  let ms = 0
  while (done.length < wanted) {
    for (let client = 0; client < n; client += 1)
      if ((nextMs[client] ?? 0) <= ms) {
        waiting.push({ sentMs: ms, firstMs: 0, prefillLeft: server.prefillMs, tokensLeft: server.tokens - 1, client })
        nextMs[client] = Number.POSITIVE_INFINITY
      }
    while (running.length < server.slots && waiting.length > 0) running.push(waiting.shift() as Running)
    const decoding = running.filter(({ prefillLeft }) => prefillLeft <= 0).length
    const perToken = server.tokenMs(Math.max(1, decoding))
    let prefilled = false
    for (const one of running) {
      if (one.prefillLeft > 0) {
        if (server.serialPrefill === true && prefilled) continue
        prefilled = true
        one.prefillLeft -= STEP_MS
        if (one.prefillLeft <= 0) one.firstMs = ms + STEP_MS
      } else one.tokensLeft -= STEP_MS / perToken
    }
    ms += STEP_MS
    for (let index = running.length - 1; index >= 0; index -= 1) {
      const one = running[index] as Running
      if (one.prefillLeft > 0 || one.tokensLeft > 0) continue
      running.splice(index, 1)
      done.push({ ttft: one.firstMs - one.sentMs, latency: ms - one.sentMs, decodeMs: ms - one.firstMs })
      nextMs[one.client] = ms + (server.gapMs ?? 0)
    }
  }
  return levelOf(server, n, done, ms)
}

function levelOf(
  { tokens, noise = 0, seed = 1 }: PlayedServer,
  n: number,
  done: readonly { ttft: number; latency: number; decodeMs: number }[],
  ms: number,
): PlayedLevel {
  const random = createSeededRandom(`${seed} ${n}`)
  const noisy = (value: number) => value * (1 + noise * (2 * random.next() - 1))
  const mean = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
  const at = (values: readonly number[], share: number) =>
    values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(share * values.length))] ?? 0
  const [ttft, latency] = [done.map((one) => one.ttft), done.map((one) => one.latency)]
  // First tokens and ends come from the same requests: what disturbs the one disturbs the other.
  const times = noisy(1)
  return {
    n,
    total: noisy((done.length * tokens * 1000) / ms),
    decode: noisy(mean(done.map(({ decodeMs }) => ((tokens - 1) * 1000) / decodeMs))),
    ttftMeanMs: times * mean(ttft),
    ttftP50Ms: times * at(ttft, 0.5),
    ttftP95Ms: times * at(ttft, 0.95),
    latencyMeanMs: times * mean(latency),
    latencyP50Ms: times * at(latency, 0.5),
    latencyP95Ms: times * at(latency, 0.95),
    requestsPerSec: noisy((done.length * 1000) / ms),
  }
}

export const playLevels = (server: PlayedServer, levels: readonly number[]): PlayedLevel[] => levels.map((n) => playLevel(server, n))

/** Batching that costs nothing, some, or all: the time of a token grows with how many decode. */
export const FREE = (ms: number) => () => ms
export const SHARED = (ms: number, cost: number) => (active: number) => ms * (1 + cost * (active - 1))

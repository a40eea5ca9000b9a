/** M6: between two cells the server comes to rest. Our own servers tell by their log; of others only the answers that we have seen end. */
import { z } from 'zod'
import type { ServerFacts } from '../../../core/sweep/target.ts'
import type { Clock } from '../../platform/clock.ts'

const logSchema = z.object({ requests: z.array(z.object({ id: z.number(), outcome: z.string() })) })

/** A server that tells nothing gets this long after the last answer; longer when some were broken off, which it may notice late (Ollama: up to 160 ms). */
const SETTLE_MS = 50
const SETTLE_AFTER_CUTS_MS = 300
const POLL_MS = 10
const GIVE_UP_MS = 30_000
const READ_LIMIT_MS = 5_000

export type IdleWatch = {
  /**
   * Waits until the server rests.
   * @param sinceMs the last end that the client saw
   * @returns milliseconds from there to rest; null = it could not be told
   */
  waitUntilIdle(
    server: { readonly url: string; readonly kind: ServerFacts['kind'] },
    sinceMs: number,
    someWereCut: boolean,
    signal: AbortSignal,
  ): Promise<number | null>
}

export function createIdleWatch(clock: Clock): IdleWatch {
  /** By server: all requests up to this id have ended. */
  const endedUpTo = new Map<string, number>()

  const isIdle = async (url: string): Promise<boolean | null> => {
    const after = endedUpTo.get(url) ?? 0
    const parsed = logSchema.safeParse(await readJson(`${url}/plimsoll/log?after=${after}`))
    if (!parsed.success) return null
    const open = parsed.data.requests.find((request) => request.outcome === 'open')
    endedUpTo.set(url, open === undefined ? (parsed.data.requests.at(-1)?.id ?? after) : open.id - 1)
    return open === undefined
  }

  return {
    async waitUntilIdle({ url, kind }, sinceMs, someWereCut, signal) {
      while (kind === 'plimsoll' && !signal.aborted && clock.nowMs() - sinceMs < GIVE_UP_MS) {
        const idle = await isIdle(url)
        if (idle === null) break
        if (idle) return Math.max(0, clock.nowMs() - sinceMs)
        await pause(clock, POLL_MS)
      }
      if (!signal.aborted) await pause(clock, someWereCut ? SETTLE_AFTER_CUTS_MS : SETTLE_MS)
      return null
    },
  }
}

export function pause(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve))
}

async function readJson(url: string): Promise<unknown> {
  try {
    const answer = await fetch(url, { signal: AbortSignal.timeout(READ_LIMIT_MS) })
    return answer.ok ? await answer.json() : undefined
  } catch {
    return undefined
  }
}

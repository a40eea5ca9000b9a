/**
 * Joins a busy terminal's output. An idle one's goes out at once, so that typing feels instant;
 * a busy one's is gathered for 8 ms or 32 kB: fewer, larger messages move nearly twice as much.
 */
import type { Clock } from '../platform/clock.ts'

const GATHER_MS = 8
const GATHER_BYTES = 32 * 1024

export interface OutputBatcher {
  push(chunk: Uint8Array): void
  /** What is gathered goes out now. */
  flush(): void
  /** What is gathered is dropped. */
  clear(): void
}

/** A copy of its own exact size: a view of a larger buffer would be sent with all of that buffer. */
function joinChunks(chunks: readonly Uint8Array[]): Uint8Array {
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const chunk of chunks) {
    joined.set(chunk, at)
    at += chunk.length
  }
  return joined
}

export function createOutputBatcher(clock: Clock, send: (bytes: Uint8Array) => void): OutputBatcher {
  let gathered: Uint8Array[] = []
  let gatheredBytes = 0
  let sentAtMs = Number.NEGATIVE_INFINITY
  let cancelTimer: (() => void) | undefined

  const clear = () => {
    cancelTimer?.()
    cancelTimer = undefined
    gathered = []
    gatheredBytes = 0
  }
  const flush = () => {
    if (gatheredBytes === 0) return
    const bytes = joinChunks(gathered)
    clear()
    sentAtMs = clock.nowMs()
    send(bytes)
  }
  return {
    push(chunk) {
      gathered.push(chunk)
      gatheredBytes += chunk.length
      const waitMs = sentAtMs + GATHER_MS - clock.nowMs()
      if (waitMs <= 0 || gatheredBytes >= GATHER_BYTES) flush()
      else cancelTimer ??= clock.after(waitMs, flush)
    },
    flush,
    clear,
  }
}

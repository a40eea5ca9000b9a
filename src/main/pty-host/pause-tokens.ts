/**
 * Who holds a pty back. Several may, each by a token; it runs again when the last lets go.
 * A token with a ceiling is taken away after that time: no viewer, lost or slow, can freeze an agent.
 */
import type { Clock } from '../platform/clock.ts'

export interface PauseTokens {
  /** Holding twice is holding once; the ceiling counts from the first. */
  hold(token: string, ceiling?: { afterMs: number; onCeiling: () => void }): void
  release(token: string): void
  /** Lets go of all, and takes no token from now on. */
  end(): void
}

export function createPauseTokens(clock: Clock, pty: { pause(): void; resume(): void }): PauseTokens {
  const held = new Map<string, () => void>()
  let ended = false

  const release = (token: string) => {
    const cancelCeiling = held.get(token)
    if (cancelCeiling === undefined) return
    cancelCeiling()
    held.delete(token)
    if (held.size === 0) pty.resume()
  }
  return {
    hold(token, ceiling) {
      if (ended || held.has(token)) return
      const cancel = ceiling
        ? clock.after(ceiling.afterMs, () => {
            release(token)
            ceiling.onCeiling()
          })
        : () => {}
      held.set(token, cancel)
      if (held.size === 1) pty.pause()
    },
    release,
    end() {
      for (const token of [...held.keys()]) release(token)
      ended = true
    },
  }
}

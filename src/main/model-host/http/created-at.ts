/** The `created_at` of stream lines: a wall-clock stamp, made anew only when a step of time has passed, since it is asked for at every token. */
import type { Clock } from '../../platform/clock.ts'

export function createCreatedAt(clock: Clock, stepMs: number): () => string {
  let untilMs = Number.NEGATIVE_INFINITY
  let text = ''
  return () => {
    const nowMs = clock.nowMs()
    if (nowMs >= untilMs) {
      untilMs = nowMs + stepMs
      text = new Date(clock.epochMs()).toISOString()
    }
    return text
  }
}

/**
 * Waits for a moment that is less than a few milliseconds away. Turning the loop without a rest would hold a whole core while a burst is sent, the very
 * core that the server or the runner on the same machine needs to take it in.
 */

const cell = new Int32Array(new SharedArrayBuffer(4))

/** A sleep ends up to this late (timer slack of the system). */
const SLACK_MS = 0.07
/** Longer naps would keep answers waiting that come meanwhile. */
const MAX_NAP_MS = 0.2

/** @param spareMs until the moment; may be negative */
export function napThenTurn(callback: () => void, spareMs: number): void {
  const napMs = Math.min(MAX_NAP_MS, spareMs - SLACK_MS)
  if (napMs > 0) Atomics.wait(cell, 0, 0, napMs)
  setImmediate(callback)
}

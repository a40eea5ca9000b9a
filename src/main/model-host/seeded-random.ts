/** Random numbers that repeat for the same seed: mulberry32 (Tommy Ettinger, public domain), plenty for weights and coin tosses. */

export interface SeededRandom {
  /** Even over 0 (inclusive) to 1 (exclusive). */
  next(): number
  /** Normal with mean 0 and deviation 1 (Box-Muller, one of the pair). */
  gauss(): number
}

export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
  return { next, gauss: () => Math.sqrt(-2 * Math.log(next() + 1e-12)) * Math.cos(2 * Math.PI * next()) }
}

/** A 32-bit hash of a text (FNV-1a), to draw the same lot for the same request whatever came before it. */
export function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}

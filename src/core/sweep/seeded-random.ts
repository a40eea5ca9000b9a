/** Random numbers that follow from a seed alone: the same on every machine and in every run. For plans, prompts and resampling, never for secrets. */

export type SeededRandom = {
  /** 0 up to but not including 1; 32 bits. */
  next(): number
  /** Whole number from 0 up to but not including `below`. */
  int(below: number): number
  /** A new array in random order (Fisher-Yates). */
  shuffle<T>(items: readonly T[]): T[]
}

/** Four 32-bit numbers out of any text. cyrb128 by bryc, public domain. */
export function hash128(text: string): readonly [number, number, number, number] {
  let [a, b, c, d] = [1779033703, 3144134277, 1013904242, 2773480762]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = b ^ Math.imul(a ^ code, 597399067)
    b = c ^ Math.imul(b ^ code, 2869860233)
    c = d ^ Math.imul(c ^ code, 951274213)
    d = a ^ Math.imul(d ^ code, 2716044179)
  }
  a = Math.imul(c ^ (a >>> 18), 597399067)
  b = Math.imul(d ^ (b >>> 22), 2869860233)
  c = Math.imul(a ^ (c >>> 17), 951274213)
  d = Math.imul(b ^ (d >>> 19), 2716044179)
  a ^= b ^ c ^ d
  return [a >>> 0, (b ^ a) >>> 0, (c ^ a) >>> 0, (d ^ a) >>> 0]
}

/** A one-to-one map of the 32-bit numbers onto themselves that leaves no order behind (the finalizer of MurmurHash3). */
export function scramble32(value: number): number {
  let h = value >>> 0
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b)
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35)
  return (h ^ (h >>> 16)) >>> 0
}

/** @param seed equal seeds give equal sequences; name the purpose in it ("order/7") so that two uses don't share one */
export function createSeededRandom(seed: string | number): SeededRandom {
  // sfc32, a small fast generator from PractRand.
  let [a, b, c, d] = hash128(String(seed))
  const next = () => {
    const t = (((a + b) | 0) + d) | 0
    d = (d + 1) | 0
    a = b ^ (b >>> 9)
    b = (c + (c << 3)) | 0
    c = (((c << 21) | (c >>> 11)) + t) | 0
    return (t >>> 0) / 4294967296
  }
  for (let i = 0; i < 12; i++) next()
  const int = (below: number) => Math.floor(next() * below)
  return {
    next,
    int,
    shuffle(items) {
      const mixed = [...items]
      for (let i = mixed.length - 1; i > 0; i--) {
        const j = int(i + 1)
        const [x, y] = [mixed[i], mixed[j]]
        if (x === undefined || y === undefined) continue
        mixed[i] = y
        mixed[j] = x
      }
      return mixed
    },
  }
}

/** Whether real inference is built in here: its package is optional, and loaded only when a sweep wants it. */

/** @returns why it can't be, or null */
export function whyNoLlama(): string | null {
  try {
    import.meta.resolve('node-llama-cpp')
    return null
  } catch {
    return 'not installed here (the optional package node-llama-cpp); the simulated server needs nothing'
  }
}

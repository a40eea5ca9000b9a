/** Runs callbacks once a frame, all in one go. A hidden page gets no frames, so a timer stands in for them. */

type Callback = () => void

/** Hidden pages still fold streams, for titles and notices; this often is enough for them. */
const HIDDEN_EVERY_MS = 250

export type FrameQueue = {
  /** Runs `callback` in the next frame; asking again before that changes nothing. */
  schedule(callback: Callback): void
}

function createFrameQueue(): FrameQueue {
  let waiting = new Set<Callback>()
  const flush = () => {
    const due = waiting
    waiting = new Set()
    for (const callback of due) callback()
  }
  return {
    schedule(callback) {
      const first = waiting.size === 0
      waiting.add(callback)
      if (!first) return
      if (document.visibilityState === 'visible') requestAnimationFrame(flush)
      else setTimeout(flush, HIDDEN_EVERY_MS)
    },
  }
}

export const pageFrames = createFrameQueue()

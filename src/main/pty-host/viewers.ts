/**
 * Those who look at one terminal. Each gets a replay first, then the output, and may be owed a window of bytes; one that lags holds the pty back,
 * but for 5 s at most: then its output is dropped, and when it has caught up it gets a fresh replay instead.
 */
import type { PauseTokens } from './pause-tokens.ts'

/** Small, for an echo waits behind what other terminals have on the way; with the page's own 64 kB behind it. */
const PAUSE_ABOVE_BYTES = 48 * 1024
/** Must be well below PAUSE_ABOVE_BYTES, or one small ack would make it stutter. */
const RESUME_BELOW_BYTES = 16 * 1024
const PAUSE_CEILING_MS = 5_000

type Viewer = {
  owedBytes: number
  /** `replaying`: its replay is not made yet, what comes meanwhile waits here. `behind`: nothing is sent until it has taken what it is owed. */
  state: { type: 'replaying'; waiting: Uint8Array[] } | { type: 'live' } | { type: 'behind' }
}

export interface Viewers {
  readonly size: number
  attach(id: number): void
  detach(id: number): void
  ack(id: number, bytes: number): void
  deliver(bytes: Uint8Array): void
  /** The program has ended; `last` is for those that did not get all. */
  end(last: Uint8Array): void
}

export interface ViewersDeps {
  pause: PauseTokens
  send(viewer: number, data: Uint8Array): void
  sendEnd(viewer: number): void
  /** Calls back when the screen holds exactly what was delivered up to now, with its replay. */
  replay(callback: (bytes: Uint8Array) => void): void
}

export function createViewers({ pause, send, sendEnd, replay }: ViewersDeps): Viewers {
  const viewers = new Map<number, Viewer>()
  const tokenOf = (id: number) => `viewer-${id}`

  function give(id: number, viewer: Viewer, bytes: Uint8Array): void {
    viewer.owedBytes += bytes.length
    send(id, bytes)
    if (viewer.owedBytes <= PAUSE_ABOVE_BYTES) return
    pause.hold(tokenOf(id), {
      afterMs: PAUSE_CEILING_MS,
      onCeiling: () => {
        viewer.state = { type: 'behind' }
      },
    })
  }

  function startReplay(id: number, viewer: Viewer): void {
    const waiting: Uint8Array[] = []
    viewer.state = { type: 'replaying', waiting }
    replay((bytes) => {
      if (viewers.get(id) !== viewer) return
      viewer.state = { type: 'live' }
      for (const chunk of [bytes, ...waiting]) give(id, viewer, chunk)
    })
  }

  return {
    get size() {
      return viewers.size
    },
    attach(id) {
      const viewer: Viewer = { owedBytes: 0, state: { type: 'live' } }
      viewers.set(id, viewer)
      startReplay(id, viewer)
    },
    detach(id) {
      viewers.delete(id)
      pause.release(tokenOf(id))
    },
    ack(id, bytes) {
      const viewer = viewers.get(id)
      if (viewer === undefined) return
      viewer.owedBytes = Math.max(0, viewer.owedBytes - bytes)
      if (viewer.owedBytes > RESUME_BELOW_BYTES) return
      pause.release(tokenOf(id))
      if (viewer.state.type === 'behind' && viewer.owedBytes === 0) startReplay(id, viewer)
    },
    deliver(bytes) {
      for (const [id, viewer] of viewers) {
        if (viewer.state.type === 'live') give(id, viewer, bytes)
        else if (viewer.state.type === 'replaying') viewer.state.waiting.push(bytes)
      }
    },
    end(last) {
      for (const [id, viewer] of viewers) {
        if (viewer.state.type !== 'live') send(id, last)
        sendEnd(id)
      }
      viewers.clear()
    },
  }
}

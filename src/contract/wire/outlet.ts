/**
 * The sending half of one stream: knows what its viewer may still be sent and keeps the rest.
 * `every` and `bytes` keep all in order up to a bound, `latest` keeps the newest only. No viewer can make main grow without end.
 */
import { type Problem, problem } from '../../core/result/problem.ts'
import type { Delivery } from './define.ts'
import { WINDOW } from './frames.ts'

/** A viewer that is this far behind is cut off with a Problem; it opens the stream again and gets the history afresh. */
const BACKLOG_LIMIT: Readonly<Record<Delivery, number>> = { every: 10_000, latest: 1, bytes: 16 * 1024 * 1024 }
/** Larger chunks are cut, so that a long replay does not sit in front of somebody's key press. */
const CHUNK_BYTES = 16 * 1024

export const viewerTooSlow: Problem = problem(
  'viewer-too-slow',
  'This view fell too far behind what it shows.',
  '',
  'It opens again by itself with what is kept.',
)

export interface Outlet {
  push(value: unknown): Promise<void> | undefined
  /** The viewer has taken `amount` (events or bytes). More than was owed counts for no more than that. */
  credit(amount: number): void
  /** Resolves when all that was kept has been sent; the owner then says `end`. */
  whenEmpty(callback: () => void): void
  /** Drops what is kept and wakes those who wait. */
  close(): void
}

export function createOutlet(delivery: Delivery, send: (value: unknown) => void, overflow: () => void): Outlet {
  const window = WINDOW[delivery]
  const kept: unknown[] = []
  let keptSize = 0
  let room = window
  let closed = false
  let wake: (() => void) | undefined
  let waiting: Promise<void> | undefined
  let onEmpty: (() => void) | undefined

  const sizeOf = (value: unknown) => (delivery === 'bytes' ? (value as Uint8Array).length : 1)

  const pump = () => {
    let taken = 0
    while (!closed && room > 0 && taken < kept.length) {
      const value = kept[taken++]
      keptSize -= sizeOf(value)
      room -= sizeOf(value)
      send(value)
    }
    kept.splice(0, taken)
    if (kept.length > 0 || closed) return
    if (room > 0) {
      wake?.()
      wake = waiting = undefined
    }
    onEmpty?.()
    onEmpty = undefined
  }

  const keep = (value: unknown) => {
    if (delivery === 'latest') kept.length = keptSize = 0
    kept.push(value)
    keptSize += sizeOf(value)
  }

  return {
    push(value) {
      if (closed) return undefined
      if (delivery === 'bytes') {
        const bytes = value as Uint8Array
        for (let at = 0; at < bytes.length; at += CHUNK_BYTES) keep(bytes.subarray(at, at + CHUNK_BYTES))
      } else keep(value)
      pump()
      if (closed || (kept.length === 0 && room > 0)) return undefined
      if (keptSize > BACKLOG_LIMIT[delivery]) {
        overflow()
        return undefined
      }
      waiting ??= new Promise<void>((resolve) => {
        wake = resolve
      })
      return waiting
    },
    credit(amount) {
      room = Math.min(window, room + amount)
      pump()
    },
    whenEmpty(callback) {
      if (kept.length === 0) callback()
      else onEmpty = callback
    },
    close() {
      closed = true
      kept.length = keptSize = 0
      onEmpty = undefined
      wake?.()
      wake = waiting = undefined
    },
  }
}

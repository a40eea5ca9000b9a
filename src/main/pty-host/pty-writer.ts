/**
 * Hands input to a program at the pace at which it reads. node-pty's own writing tries again without a pause when a program does not read,
 * which takes a whole core; here the pauses grow.
 */
import { writeSync } from 'node:fs'
import type { Clock } from '../platform/clock.ts'

const PIECE_BYTES = 4 * 1024
/** Written in one go before others get their turn. */
const TURN_BYTES = 64 * 1024
const FIRST_PAUSE_MS = 1
const LONGEST_PAUSE_MS = 64

export interface PtyWriter {
  write(data: string): void
  /** What waits is given up. */
  close(): void
}

/** @param taken told of each byte once: the program has it, or never will */
export function createPtyWriter(fd: number, clock: Clock, taken: (bytes: number) => void, writeTo = writeSync): PtyWriter {
  const queue: Uint8Array[] = []
  let pauseMs = FIRST_PAUSE_MS
  let cancelTimer: (() => void) | undefined
  let closed = false

  const later = (delayMs: number) => {
    cancelTimer = clock.after(delayMs, () => {
      cancelTimer = undefined
      pump()
    })
  }
  const giveUp = () => {
    const bytes = queue.reduce((sum, { length }) => sum + length, 0)
    queue.length = 0
    if (bytes > 0) taken(bytes)
  }

  /** @returns bytes written; undefined when the program does not read at present */
  function writePiece(piece: Uint8Array): number | undefined {
    try {
      return writeTo(fd, piece, 0, Math.min(piece.length, PIECE_BYTES))
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EAGAIN') return undefined
      // The program has gone.
      giveUp()
      return undefined
    }
  }

  function pump(): void {
    let written = 0
    for (let piece = queue[0]; piece !== undefined && written < TURN_BYTES; piece = queue[0]) {
      const bytes = writePiece(piece)
      if (bytes === undefined || bytes === 0) {
        if (queue.length > 0) later(pauseMs)
        pauseMs = Math.min(LONGEST_PAUSE_MS, pauseMs * 2)
        break
      }
      pauseMs = FIRST_PAUSE_MS
      written += bytes
      if (bytes === piece.length) queue.shift()
      else queue[0] = piece.subarray(bytes)
    }
    if (written > 0) taken(written)
    if (queue.length > 0 && cancelTimer === undefined) later(0)
  }

  return {
    write(data) {
      if (closed || data === '') return
      queue.push(Buffer.from(data, 'utf8'))
      if (queue.length === 1) pump()
    },
    close() {
      closed = true
      cancelTimer?.()
      giveUp()
    },
  }
}

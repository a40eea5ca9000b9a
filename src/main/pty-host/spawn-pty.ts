/**
 * A program on a pseudo-terminal, by node-pty, with its two flaws mended (Linux and macOS):
 * the last output before an exit is not lost, and input waits without taking CPU.
 */

import { closeSync, constants, openSync } from 'node:fs'
import { constants as systemConstants } from 'node:os'
import { basename } from 'node:path'
import { spawn } from 'node-pty'
import type { Clock } from '../platform/clock.ts'
import type { SpawnRequest } from './messages.ts'
import { createPtyWriter } from './pty-writer.ts'

export type PtyExit = { exitCode: number; signal: string | null }

export interface PtyEvents {
  onData(bytes: Uint8Array): void
  /** The program has ended: what it has left is being read, nobody may hold that back. */
  onDraining(): void
  /** After the last output. */
  onExit(exit: PtyExit): void
  /** Bytes of input that the program has read, or that are lost with it. */
  onTaken(bytes: number): void
}

export interface Pty {
  readonly pid: number
  /** Name of the program in the foreground. */
  foreground(): string
  write(data: string): void
  /** Too late or too small is no error. */
  resize(cols: number, rows: number): void
  pause(): void
  resume(): void
}

/** Fields of node-pty's Unix terminal that its types do not show; looked for, never relied on. */
type Internals = { _pty?: unknown; fd?: unknown; _socket?: { destroy(error?: Error): unknown } }

/** The kernel hands on what a program wrote within a millisecond or two; a busy machine takes longer. */
const QUIET_MS = 40
const DRAIN_LIMIT_MS = 2_000

/**
 * With no one left on the program's side the kernel reports the end as soon as the reader asks, and Node may then drop what it has not yet read.
 * As long as we hold that side open too, there is no end, and everything can be read.
 */
function holdSlave(internals: Internals): () => void {
  if (process.platform === 'win32' || typeof internals._pty !== 'string') return () => {}
  try {
    const fd = openSync(internals._pty, constants.O_RDWR | constants.O_NOCTTY)
    return () => closeSync(fd)
  } catch {
    return () => {}
  }
}

/** node-pty destroys its socket 200 ms after the program's exit, read or not. That destroying waits until nothing has come for a while. */
function drainBeforeDestroy(internals: Internals, clock: Clock, onDraining: () => void): { sawData(): void } {
  const socket = internals._socket
  if (socket === undefined || typeof socket.destroy !== 'function') return { sawData: () => {} }
  const destroy = socket.destroy.bind(socket)
  let dataAtMs = 0
  let draining = false
  socket.destroy = (error) => {
    if (error !== undefined) return destroy(error)
    if (draining) return socket
    draining = true
    dataAtMs = clock.nowMs()
    const untilMs = dataAtMs + DRAIN_LIMIT_MS
    onDraining()
    const look = () => {
      const nowMs = clock.nowMs()
      if (nowMs - dataAtMs >= QUIET_MS || nowMs >= untilMs) destroy()
      else clock.after(QUIET_MS / 4, look)
    }
    look()
    return socket
  }
  return {
    sawData() {
      dataAtMs = clock.nowMs()
    },
  }
}

const signalName = (signal: number | undefined): string | null => {
  if (signal === undefined || signal === 0) return null
  return Object.entries(systemConstants.signals).find(([, number]) => number === signal)?.[0] ?? String(signal)
}

/** Throws when the system has no terminal left to give. */
export function spawnPty(request: SpawnRequest, clock: Clock, events: PtyEvents): Pty {
  const { file, args, cwd, env, cols, rows } = request
  const pty = spawn(file, args, { name: env.TERM ?? 'xterm-256color', cwd, env, cols, rows, encoding: null })
  const internals = pty as unknown as Internals
  const releaseSlave = holdSlave(internals)
  const drain = drainBeforeDestroy(internals, clock, events.onDraining)
  const writer = typeof internals.fd === 'number' ? createPtyWriter(internals.fd, clock, events.onTaken) : undefined
  let ended = false

  pty.onData((data) => {
    drain.sawData()
    events.onData(typeof data === 'string' ? Buffer.from(data, 'utf8') : data)
  })
  pty.onExit(({ exitCode, signal }) => {
    ended = true
    writer?.close()
    releaseSlave()
    events.onExit({ exitCode, signal: signalName(signal) })
  })

  const guarded = (work: () => void) => {
    if (ended) return
    try {
      work()
    } catch {
      // It ended at this very moment; its exit is on the way.
    }
  }
  return {
    pid: pty.pid,
    // A shell that was started by its path names itself by its path; a person calls it by its name.
    foreground: () => basename(pty.process),
    write(data) {
      if (ended) events.onTaken(Buffer.byteLength(data))
      else if (writer !== undefined) writer.write(data)
      else {
        guarded(() => pty.write(data))
        events.onTaken(Buffer.byteLength(data))
      }
    },
    resize: (toCols, toRows) => guarded(() => pty.resize(toCols, toRows)),
    pause: () => guarded(() => pty.pause()),
    resume: () => guarded(() => pty.resume()),
  }
}

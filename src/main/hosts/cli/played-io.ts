/** A terminal for tests: keeps what was written, and plays Ctrl-C. */
import type { CliIo } from './cli-io.ts'

export interface PlayedIo {
  readonly io: CliIo
  readonly out: () => string
  readonly err: () => string
  readonly quits: readonly number[]
  interrupt(): void
}

export function silentIo(options: { terminal?: boolean } = {}): PlayedIo {
  let out = ''
  let err = ''
  const quits: number[] = []
  const listeners = new Set<() => void>()
  const io: CliIo = {
    out(text) {
      out += text
    },
    err(text) {
      err += text
    },
    outIsTerminal: options.terminal ?? false,
    errIsTerminal: options.terminal ?? false,
    columns: 100,
    color: false,
    onInterrupt(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    quit: (code) => {
      quits.push(code)
    },
  }
  return {
    io,
    out: () => out,
    err: () => err,
    quits,
    interrupt() {
      for (const listener of [...listeners]) listener()
    },
  }
}

/** What a command may touch of its terminal: two streams, their width and colour, Ctrl-C. Given in, so that tests can play a terminal. */

export interface CliIo {
  /** Standard output: results only. */
  out(text: string): void
  /** Standard error: progress and problems. */
  err(text: string): void
  readonly outIsTerminal: boolean
  readonly errIsTerminal: boolean
  readonly columns: number
  readonly color: boolean
  /** Ctrl-C or a polite kill. The returned function stops listening; without a listener the process ends as usual. */
  onInterrupt(listener: () => void): () => void
  /** Ends the process at once, children with it. */
  quit(exitCode: number): void
}

/** Lines on a terminal are cut or wrapped at its width; elsewhere at this one. */
const DEFAULT_COLUMNS = 110

/** Ctrl-C, a polite kill, and a terminal window that was closed. */
const ENDING_SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
/** A terminal tells the whole group, and npm, `timeout` or our own script pass it on: what comes so soon after another is the same Ctrl-C. */
const SAME_SIGNAL_MS = 300

export function terminalIo(process: NodeJS.Process, nowMs = () => performance.now()): CliIo {
  const { stdout, stderr, env } = process
  return {
    out: (text) => stdout.write(text),
    err: (text) => stderr.write(text),
    outIsTerminal: stdout.isTTY === true,
    errIsTerminal: stderr.isTTY === true,
    get columns() {
      return Math.max(60, Math.min(stdout.columns ?? stderr.columns ?? DEFAULT_COLUMNS, 140))
    },
    // https://no-color.org
    color: stdout.isTTY === true && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb',
    onInterrupt(listener) {
      let lastMs = Number.NEGATIVE_INFINITY
      const onSignal = () => {
        const again = nowMs() - lastMs < SAME_SIGNAL_MS
        lastMs = nowMs()
        if (!again) listener()
      }
      for (const signal of ENDING_SIGNALS) process.on(signal, onSignal)
      return () => {
        for (const signal of ENDING_SIGNALS) process.off(signal, onSignal)
      }
    },
    quit: (exitCode) => process.exit(exitCode),
  }
}

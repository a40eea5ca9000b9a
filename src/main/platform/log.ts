/** One log for all of main: lines on standard error, silent unless asked for. Never holds keys, prompts or answers. */

export interface Log {
  info(message: string, fields?: Record<string, unknown>): void
  error(message: string, cause?: unknown): void
}

export function stderrLog(verbose: boolean): Log {
  return {
    info(message, fields) {
      if (verbose) process.stderr.write(`${message}${fields ? ` ${JSON.stringify(fields)}` : ''}\n`)
    },
    error(message, cause) {
      const detail = cause instanceof Error ? (verbose ? cause.stack : cause.message) : cause === undefined ? '' : String(cause)
      process.stderr.write(`${message}${detail ? `: ${detail}` : ''}\n`)
    },
  }
}

export const silentLog: Log = { info: () => {}, error: () => {} }

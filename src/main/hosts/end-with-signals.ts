/** Ends a Node host in order when it is told to: a signal, or a bug that nobody caught. A second signal ends it at once. */
import type { Log } from '../platform/log.ts'

const EXIT_CODES = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
type Signal = keyof typeof EXIT_CODES

/** A terminal or a parent that went away is no bug of ours. */
const isGoneOutput = (cause: unknown) => cause instanceof Error && 'code' in cause && (cause.code === 'EPIPE' || cause.code === 'EIO')

/** @param close ends all; the process ends when it has */
export function endWithSignals(close: () => Promise<void>, log: Log): void {
  let ending = false
  const end = (code: number) => {
    if (ending) process.exit(code)
    ending = true
    void close()
      .catch((cause: unknown) => log.error('Plimsoll did not close cleanly', cause))
      .then(() => process.exit(code))
  }
  for (const signal of Object.keys(EXIT_CODES) as Signal[]) process.on(signal, () => end(EXIT_CODES[signal]))
  process.on('uncaughtException', (cause) => {
    if (isGoneOutput(cause)) return
    log.error('A bug that nothing caught ends Plimsoll', cause)
    end(1)
  })
  process.on('unhandledRejection', (cause) => log.error('A promise failed and nothing heard it', cause))
  process.stdout.on('error', () => {})
  process.stderr.on('error', () => {})
}

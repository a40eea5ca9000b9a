/** Our scripts start Plimsoll as a child and live as long as it: signals are passed on, its exit code is ours. */

const PARENT_LOOK_MS = 500

/**
 * Ctrl-C in a terminal reaches the child twice then; it takes both for one. Where npm itself is killed, it passes the signal to a shell
 * between us that dies of it without a word: then the child is asked to end.
 * @param {import('node:child_process').ChildProcess} child
 */
export function followChild(child) {
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal))
  const parentPid = process.ppid
  if (process.env.npm_lifecycle_event !== undefined) {
    const looking = setInterval(() => {
      if (process.ppid === parentPid) return
      clearInterval(looking)
      child.kill('SIGTERM')
    }, PARENT_LOOK_MS)
  }
  child.on('exit', (code, signal) => process.exit(code ?? (signal === null ? 1 : 130)))
}

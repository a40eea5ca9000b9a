/** Our child processes as Electron utility processes: the same port as Node's fork (platform/child.ts). */
import { join } from 'node:path'
import { utilityProcess } from 'electron'
import { type ForkChild, STOP_GRACE_MS, STOP_MESSAGE } from '../../platform/child.ts'

/** @param mainDir folder of the built files (out/main) */
export function electronForkChild(mainDir: string): ForkChild {
  return (name, options = {}) => {
    const child = utilityProcess.fork(join(mainDir, `${name}.js`), [], {
      serviceName: `plimsoll ${name}`,
      stdio: ['ignore', 'ignore', 'inherit'],
      env: { ...process.env, ...options.env },
      execArgv: options.execArgv ?? [],
    })
    let running = true
    const gone = new Promise<void>((resolve) => {
      child.once('exit', () => {
        running = false
        resolve()
      })
    })
    return {
      // Known once it was spawned, so it must be read anew each time.
      get pid() {
        return child.pid
      },
      send(message) {
        if (running) child.postMessage(message)
      },
      onMessage(listener) {
        child.on('message', listener)
        return () => child.off('message', listener)
      },
      onExit(listener) {
        const hear = (code: number) => listener(code, null)
        child.on('exit', hear)
        return () => child.off('exit', hear)
      },
      async stop() {
        if (!running) return
        child.postMessage(STOP_MESSAGE)
        const timer = setTimeout(() => {
          // Electron's own kill is a SIGTERM only.
          if (child.pid !== undefined) process.kill(child.pid, 'SIGKILL')
        }, STOP_GRACE_MS)
        await gone
        clearTimeout(timer)
      },
    }
  }
}

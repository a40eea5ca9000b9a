/**
 * Child processes of our own (load driver, model host, pty host) through one port, whichever host forks them:
 * Node's fork here, Electron's utilityProcess in hosts/electron. Messages are plain structured-clone values.
 */
import { fork } from 'node:child_process'
import { join } from 'node:path'

export type ChildName = 'load-driver' | 'model-host' | 'pty-host'

/** The parent's end. */
export interface ChildHandle {
  readonly pid: number | undefined
  send(message: unknown): void
  /** Each returns a function that stops listening. */
  onMessage(listener: (message: unknown) => void): () => void
  onExit(listener: (code: number | null, signal: string | null) => void): () => void
  /** Asks it to end, then kills; resolves when the process is gone. */
  stop(): Promise<void>
}

export type ForkChild = (name: ChildName, options?: { env?: Record<string, string>; execArgv?: string[] }) => ChildHandle

/** Grace between the polite and the hard kill. */
export const STOP_GRACE_MS = 3_000

/** @param mainDir folder of the built files (out/main) */
export function nodeForkChild(mainDir: string): ForkChild {
  return (name, options = {}) => {
    const child = fork(join(mainDir, `${name}.js`), [], {
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
      env: { ...process.env, ...options.env },
      execArgv: options.execArgv ?? [],
    })
    const gone = new Promise<void>((resolve) => {
      child.once('exit', () => resolve())
      // Also told when a message could not be sent to a child that is just ending; its exit follows then.
      child.on('error', () => {
        if (child.pid === undefined) resolve()
      })
    })
    return {
      pid: child.pid,
      send: (message) => {
        // With a callback a failure is not thrown at the process: the child is ending, its exit follows.
        if (child.connected) child.send(message as never, () => {})
      },
      onMessage(listener) {
        child.on('message', listener)
        return () => child.off('message', listener)
      },
      onExit(listener) {
        const neverStarted = () => {
          if (child.pid === undefined) listener(null, null)
        }
        child.on('exit', listener).on('error', neverStarted)
        return () => void child.off('exit', listener).off('error', neverStarted)
      },
      async stop() {
        // One that could not be started has no process: a signal to it would go to our whole process group.
        if (child.pid === undefined || child.exitCode !== null || child.signalCode !== null) return
        if (child.connected) child.disconnect()
        const timer = setTimeout(() => child.kill('SIGKILL'), STOP_GRACE_MS)
        await gone
        clearTimeout(timer)
      },
    }
  }
}

/** The child's end: the same in a Node fork and in an Electron utility process. */
export interface ParentPort {
  send(message: unknown): void
  onMessage(listener: (message: unknown) => void): void
  /** The parent is gone or has asked us to end: finish and exit. A child never outlives its parent. */
  onClose(listener: () => void): void
}

/** A utility process has no channel that could be closed to ask it to end: it is told so in words. */
export const STOP_MESSAGE = 'plimsoll:stop'

interface ElectronParentPort {
  postMessage(message: unknown): void
  on(event: 'message', listener: (event: { data: unknown }) => void): void
  on(event: 'close', listener: () => void): void
}

export function parentPort(): ParentPort | undefined {
  const electron = (process as unknown as { parentPort?: ElectronParentPort }).parentPort
  if (electron !== undefined) {
    return {
      send: (message) => electron.postMessage(message),
      onMessage: (listener) =>
        electron.on('message', ({ data }) => {
          if (data !== STOP_MESSAGE) listener(data)
        }),
      onClose(listener) {
        electron.on('close', listener)
        electron.on('message', ({ data }) => {
          if (data === STOP_MESSAGE) listener()
        })
      },
    }
  }
  if (process.send === undefined) return undefined
  return {
    send: (message) => {
      // With a callback a failure is not thrown at this process: the parent is gone, `onClose` follows.
      if (process.connected) process.send?.(message, undefined, {}, () => {})
    },
    onMessage: (listener) => process.on('message', listener),
    onClose: (listener) => process.on('disconnect', listener),
  }
}

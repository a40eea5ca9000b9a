/** The one pty-host process: started when it is first needed, started again after a crash, but not for ever. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { ChildHandle, ForkChild } from '../../platform/child.ts'
import type { Clock } from '../../platform/clock.ts'
import type { FromPtyHost, ToPtyHost } from '../../pty-host/messages.ts'

/** VS Code's figure. */
const MAX_RESTARTS = 5
const RESTARTS_COUNT_FOR_MS = 10 * 60_000

const failing = problem(
  'pty-host-failing',
  `The process that holds the terminals has ended ${MAX_RESTARTS + 1} times within ten minutes.`,
  '',
  'Start Plimsoll again; if it goes on, start it with --verbose and report what it says.',
)

export interface HostLink {
  /** Starts the host when there is none. */
  ready(): Result<void, Problem>
  /** Falls to the ground when there is no host. */
  send(message: ToPtyHost): void
  pid(): number | undefined
  stop(): Promise<void>
}

export interface HostLinkDeps {
  fork: ForkChild
  clock: Clock
  onMessage(message: FromPtyHost): void
  /** It ended although nobody asked it to. */
  onCrash(): void
}

export function createHostLink({ fork, clock, onMessage, onCrash }: HostLinkDeps): HostLink {
  let child: ChildHandle | undefined
  let crashedAtMs: number[] = []
  let stopping = false

  function start(): void {
    const started = fork('pty-host')
    child = started
    const stopListening = started.onMessage((message) => onMessage(message as FromPtyHost))
    started.onExit(() => {
      stopListening()
      if (child !== started) return
      child = undefined
      if (stopping) return
      crashedAtMs.push(clock.nowMs())
      onCrash()
    })
  }

  return {
    ready() {
      if (child !== undefined) return ok(undefined)
      crashedAtMs = crashedAtMs.filter((atMs) => atMs > clock.nowMs() - RESTARTS_COUNT_FOR_MS)
      if (crashedAtMs.length > MAX_RESTARTS) return err(failing)
      start()
      return ok(undefined)
    },
    send: (message) => child?.send(message),
    pid: () => child?.pid,
    async stop() {
      stopping = true
      await child?.stop()
      child = undefined
    },
  }
}

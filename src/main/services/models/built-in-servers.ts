/** Starts and stops our own model servers, each in a model-host child of its own. A server that was not stopped is stopped by `close`. */
import { type Problem, problem } from '../../../core/result/problem.ts'
import { err, ok, type Result } from '../../../core/result/result.ts'
import type { Engine } from '../../../core/sweep/target.ts'
import type { FromModelHost, ToModelHost } from '../../model-host/messages.ts'
import type { ChildHandle, ForkChild } from '../../platform/child.ts'
import type { Log } from '../../platform/log.ts'

export interface BuiltInRequest {
  readonly engine: Engine
  /** A GGUF file or a generated model for `llama`, a name for the others; undefined = the engine's own choice. */
  readonly model?: string
  /** 0 = without limit (null engine only). */
  readonly slots?: number
  /** The engine's own settings, checked by it. */
  readonly settings?: Record<string, unknown>
  /** The server's own log is appended here, one JSON line a request. */
  readonly logFile?: string
}

export interface BuiltInServer {
  readonly url: string
  readonly info: Extract<FromModelHost, { type: 'started' }>['info']
  readonly pid: number | undefined
  stop(): Promise<void>
}

/** Generating and loading the tiny model takes two or three seconds on two busy cores. */
const START_DEADLINE_MS = 60_000

export function createBuiltInServers(deps: { fork: ForkChild; dir: string; log: Log }) {
  const children = new Set<ChildHandle>()
  const stop = async (child: ChildHandle) => {
    await child.stop()
    children.delete(child)
  }
  return {
    async start(request: BuiltInRequest): Promise<Result<BuiltInServer, Problem>> {
      const child = deps.fork('model-host')
      children.add(child)
      const answer = await firstAnswer(child, { type: 'start', options: { ...request, cacheDir: deps.dir } })
      if (answer.type === 'failed') {
        await stop(child)
        return err(answer.problem)
      }
      deps.log.info('built-in model server started', { engine: request.engine, url: answer.url })
      return ok({ url: answer.url, info: answer.info, pid: child.pid, stop: () => stop(child) })
    },
    async close(): Promise<void> {
      await Promise.all([...children].map(stop))
    },
  }
}

function firstAnswer(child: ChildHandle, request: ToModelHost): Promise<FromModelHost> {
  return new Promise((resolve) => {
    const settle = (answer: FromModelHost) => {
      clearTimeout(timer)
      offMessage()
      offExit()
      resolve(answer)
    }
    const offMessage = child.onMessage((message) => settle(message as FromModelHost))
    const offExit = child.onExit((code, signal) => settle({ type: 'failed', problem: childEnded(code, signal) }))
    const timer = setTimeout(() => settle({ type: 'failed', problem: startTooSlow() }), START_DEADLINE_MS)
    child.send(request)
  })
}

function childEnded(code: number | null, signal: string | null): Problem {
  return problem(
    'model-host-ended',
    `The process of the built-in model server ended before it was up (${signal ?? `exit code ${code}`}).`,
    '',
    'Try again, or use the simulated engine; run with --verbose to see what it printed.',
  )
}

function startTooSlow(): Problem {
  return problem(
    'model-host-slow',
    `The built-in model server was not up after ${START_DEADLINE_MS / 1_000} s.`,
    '',
    'Close what else keeps this machine busy, or use the simulated engine.',
  )
}

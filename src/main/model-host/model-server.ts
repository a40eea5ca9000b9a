/** A model server in this process: an engine behind plain node:http, listening on loopback unless told otherwise. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Problem, problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import { type Clock, systemClock } from '../platform/clock.ts'
import { createEngine } from './create-engine.ts'
import type { Engine } from './engine.ts'
import { createRequestHandler, LOOPBACK_NAMES } from './http/request-handler.ts'
import { createRequestLog, openLogFile, type RequestLog, type RequestRecord } from './http/request-log.ts'
import { type ModelServerInfo, type ModelServerOptions, type ModelServerRequest, modelServerOptionsSchema } from './model-server-options.ts'

export interface ModelServerHandle {
  /** `http://127.0.0.1:PORT`, without a slash at the end. */
  readonly url: string
  readonly port: number
  readonly info: ModelServerInfo
  /** The server's own log, oldest first. */
  log(): readonly RequestRecord[]
  /** Ends open streams and the engine; resolves when the port is free. */
  stop(): Promise<void>
}

export interface ModelServerDeps {
  readonly clock?: Clock
}

export async function startModelServer(request: ModelServerRequest, deps: ModelServerDeps = {}): Promise<Result<ModelServerHandle, Problem>> {
  const parsed = modelServerOptionsSchema.safeParse(request)
  if (!parsed.success) {
    const faults = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
    return err(problem('model-server-options', `The model server can't be started so: ${faults}.`, '', 'Correct the options and start again.'))
  }
  const options = parsed.data
  const clock = deps.clock ?? systemClock
  const log = await openLog(options)
  if (!log.ok) return log
  const engine = await createEngine(options, { clock, nextTurn: (callback) => setImmediate(callback) })
  if (!engine.ok) {
    await log.value.stop()
    return engine
  }
  const started = await listen(options, engine.value, log.value, clock)
  if (!started.ok) {
    await engine.value.stop()
    await log.value.stop()
  }
  return started
}

async function openLog(options: ModelServerOptions): Promise<Result<RequestLog, Problem>> {
  const simulated = options.engine !== 'llama'
  if (options.logFile === undefined) return ok(createRequestLog({ simulated }))
  try {
    return ok(createRequestLog({ simulated, file: await openLogFile(options.logFile) }))
  } catch (cause) {
    return err(
      problem(
        'log-not-writable',
        `The request log ${options.logFile} can't be written: ${textOf(cause)}.`,
        '',
        'Name a file in a folder that exists and may be written.',
      ),
    )
  }
}

async function listen(options: ModelServerOptions, engine: Engine, log: RequestLog, clock: Clock): Promise<Result<ModelServerHandle, Problem>> {
  const version = `0.0.0-plimsoll-${engine.kind}`
  const info: ModelServerInfo = {
    engine: engine.kind,
    simulated: engine.simulated,
    slots: engine.slots,
    models: engine.cards().map((card) => card.name),
    version,
    settings: { ...engine.settings },
  }
  const allowedHosts = isLoopback(options.host) ? new Set([...LOOPBACK_NAMES, options.host]) : undefined
  const server = createServer(
    { noDelay: true, keepAlive: true },
    createRequestHandler({ engine, clock, log, version, info: () => info, allowedHosts }),
  )
  // Like Ollama's server, this one has no limits on time: a queued request waits as long as it takes, an idle connection stays.
  server.requestTimeout = 0
  server.headersTimeout = 0
  server.keepAliveTimeout = 0
  server.timeout = 0
  const failure = await bind(server, options)
  if (failure !== undefined) return err(failure)
  const { port } = server.address() as AddressInfo
  return ok({
    url: `http://${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`,
    port,
    info,
    log: () => log.records(),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()))
      server.closeAllConnections()
      await closed
      await engine.stop()
      await log.stop()
    },
  })
}

function bind(server: Server, options: ModelServerOptions): Promise<Problem | undefined> {
  return new Promise((resolve) => {
    server.once('error', (cause: NodeJS.ErrnoException) => resolve(bindProblem(cause, options)))
    // Room for a burst of connects: Node's own limit is 511, the system's may be lower.
    server.listen({ port: options.port, host: options.host, backlog: 4_096 }, () => resolve(undefined))
  })
}

function bindProblem(cause: NodeJS.ErrnoException, { host, port }: ModelServerOptions): Problem {
  switch (cause.code) {
    case 'EADDRINUSE':
      return problem('port-in-use', `Port ${port} on ${host} is taken by another program.`, '', 'Choose another port, or 0 for any free one.')
    case 'EACCES':
      return problem('port-forbidden', `Port ${port} on ${host} may not be opened by this account.`, '', 'Choose a port above 1023.')
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return problem('host-unknown', `${host} is no address of this machine.`, '', 'Use 127.0.0.1, or an address that this machine has.')
    default:
      return problem('listen-failed', `The model server can't listen on ${host}:${port}: ${textOf(cause)}.`, '', 'Choose another address or port.')
  }
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || host.startsWith('127.')
}

const textOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause))

/**
 * Answers one connection from an Api: checks every input, runs the handler, sends answers and streams with credit.
 * Owns the streams of this connection and ends them with it. Expected failures travel as Problems; bugs as `internal` with a log id, never a stack.
 */
import type { z } from 'zod'
import { type Problem, problem } from '../../core/result/problem.ts'
import type { Result } from '../../core/result/result.ts'
import type { Contract, Endpoint, StreamEndpoint } from './define.ts'
import type { Api, Sink } from './endpoint-types.ts'
import { decodePageFrame, encodeMainFrame, type MainFrame, type PageFrame } from './frames.ts'
import { createOutlet, type Outlet, viewerTooSlow } from './outlet.ts'
import type { Transport } from './transport.ts'

export interface ServeOptions {
  /** Writes a thrown bug to the log and returns the id under which it stands there. */
  reportBug(path: string, cause: unknown): string
  /** Checks what handlers give against the contract too; on in tests. */
  checkOutputs?: boolean
}

/** Far above what a page of ours uses; a page gone wild gets Problems instead of main's memory. */
const MAX_CALLS = 512
const MAX_STREAMS = 1024
const MAX_BAD_FRAMES = 100

type LooseCall = (input: unknown) => Result<unknown, Problem> | Promise<Result<unknown, Problem>>
type LooseStream = (input: unknown, out: Sink<unknown>) => () => void
type OpenStream = { outlet: Outlet; stop: () => void }

function describeFaults(error: z.ZodError): string {
  return error.issues.map((issue) => `${issue.path.length > 0 ? `${issue.path.map(String).join('.')}: ` : ''}${issue.message}`).join('; ')
}

const badInput = (path: string, error: z.ZodError) =>
  problem('bad-input', `${path} can't take this input: ${describeFaults(error)}.`, '', 'Correct what is named and try again.')

const unknownEndpoint = (path: string, kind: string) =>
  problem(
    'unknown-endpoint',
    `There is no ${kind} named ${JSON.stringify(path.slice(0, 80))}.`,
    '',
    'Reload the page: it may be older than the Plimsoll that runs.',
  )

const tooMany = (what: string, limit: number) =>
  problem('too-many-requests', `The page has more than ${limit} ${what} open at once.`, '', 'Reload the page.')

const internal = (logId: string) =>
  problem('internal', 'Plimsoll made a mistake of its own.', '', `Look for ${logId} in the log (plimsoll --verbose) and report it.`)

/** Own properties only: a path like "constructor.name" finds nothing. */
function findEndpoint(contract: Contract, path: string, kind: Endpoint['kind']): Endpoint | undefined {
  const [subject = '', name = '', ...rest] = path.split('.')
  if (rest.length > 0 || !Object.hasOwn(contract, subject)) return undefined
  const endpoints = contract[subject] ?? {}
  const endpoint = Object.hasOwn(endpoints, name) ? endpoints[name] : undefined
  return endpoint?.kind === kind ? endpoint : undefined
}

function findHandler(api: Api<Contract>, path: string): unknown {
  const [subject = '', name = ''] = path.split('.')
  return api[subject]?.[name]
}

/** @returns what closes the connection and ends its streams; the transport's own closing does the same */
export function serve<C extends Contract>(contract: C, api: Api<C>, transport: Transport, options: ServeOptions): () => void {
  const streams = new Map<number, OpenStream>()
  let calls = 0
  let badFrames = 0
  let closed = false

  const send = (frame: MainFrame) => {
    if (!closed) transport.send(encodeMainFrame(frame))
  }
  const fail = (id: number, what: Problem) => send({ t: 'problem', id, problem: what })
  const bug = (id: number, path: string, cause: unknown) => fail(id, internal(options.reportBug(path, cause)))
  const check = (endpoint: Endpoint, value: unknown) => {
    if (options.checkOutputs) endpoint.output.parse(value)
  }

  const dropStream = (id: number) => {
    const open = streams.get(id)
    if (open === undefined) return
    streams.delete(id)
    open.outlet.close()
    open.stop()
  }

  async function answer(frame: PageFrame & { t: 'call' }): Promise<void> {
    const endpoint = findEndpoint(contract, frame.path, 'call')
    if (endpoint === undefined) return fail(frame.id, unknownEndpoint(frame.path, 'call'))
    const input = endpoint.input.safeParse(frame.input)
    if (!input.success) return fail(frame.id, badInput(frame.path, input.error))
    if (calls >= MAX_CALLS) return fail(frame.id, tooMany('calls', MAX_CALLS))
    calls += 1
    try {
      const result = await (findHandler(api as Api<Contract>, frame.path) as LooseCall)(input.data)
      if (!result.ok) return fail(frame.id, result.error)
      check(endpoint, result.value)
      send({ t: 'answer', id: frame.id, value: result.value })
    } catch (cause) {
      bug(frame.id, frame.path, cause)
    } finally {
      calls -= 1
    }
  }

  function open(frame: PageFrame & { t: 'open' }) {
    const { id, path } = frame
    const endpoint = findEndpoint(contract, path, 'stream')
    if (endpoint === undefined) return fail(id, unknownEndpoint(path, 'stream'))
    const input = endpoint.input.safeParse(frame.input)
    if (!input.success) return fail(id, badInput(path, input.error))
    if (streams.size >= MAX_STREAMS) return fail(id, tooMany('streams', MAX_STREAMS))
    if (streams.has(id)) return fail(id, problem('bad-frame', `Stream ${id} is open already.`, '', 'Reload the page.'))
    startStream(id, path, endpoint as StreamEndpoint, input.data)
  }

  function startStream(id: number, path: string, endpoint: StreamEndpoint, input: unknown): void {
    const isBytes = endpoint.delivery === 'bytes'
    const sendValue = (value: unknown) => {
      try {
        check(endpoint, value)
        send(isBytes ? { t: 'chunk', id, bytes: value as Uint8Array } : { t: 'event', id, value })
      } catch (cause) {
        close(() => bug(id, path, cause))
      }
    }
    const outlet = createOutlet(endpoint.delivery, sendValue, () => close(() => fail(id, viewerTooSlow)))
    const own: OpenStream = { outlet, stop: () => {} }
    const isOpen = () => streams.get(id) === own
    const close = (say: () => void) => {
      if (!isOpen()) return
      dropStream(id)
      say()
    }
    const out: Sink<unknown> = {
      next: (value) => (isOpen() ? outlet.push(value) : undefined),
      end: () => outlet.whenEmpty(() => close(() => send({ t: 'end', id }))),
      fail: (what) => outlet.whenEmpty(() => close(() => fail(id, what))),
    }
    streams.set(id, own)
    try {
      const stop = (findHandler(api as Api<Contract>, path) as LooseStream)(input, out)
      if (isOpen()) own.stop = guarded(path, stop)
      else guarded(path, stop)()
    } catch (cause) {
      close(() => bug(id, path, cause))
    }
  }

  /** A stop that throws must not keep the other streams of a closing connection alive. */
  const guarded = (path: string, stop: () => void) => () => {
    try {
      stop()
    } catch (cause) {
      options.reportBug(path, cause)
    }
  }

  const closeAll = () => {
    if (closed) return
    closed = true
    for (const id of [...streams.keys()]) dropStream(id)
    transport.close()
  }

  transport.listen({
    message(message) {
      if (closed) return
      const frame = decodePageFrame(message)
      switch (frame?.t) {
        case 'call':
          void answer(frame)
          return
        case 'open':
          return open(frame)
        case 'credit':
          return streams.get(frame.id)?.outlet.credit(frame.amount)
        case 'stop':
          return dropStream(frame.id)
        case undefined:
          badFrames += 1
          if (badFrames > MAX_BAD_FRAMES) closeAll()
      }
    },
    closed: closeAll,
  })
  return closeAll
}

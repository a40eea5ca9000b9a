/**
 * The page's end of a connection: a typed client made from the contract. Owns the open calls and streams of this connection;
 * when it closes, each of them hears `connection-lost`. Connecting again is not its business.
 */
import type { Problem } from '../../core/result/problem.ts'
import { err, ok, type Result } from '../../core/result/result.ts'
import type { Contract, Delivery, StreamEndpoint } from './define.ts'
import type { Client, Observer } from './endpoint-types.ts'
import { connectionLost, decodeMainFrame, encodePageFrame, type MainFrame, type PageFrame, WINDOW } from './frames.ts'
import type { Transport } from './transport.ts'

export interface ConnectOptions {
  /** Once, when the connection has gone. */
  closed?(): void
}

type View = { observer: Observer<unknown>; delivery: Delivery; owed: number }
type Settle = (result: Result<unknown, Problem>) => void

/** A page's callback that throws is the page's bug: it surfaces as an unhandled rejection and the stream goes on. */
const surface = (cause: unknown) => void Promise.reject(cause)

export function connect<C extends Contract>(contract: C, transport: Transport, options: ConnectOptions = {}): Client<C> {
  const calls = new Map<number, Settle>()
  const views = new Map<number, View>()
  let nextId = 1
  let closed = false

  const send = (frame: PageFrame) => transport.send(encodePageFrame(frame))

  const takeView = (id: number): View | undefined => {
    const view = views.get(id)
    views.delete(id)
    return view
  }

  /** Credit goes back in quarters of the window, so that small chunks do not each cost a frame. */
  const giveBack = (id: number, view: View, amount: number) => {
    if (views.get(id) !== view) return
    view.owed += amount
    if (view.owed < WINDOW[view.delivery] / 4) return
    send({ t: 'credit', id, amount: view.owed })
    view.owed = 0
  }

  const deliver = (id: number, value: unknown, amount: number) => {
    const view = views.get(id)
    if (view === undefined) return
    try {
      const taken = view.observer.next(value)
      if (taken === undefined) return giveBack(id, view, amount)
      void taken.catch(surface).then(() => giveBack(id, view, amount))
    } catch (cause) {
      surface(cause)
      giveBack(id, view, amount)
    }
  }

  const settle = (id: number, result: Result<unknown, Problem>) => {
    calls.get(id)?.(result)
    calls.delete(id)
  }

  const receive = (frame: MainFrame) => {
    switch (frame.t) {
      case 'answer':
        return settle(frame.id, ok(frame.value))
      case 'event':
        return deliver(frame.id, frame.value, 1)
      case 'chunk':
        return deliver(frame.id, frame.bytes, frame.bytes.length)
      case 'end':
        return takeView(frame.id)?.observer.end?.()
      case 'problem':
        settle(frame.id, err(frame.problem))
        takeView(frame.id)?.observer.error?.(frame.problem)
    }
  }

  const lose = () => {
    if (closed) return
    closed = true
    for (const id of [...calls.keys()]) settle(id, err(connectionLost))
    for (const id of [...views.keys()]) takeView(id)?.observer.error?.(connectionLost)
    options.closed?.()
  }

  const call = (path: string) => (input: unknown) =>
    new Promise<Result<unknown, Problem>>((resolve) => {
      if (closed) return resolve(err(connectionLost))
      const id = nextId++
      calls.set(id, resolve)
      send({ t: 'call', id, path, input })
    })

  const stream = (path: string, endpoint: StreamEndpoint) => (input: unknown, observer: Observer<unknown>) => {
    const id = nextId++
    if (closed) {
      observer.error?.(connectionLost)
      return () => {}
    }
    views.set(id, { observer, delivery: endpoint.delivery, owed: 0 })
    send({ t: 'open', id, path, input })
    return () => {
      if (takeView(id) !== undefined && !closed) send({ t: 'stop', id })
    }
  }

  transport.listen({
    message(message) {
      const frame = decodeMainFrame(message)
      if (frame !== undefined && !closed) receive(frame)
    },
    closed: lose,
  })

  const subjects = Object.entries(contract).map(([subject, endpoints]) => [
    subject,
    Object.fromEntries(
      Object.entries(endpoints).map(([name, endpoint]) => {
        const path = `${subject}.${name}`
        return [name, endpoint.kind === 'call' ? call(path) : stream(path, endpoint)]
      }),
    ),
  ])
  return Object.fromEntries(subjects) as Client<C>
}

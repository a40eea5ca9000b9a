/** Two ends in one process, for tests and for whoever wants the contract without a process line. Delivers in order, never within the sender's call. */
import type { Message, Transport, TransportHandlers } from '../transport.ts'

export function memoryTransportPair(): readonly [Transport, Transport] {
  let closed = false
  const handlers: (TransportHandlers | undefined)[] = [undefined, undefined]
  const waiting: Message[][] = [[], []]

  const deliver = (to: 0 | 1, message: Message) => {
    const target = handlers[to]
    if (target === undefined) waiting[to]?.push(message)
    else target.message(message)
  }
  const close = () => {
    if (closed) return
    closed = true
    void Promise.resolve().then(() => {
      for (const end of handlers) end?.closed()
    })
  }
  const end = (own: 0 | 1, other: 0 | 1): Transport => ({
    send(message) {
      if (closed) return
      const copy = typeof message === 'string' ? message : message.slice()
      void Promise.resolve().then(() => deliver(other, copy))
    },
    listen(listener) {
      handlers[own] = listener
      for (const message of waiting[own]?.splice(0) ?? []) listener.message(message)
      if (closed) listener.closed()
    },
    close,
  })
  return [end(0, 1), end(1, 0)]
}

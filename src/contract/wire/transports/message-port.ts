/** Over a MessagePort: the page's own kind, Node's, or anything with the same four methods (Electron's main-side port is adapted in its host). */
import type { Transport } from '../transport.ts'

export interface PortLike {
  postMessage(message: unknown): void
  /** Each kind has an event type of its own; only `data` of a message is read. */
  addEventListener(type: 'message' | 'close', listener: (event: object) => void): void
  start(): void
  close(): void
}

/** Says goodbye in words too: not every kind of port tells its other end that it was closed. */
const GOODBYE = ''

export function messagePortTransport(port: PortLike): Transport {
  let closed = false
  let onClosed: (() => void) | undefined

  const close = () => {
    if (closed) return
    closed = true
    port.postMessage(GOODBYE)
    port.close()
    onClosed?.()
  }
  return {
    send(message) {
      if (!closed) port.postMessage(message)
    },
    listen(handlers) {
      onClosed = () => handlers.closed()
      port.addEventListener('message', (event) => {
        if (closed) return
        const { data } = event as { data: unknown }
        if (data === GOODBYE) close()
        else if (typeof data === 'string' || data instanceof Uint8Array) handlers.message(data)
      })
      port.addEventListener('close', close)
      port.start()
    },
    close,
  }
}

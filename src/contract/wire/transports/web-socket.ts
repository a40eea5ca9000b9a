/** Over a WebSocket: the browser's own, or that of the `ws` package, which has the same methods. Text frames and binary frames as they are. */
import type { Message, Transport } from '../transport.ts'

export interface SocketLike {
  binaryType: string
  readonly readyState: number
  send(data: string | Uint8Array<ArrayBuffer>): void
  addEventListener(type: 'open' | 'message' | 'close', listener: (event: object) => void): void
  close(): void
}

const OPEN = 1
const CLOSING = 2

/** What we send was made here, never on shared memory. */
const sendable = (message: Message) => message as string | Uint8Array<ArrayBuffer>

/** @param socket open already, or opening: what is sent before it is open waits */
export function webSocketTransport(socket: SocketLike): Transport {
  socket.binaryType = 'arraybuffer'
  const waiting: Message[] = []
  const early: Message[] = []
  let receive = (message: Message) => {
    early.push(message)
  }
  let hearClosed: () => void = () => {}
  let closed = socket.readyState >= CLOSING

  socket.addEventListener('open', () => {
    for (const message of waiting.splice(0)) socket.send(sendable(message))
  })
  socket.addEventListener('message', (event) => {
    const { data } = event as { data: unknown }
    if (typeof data === 'string') receive(data)
    else if (data instanceof ArrayBuffer) receive(new Uint8Array(data))
  })
  socket.addEventListener('close', () => {
    closed = true
    hearClosed()
  })
  return {
    send(message) {
      if (closed) return
      if (socket.readyState === OPEN) socket.send(sendable(message))
      else if (socket.readyState < OPEN) waiting.push(message)
    },
    listen(handlers) {
      receive = (message) => handlers.message(message)
      hearClosed = () => handlers.closed()
      for (const message of early.splice(0)) handlers.message(message)
      if (closed) handlers.closed()
    },
    close: () => socket.close(),
  }
}

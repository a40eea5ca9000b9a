import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { WebSocket, WebSocketServer } from 'ws'
import { describeWire } from '../../../../test/wire-conformance.ts'
import { webSocketTransport } from './web-socket.ts'

describeWire('a WebSocket', async () => {
  const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
  await once(server, 'listening')
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`, { perMessageDeflate: false })
  const [[accepted]] = (await Promise.all([once(server, 'connection'), once(socket, 'open')])) as [[WebSocket], unknown]
  return {
    main: webSocketTransport(accepted),
    page: webSocketTransport(socket),
    close: () =>
      new Promise<void>((resolve) => {
        socket.terminate()
        accepted.terminate()
        server.close(() => resolve())
      }),
  }
})

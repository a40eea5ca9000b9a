import { EventEmitter } from 'node:events'
import { MessageChannel, type MessagePort } from 'node:worker_threads'
import { describeWire } from '../../../../test/wire-conformance.ts'
import { messagePortTransport } from '../../../contract/wire/transports/message-port.ts'
import { mainPortTransport } from './main-port.ts'

/** Electron's kind of port over Node's: events by `on`, the message inside an object, nothing before `start`. */
class MainPort extends EventEmitter {
  #port: MessagePort
  constructor(port: MessagePort) {
    super()
    this.#port = port
  }
  start() {
    this.#port.on('message', (data) => this.emit('message', { data, ports: [] }))
    this.#port.on('close', () => this.emit('close'))
  }
  postMessage(message: unknown) {
    this.#port.postMessage(message)
  }
  close() {
    this.#port.close()
  }
}

describeWire('the Electron host’s port', () => {
  const { port1, port2 } = new MessageChannel()
  return {
    main: mainPortTransport(new MainPort(port1) as unknown as Parameters<typeof mainPortTransport>[0]),
    page: messagePortTransport(port2),
    close: () => {
      port1.close()
      port2.close()
    },
  }
})

import { MessageChannel } from 'node:worker_threads'
import { describeWire } from '../../../../test/wire-conformance.ts'
import { messagePortTransport } from './message-port.ts'

describeWire('a MessagePort', () => {
  const { port1, port2 } = new MessageChannel()
  return {
    main: messagePortTransport(port1),
    page: messagePortTransport(port2),
    close: () => {
      port1.close()
      port2.close()
    },
  }
})

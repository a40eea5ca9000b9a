/** Electron's main-side port has Node's event names; this gives it the page's, so that the one MessagePort transport carries both. */
import type { MessagePortMain } from 'electron'
import type { Transport } from '../../../contract/wire/transport.ts'
import { messagePortTransport } from '../../../contract/wire/transports/message-port.ts'

type MainPort = Pick<MessagePortMain, 'on' | 'postMessage' | 'start' | 'close'>

export function mainPortTransport(port: MainPort): Transport {
  return messagePortTransport({
    postMessage: (message) => port.postMessage(message),
    addEventListener: (type, listener) => {
      if (type === 'message') port.on('message', ({ data }) => listener({ data }))
      else port.on('close', () => listener({}))
    },
    start: () => port.start(),
    close: () => port.close(),
  })
}

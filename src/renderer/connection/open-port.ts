/** In the desktop window: asks the preload for a MessagePort to main. */
import { messagePortTransport } from '../../contract/wire/transports/message-port.ts'
import type { Opened } from './connection.ts'

/** What page and preload say to each other; the preload holds the same two words. */
const ASK = 'plimsoll:port-please'
const GIVE = 'plimsoll:port'

export function openPort(): Promise<Opened> {
  return new Promise((resolve) => {
    const hear = (event: MessageEvent) => {
      const port = event.ports[0]
      if (event.source !== window || event.data !== GIVE || port === undefined) return
      window.removeEventListener('message', hear)
      resolve({ ok: true, transport: messagePortTransport(port) })
    }
    window.addEventListener('message', hear)
    window.postMessage(ASK, '*')
  })
}

/** The connection of this page, whichever host serves it. The one place that looks which one that is. */
import { contract, type PlimsollContract } from '../../contract/endpoints/index.ts'
import { type Connection, createConnection } from './connection.ts'
import { openPort } from './open-port.ts'
import { openSocket } from './open-socket.ts'

const inElectron = () => navigator.userAgent.includes(' Electron/')

export function connectToPlimsoll(): Connection<PlimsollContract> {
  const connection = createConnection(contract, {
    open: inElectron() ? openPort : openSocket,
    after: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs)
      return () => clearTimeout(timer)
    },
  })
  window.addEventListener('online', () => connection.retryNow())
  document.addEventListener('visibilitychange', () => {
    if (document.visibilityState === 'visible' && connection.state().status === 'lost') connection.retryNow()
  })
  return connection
}

/** Hands the page one MessagePort to main, as often as the page asks; knows no endpoint and gives the page nothing else. */
import { ipcRenderer } from 'electron'

/** The words that page (renderer/connection/open-port.ts) and main (hosts/electron/index.ts) use too. */
const ASK = 'plimsoll:port-please'
const GIVE = 'plimsoll:port'
const CONNECT = 'plimsoll:connect'

window.addEventListener('message', (event) => {
  if (event.source !== window || event.data !== ASK) return
  const { port1, port2 } = new MessageChannel()
  ipcRenderer.postMessage(CONNECT, null, [port2])
  // To this very window, and nowhere else: the page is the only one that listens here.
  window.postMessage(GIVE, '*', [port1])
})

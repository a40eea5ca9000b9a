/** Entry of the pty-host process. It lives as long as main does, and takes the terminals along. */
import { parentPort } from '../platform/child.ts'
import { systemClock } from '../platform/clock.ts'
import { createPtyHost } from './host.ts'
import type { ToPtyHost } from './messages.ts'

/** Whatever hangs, this process does not outlive main by more than that. */
const LAST_MOMENT_MS = 2_500

const port = parentPort()
if (port === undefined) {
  process.stderr.write('The pty host is started by Plimsoll, not by hand.\n')
  process.exit(2)
}
const host = createPtyHost({ clock: systemClock, send: (message) => port.send(message) })
port.onMessage((message) => host.receive(message as ToPtyHost))

let ending = false
function end(): void {
  if (ending) return
  ending = true
  systemClock.after(LAST_MOMENT_MS, () => process.exit(1))
  host.close().then(
    () => process.exit(0),
    () => process.exit(1),
  )
}
port.onClose(end)
// Ctrl-C in the terminal that Plimsoll was started from reaches this process too: main decides when it is over.
process.on('SIGINT', () => {})
process.on('SIGTERM', end)
process.on('SIGHUP', () => {})

/** Starts a private Ollama as Plimsoll does and says so; a test kills it the hard way. Arguments: folder, what is known of the own Ollama as JSON. */
import { systemClock } from '../../src/main/platform/clock.ts'
import { startPrivateOllama } from '../../src/main/services/tune/private-ollama.ts'

const [dir = '', own = '{}'] = process.argv.slice(2)
const started = await startPrivateOllama({ clock: systemClock, dir }, JSON.parse(own), 1)
process.stdout.write(started.ok ? 'up\n' : `${started.error.happened}\n`)
setInterval(() => {}, 1_000)

/** Entry of the model-host child process: starts the server that the parent asks for, says where it listens, ends with the parent. */
import { problem } from '../../core/result/problem.ts'
import { parentPort } from '../platform/child.ts'
import { type FromModelHost, toModelHostSchema } from './messages.ts'
import { type ModelServerHandle, startModelServer } from './model-server.ts'

const STOP_LIMIT_MS = 2_000

const port = parentPort()
if (port === undefined) {
  process.stderr.write('This is a part of Plimsoll that Plimsoll starts itself. To run a model server: plimsoll model-server --engine simulated\n')
  process.exit(2)
}

let server: ModelServerHandle | undefined
let starting = false
const say = (message: FromModelHost) => port.send(message)

async function start(options: Parameters<typeof startModelServer>[0]): Promise<void> {
  if (starting || server !== undefined) {
    say({
      type: 'failed',
      problem: problem('model-server-running', 'This process already runs a model server.', '', 'Stop it first, or start another process.'),
    })
    return
  }
  starting = true
  const started = await startModelServer(options)
  starting = false
  if (started.ok) {
    server = started.value
    say({ type: 'started', url: server.url, info: server.info })
  } else {
    say({ type: 'failed', problem: started.error })
  }
}

async function end(): Promise<void> {
  // A step of a large model can take long; the process must not.
  setTimeout(() => process.exit(0), STOP_LIMIT_MS)
  await server?.stop()
  process.exit(0)
}

port.onMessage((message) => {
  const parsed = toModelHostSchema.safeParse(message)
  if (!parsed.success) {
    say({
      type: 'failed',
      problem: problem(
        'model-host-message',
        `The model host can't read this message: ${parsed.error.message}.`,
        '',
        'Report this: it is a fault of Plimsoll.',
      ),
    })
  } else if (parsed.data.type === 'start') {
    void start(parsed.data.options)
  } else {
    void end()
  }
})
port.onClose(() => void end())
